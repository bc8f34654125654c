import type { RunHistory } from '../history/run-history.ts';
import type { Report } from '../schema.ts';
import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';

/** What an output can show beside the report. */
export interface Beside {
  /** What the runs of a session did, as the run has kept it. */
  readonly keptOf: Parameters<typeof renderHtml>[1];
  /** Runs up to this one. */
  readonly history: RunHistory;
}

/** How a report can be written, and to which file of the output folder. */
export const reportFormats = {
  json: { file: 'report.json', render: renderJson },
  junit: { file: 'junit.xml', render: renderJunit },
  // The file carries what lies beside it: it is passed on alone.
  html: {
    file: 'report.html',
    render: (report: Report, { keptOf, history }: Beside) => renderHtml(report, keptOf, history.entries),
  },
  markdown: { file: 'report.md', render: (report: Report) => renderMarkdown(report) },
} as const satisfies Record<
  string,
  { file: string; render: (report: Report, beside: Beside) => string | Promise<string> }
>;
