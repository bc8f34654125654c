/// <reference path="../../pages.d.ts" />

import { cut } from '../../text/index.ts';
import type { HistoryEntry } from '../history/history-entry.ts';
import { trendsOf } from '../history/trend.ts';
import type { Report } from '../schema.ts';
import { gateOf } from '../status.ts';
import { carriedTraces, type ReadKept } from '../view/traces.ts';
import { renderMarkdown } from './markdown.ts';

/** The data of the page. */
export interface CarriedReport {
  readonly report: Report;
  /** The same, for pasting elsewhere. */
  readonly markdown: string;
  /** Share as recorded of the latest runs of each session, oldest first: 0 to 1; null if none could be compared. */
  readonly trends: Readonly<Record<string, readonly (number | null)[]>>;
  /** See {@link carriedTraces}. */
  readonly traces: Readonly<Record<string, string>>;
}

/** Longest text of a report that the page carries; report.json has the whole. */
const MAX_CHARS = 4_000;

/**
 * The report as one HTML file that loads nothing. Any browser searches, filters and shows it from disk.
 * @param read what the runs of a session did, as far as it is known; the file carries it
 * @param history of runs, including this one
 */
export async function renderHtml(
  report: Report,
  read: ReadKept = async () => [],
  history: readonly HistoryEntry[] = [],
): Promise<string> {
  // Large, and not needed for reading reports.
  const { page, data } = await import('#pages/report');
  const [before, after] = page.split(data) as [string, string];
  const { status, title, message } = gateOf(report);
  const shown = { ...report, results: { ...report.results, status, title, message } };
  const trends = trendsOf(history).map(({ session, points }) => [session, points.map(({ share }) => share)] as const);
  const parts = {
    report: JSON.stringify(shown, (_, value) => (typeof value === 'string' ? cut(value, MAX_CHARS) : value)),
    markdown: JSON.stringify(renderMarkdown(report)),
    trends: JSON.stringify(Object.fromEntries(trends)),
    traces: JSON.stringify(await carriedTraces(report, read)),
  } satisfies Record<keyof CarriedReport, string>;
  const json = Object.entries(parts).map(([name, part]) => `"${name}":${part}`);
  return `${before}${forScript(`{${json.join(',')}}`)}${after}`;
}

/**
 * JSON inside a script element, which HTML ends at `</script` and hides after `<!--`: without any `<` there is neither.
 * Line separators are escaped too, because they look like line breaks in the source. JSON itself escapes lone surrogates.
 */
export function forScript(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
