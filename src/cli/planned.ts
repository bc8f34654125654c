import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { AgentReplayError } from '../errors.ts';
import { readTextFile } from '../files/index.ts';
import type { PlannedFile } from '../init/index.ts';
import { counted } from '../text/index.ts';
import { printLine, printLines } from './lines.ts';

export type Change = 'create' | 'update' | 'keep';

export function changeOf(root: string, { path: file, content, replaces }: PlannedFile): Change {
  if (replaces !== undefined) return replaces === content ? 'keep' : 'update';
  return existsSync(path.join(root, file)) ? 'keep' : 'create';
}

export function printCopiedFolders(root: string, files: readonly PlannedFile[]): void {
  for (const [folder, copied] of Map.groupBy(files, ({ folder }) => folder)) {
    if (folder === undefined) continue;
    const changes = new Set(copied.map((file) => changeOf(root, file)));
    const change = changes.size === 1 ? [...changes][0] : 'update';
    const { purpose = '' } = copied[0] ?? {};
    const about =
      change === 'keep' ? 'it is there already, as it ships' : `${purpose} (${counted(copied.length, 'file')})`;
    printLines(`${change?.padEnd(6)} ${folder}: ${about}`);
  }
}

/** Does not overwrite a file that appeared or was edited while init asked its questions. */
export async function writePlanned(root: string, { path: file, content, replaces }: PlannedFile): Promise<void> {
  const target = path.join(root, file);
  try {
    await mkdir(path.dirname(target), { recursive: true });
    if (replaces !== undefined && (await readTextFile(target)) !== replaces) {
      throw new Error('It was edited after it was shown what would be written.');
    }
    await writeFile(target, content, { flag: replaces === undefined ? 'wx' : 'w' });
  } catch (error) {
    throw new AgentReplayError('OUTPUT_NOT_WRITABLE', `${file} could not be written.`, {
      evidence: [(error as Error).message],
      hint: 'Files written before it stay. Run the command again: it keeps what exists.',
      location: { file: target },
    });
  }
}

/** As a reviewer reads it: `git apply` takes it. */
export function printPatch({ path: file, replaces = '', content }: PlannedFile): void {
  const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, replaces, content, '', '', { context: 2 });
  for (const line of patch.split('\n').slice(1)) printLine(line.trimEnd());
}
