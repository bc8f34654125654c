// Not through the core's door: this is loaded in every test process, and the core takes longer than a test.
import { forTerminal, visible } from '../src/untrusted.ts';

/** A text of an agent as one line that a terminal and a CI log take as text. */
export const safeText = forTerminal;

/** The same for each text inside a value, which keep their lines: a diff indents them. */
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(safeValue);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [visible(key), safeValue(item)]));
}

/** Reporters of Vitest write their results to standard output. @param text safe lines */
export function printToStderr(text: string): void {
  process.stderr.write(`${text}\n`);
}
