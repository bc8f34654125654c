import type { JsonObject } from '../../json/index.ts';

/** Whether a text is a table with a header of column names: JSON never begins with a word and a comma. */
export function isCsv(text: string): boolean {
  return /^\ufeff?"?[A-Za-z_]+"?,/.test(text);
}

/** Reads a table (RFC 4180) as objects by its header. An empty cell is absent; all others are text. */
export function readCsv(text: string): JsonObject[] {
  const [header = [], ...rows] = cells(text.replace(/^\ufeff/, ''));
  return rows.map((row) =>
    Object.fromEntries(header.flatMap((name, column) => (row[column] ? [[name, row[column]]] : []))),
  );
}

/** One cell with what ends it: quoted with doubled quotes inside, or plain. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function cells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  for (let cell = CELL.exec(text); cell !== null; cell = CELL.exec(text)) {
    const [, quoted, plain = '', end] = cell;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    if (end === '') break;
  }
  return rows;
}
