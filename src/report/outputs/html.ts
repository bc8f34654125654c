/// <reference path="../../pages.d.ts" />

import type { HistoryEntry } from '../history/history-entry.ts';
import { trendsOf } from '../history/trend.ts';
import type { Report } from '../schema.ts';
import { carriedTraces, type ReadKept } from '../view/traces.ts';
import { reportView } from '../view/view.ts';
import type { ReportView } from '../view/view-shapes.ts';
import { renderMarkdown } from './markdown.ts';

/** The data of the page: the report as shown, and the traces that it carries, by {@link traceKey}. */
export interface CarriedReport extends ReportView {
  /** The whole report, for pasting elsewhere. */
  readonly markdown: string;
  /** Base64 of gzip. */
  readonly traces: Readonly<Record<string, string>>;
}

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
  const carried: CarriedReport = {
    ...reportView(report, trendsOf(history)),
    markdown: renderMarkdown(report),
    traces: await carriedTraces(report, read),
  };
  return `${before}${forScript(JSON.stringify(carried))}${after}`;
}

/**
 * JSON inside a script element, which HTML ends at `</script` and hides after `<!--`: without any `<` there is neither.
 * Line separators are escaped too, because they look like line breaks in the source. JSON itself escapes lone surrogates.
 */
export function forScript(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
