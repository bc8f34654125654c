import type { JsonObject } from '../../json/index.ts';

/** Whether a text is a table with a header row. JSON never begins with a word and a comma. */
export function isCsv(text: string): boolean {
  return /^\ufeff?"?[A-Za-z_]+"?,/.test(text);
}

/** Reads a table (RFC 4180) as objects, by its header. Empty cells are absent; all others are text. */
export function readCsv(text: string): JsonObject[] {
  const [header = [], ...rows] = cells(text.replace(/^\ufeff/, ''));
  return rows.map((row) =>
    Object.fromEntries(header.flatMap((name, column) => (row[column] ? [[name, row[column]]] : []))),
  );
}

/** A plain cell and its end; nothing else may follow a quoted cell. */
const PLAIN = /([^",\r\n]*)(,|\r?\n|$)/y;
const END = /()(,|\r?\n|$)/y;

interface Cell {
  readonly text: string;
  readonly end: string;
  /** Where the next one begins. */
  readonly next: number;
}

function cells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let cell = cellAt(text, 0); cell !== undefined; cell = cellAt(text, cell.next)) {
    row.push(cell.text);
    if (cell.end === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    if (cell.end === '') break;
  }
  return rows;
}

/** Undefined if it is malformed: unclosed quotes, or text after them. */
function cellAt(text: string, at: number): Cell | undefined {
  if (text[at] !== '"') return matched(PLAIN, text, at);
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  const ended = close === -1 ? undefined : matched(END, text, close + 1);
  return ended && { ...ended, text: text.slice(at + 1, close).replaceAll('""', '"') };
}

function matched(pattern: RegExp, text: string, at: number): Cell | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [, plain = '', end = ''] = found;
  return { text: plain, end, next: pattern.lastIndex };
}
