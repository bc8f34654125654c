import type { RunHistory } from '../history/run-history.ts';
import type { Report } from '../schema.ts';
import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';

/** What an output can show besides the report. */
export interface Beside {
  /** Reads what the runs of a session did. */
  readonly keptOf: Parameters<typeof renderHtml>[1];
  /** All runs up to this one. */
  readonly history: RunHistory;
}

/** Writes a report in one format. */
export interface Reporter {
  /** In the output folder. */
  readonly file: string;
  render(report: Report, beside: Beside): string | Promise<string>;
}

/** The formats of a report. */
export const reportFormats = {
  json: { file: 'report.json', render: renderJson },
  junit: { file: 'junit.xml', render: renderJunit },
  // The HTML file also carries traces and trends, because people pass it on alone.
  html: {
    file: 'report.html',
    render: (report: Report, { keptOf, history }: Beside) => renderHtml(report, keptOf, history.entries),
  },
  markdown: { file: 'report.md', render: (report: Report) => renderMarkdown(report) },
} as const satisfies Record<string, Reporter>;
