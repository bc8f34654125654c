import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../files/index.ts';

export interface Source {
  /** From the project's root, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

export interface SourceLine extends Pick<Source, 'file'> {
  /** From 1. */
  readonly line: number;
}

const MAX_FILES = 1_000;
const MAX_CHARS = 200_000;

/** The first thousand, without hidden and skipped folders, in order of their paths. */
export async function sourcesIn(root: string, names: RegExp, skipped: ReadonlySet<string>): Promise<Source[]> {
  const files = (await filesIn(root, '', { names, skipped })).slice(0, MAX_FILES);
  const read = files.map(async (file) => ({ file, text: await readTextFile(path.join(root, file)).catch(() => '') }));
  return (await Promise.all(read)).filter(({ text }) => text.length <= MAX_CHARS);
}

async function filesIn(
  root: string,
  folder: string,
  wanted: { readonly names: RegExp; readonly skipped: ReadonlySet<string> },
): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.posix.join(folder, entry.name);
    if (entry.isFile() && wanted.names.test(entry.name)) files.push(file);
    else if (entry.isDirectory() && !entry.name.startsWith('.') && !wanted.skipped.has(entry.name)) {
      files.push(...(await filesIn(root, file, wanted)));
    }
    if (files.length > MAX_FILES) break;
  }
  return files;
}

/** The first line of any source that matches, earlier patterns first. */
export function lineIn(sources: readonly Source[], patterns: readonly RegExp[]): SourceLine | undefined {
  for (const pattern of patterns) {
    for (const { file, text } of sources) {
      const line = text.split('\n').findIndex((each) => pattern.test(each));
      if (line !== -1) return { file, line: line + 1 };
    }
  }
  return undefined;
}
