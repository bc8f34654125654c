import { glob, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import { JOURNAL_FILE } from '../records/journal-file.ts';

const NOT_SEARCHED: readonly string[] = ['node_modules', '.git'];
/** Far above a folder of downloaded artifacts, and low enough that a mistaken folder fails quickly. */
const MAX_FOLDERS = 10_000;

/**
 * The journals meant by files, folders and patterns. A folder stands for its own journal, or for all below it. Duplicates
 * are removed.
 * @param cwd names are relative to it
 */
export async function findJournals(
  names: readonly string[],
  cwd: string,
): Promise<{ files: string[]; problems: AgentReplayError[] }> {
  const files = new Set<string>();
  const problems: AgentReplayError[] = [];
  for (const name of names) {
    const found = await journalsAt(name, cwd);
    for (const file of found) files.add(await realpath(file));
    if (found.length === 0) problems.push(noJournal(name));
  }
  return { files: [...files].sort(), problems };
}

async function journalsAt(name: string, cwd: string): Promise<string[]> {
  const place = path.resolve(cwd, name);
  // A name may look like a pattern. A file with exactly that name wins.
  if (await stat(place).catch(() => undefined)) return journalsIn(place);
  const found: string[] = [];
  for await (const match of glob(name, { cwd })) found.push(...(await journalsIn(path.resolve(cwd, match))));
  return found;
}

async function journalsIn(place: string): Promise<string[]> {
  if (!(await stat(place)).isDirectory()) return [place];
  const own = path.join(place, JOURNAL_FILE);
  if ((await stat(own).catch(() => undefined))?.isFile()) return [own];
  const found: string[] = [];
  const folders = [place];
  for (let seen = 0; folders.length > 0 && seen < MAX_FOLDERS; seen++) {
    const folder = folders.shift() as string;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const inside = path.join(folder, entry.name);
      // Folders that are symbolic links are not followed, so there are no loops.
      if (entry.isDirectory() && !NOT_SEARCHED.includes(entry.name)) folders.push(inside);
      else if (entry.isFile() && entry.name === JOURNAL_FILE) found.push(inside);
    }
  }
  return found;
}

function noJournal(name: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `There is no ${JOURNAL_FILE} in ${name}.`, {
    location: { file: name },
    hint: 'Name the output folders of the shards, or the folder that their artifacts were downloaded to; hidden files have to be uploaded too.',
  });
}
