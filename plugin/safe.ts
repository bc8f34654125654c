/** Control characters, and those that turn the direction of text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text of an agent as one line that a terminal and a CI log take as text. */
export function safeText(text: string): string {
  return escaped(text).replaceAll('\n', '\\n');
}

/** The same for each text inside a value, which keep their lines: a diff indents them. */
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(safeValue);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [escaped(key), safeValue(item)]));
}

function escaped(text: string): string {
  return text.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
