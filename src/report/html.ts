/// <reference path="../pages.d.ts" />
import type { Report } from './schema.ts';
import { reportView } from './view.ts';

/**
 * The report as one HTML file that loads nothing: opened from disk it is searched, filtered and read in any browser.
 */
export async function renderHtml(report: Report): Promise<string> {
  // Large, and not needed by whoever only reads reports.
  const { page, data } = await import('#pages/report');
  const [before, after] = page.split(data) as [string, string];
  return `${before}${forScript(JSON.stringify(reportView(report)))}${after}`;
}

/**
 * JSON inside of a script element, which HTML ends at `</script` and hides after `<!--`: without a `<` there is neither.
 * Line separators are no line breaks to a reader of the source then. Lone surrogates are escaped by JSON itself.
 */
export function forScript(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
