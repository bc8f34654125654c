import type { Report } from '../schema.ts';
import type { ReadKept } from '../view/traces.ts';
import { type PlacesOf, renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';

export interface Reporter {
  /** In the output folder. */
  readonly file: string;
  /** @param read what the runs of a session did @param placesOf files that hold a line of a prompt, as `file:line` */
  render(report: Report, read: ReadKept, placesOf?: PlacesOf): string | Promise<string>;
}

export const reportFormats = {
  json: { file: 'report.json', render: renderJson },
  junit: { file: 'junit.xml', render: renderJunit },
  html: { file: 'report.html', render: renderHtml },
  markdown: { file: 'report.md', render: (report: Report) => renderMarkdown(report) },
} as const satisfies Record<string, Reporter>;
