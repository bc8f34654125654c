import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../file.ts';

export interface TracingPlace {
  /** From the project's root, with forward slashes. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The project's sources already name `replaySpanProcessor`. */
  readonly isDone: boolean;
}

const SOURCE = /\.[cm]?[jt]sx?$/;
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'test', 'tests']);
/** The list of processors comes first: that is the line to change. */
const SET_UP = [
  /\bspanProcessors\s*:/,
  /\baddSpanProcessor\(/,
  /\bnew (?:NodeSDK|NodeTracerProvider|BasicTracerProvider|WebTracerProvider)\(/,
  /\bregisterOTel\(/,
];
const MAX_FILES = 1_000;
const MAX_CHARS = 200_000;

/** Searches the project's own sources; undefined if it is not in the first thousand. */
export async function tracingPlaceIn(root: string): Promise<TracingPlace | undefined> {
  const found: { rank: number; place: Omit<TracingPlace, 'isDone'> }[] = [];
  let isDone = false;
  for (const file of (await sourcesIn(root, '')).slice(0, MAX_FILES)) {
    const text = await readTextFile(path.join(root, file)).catch(() => '');
    if (text.length > MAX_CHARS) continue;
    isDone ||= text.includes('replaySpanProcessor(');
    const lines = text.split('\n');
    for (const [rank, pattern] of SET_UP.entries()) {
      const line = lines.findIndex((each) => pattern.test(each));
      if (line !== -1) found.push({ rank, place: { file, line: line + 1 } });
    }
  }
  const place = found.sort((a, b) => a.rank - b.rank)[0]?.place;
  return place && { ...place, isDone };
}

async function sourcesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = path.posix.join(folder, entry.name);
    if (entry.isFile() && SOURCE.test(entry.name)) files.push(name);
    else if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name)) {
      files.push(...(await sourcesIn(root, name)));
    }
    if (files.length > MAX_FILES) break;
  }
  return files;
}
