import { isRawNumber } from '../../json/index.ts';
import { type Report, report as reportSchema } from '../schema.ts';
import type { ReadKept } from '../view/traces.ts';
import { type PlacesOf, renderHtml } from './html.ts';
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

/** Fields whose keys the schema does not fix: these are sorted. */
const FREE = new Set(['recorded', 'replayed', 'environment']);

/** Of more sessions nobody reads the file, and with indents it could be longer than a text can be. */
const MOST_INDENTED = 5_000;

/**
 * Keys are in the order of the schema, or sorted where it has none, so that equal behaviours give equal bytes of `results`.
 */
function renderJson(report: Report): string {
  const ordered = reportSchema.parse(report);
  const indent = ordered.results.sessions.length > MOST_INDENTED ? 0 : 2;
  return `${JSON.stringify(ordered, (name, value) => (FREE.has(name) ? sorted(value) : value), indent)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // `fromEntries` makes own keys of all names, `__proto__` included.
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
