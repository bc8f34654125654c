// Every test process loads this, and loading the core takes longer than a test.
import { forTerminal, visible } from '../src/text/index.ts';

/** One line, safe on a terminal and in a CI log. */
export const safeText = forTerminal;

/** The same for each text inside a value. Line breaks stay, because a diff indents them. */
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(safeValue);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [visible(key), safeValue(item)]));
}

/** Vitest's reporters write results to standard output, so this uses standard error. @param text safe lines */
export function printToStderr(text: string): void {
  process.stderr.write(`${text}\n`);
}
