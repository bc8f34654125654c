import { cut } from '../cut.ts';
import { forHtmlText } from '../untrusted.ts';

/** Longest text on the page; more is read elsewhere. */
const MAX_CHARS = 4_000;

/** A text from outside as the page shows it. */
export function pageText(text: string): string {
  return forHtmlText(cut(text, MAX_CHARS));
}
