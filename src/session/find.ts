import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { byName } from '../json/index.ts';
import { checkPattern, isGlob, matchesPattern } from './pattern.ts';
import { outside, toPosix } from './place.ts';

export interface FindLimits {
  /** Files to find at most. */
  readonly files: number;
  /** Files and folders to look at at most. */
  readonly visited: number;
}

/**
 * What is in a folder, without the files that are known to match; undefined if none are.
 * @param folder relative to the root, with forward slashes
 */
export type OtherEntries = (folder: string) => Dirent[] | undefined;

const NOT_SEARCHED: readonly string[] = ['node_modules', '.git'];

/** Files that are suggested if a pattern matched none. */
const SUGGESTIONS = 5;

/**
 * Files are in order, relative to the root and with forward slashes. A mistake in one pattern does not affect the
 * others.
 */
export async function findFiles(
  patterns: readonly string[],
  root: string,
  limits: FindLimits,
  others?: OtherEntries,
): Promise<{ files: string[]; problems: AgentReplayError[] }> {
  const found = new Set<string>();
  const problems: AgentReplayError[] = [];
  for (const pattern of patterns) {
    try {
      const relative = relativePattern(pattern, root);
      // A name may look like a pattern. A file with exactly that name wins.
      if (await lstat(path.join(root, relative)).catch(() => undefined)) found.add(toPosix(relative));
      else if (isGlob(relative)) await search(toPosix(relative), root, limits, found, others);
      else problems.push(missing(relative));
    } catch (error) {
      if (!(error instanceof AgentReplayError)) throw error;
      problems.push(error);
    }
  }
  if (found.size <= limits.files) return { files: [...found].sort(byName), problems };
  const tooMany = new AgentReplayError('TOO_MANY_SESSIONS', `More than ${limits.files} files match.`, {
    evidence: patterns.slice(0, SUGGESTIONS).map((pattern) => `pattern: ${pattern}`),
    hint: 'Narrow the pattern; if all of them are meant, raise maxPins (--set maxPins=...).',
  });
  return { files: [], problems: [...problems, tooMany] };
}

/** Finds pins anywhere in the project, to suggest them if a pattern matched none. */
export async function findSomePins(root: string, limits: FindLimits): Promise<string[]> {
  const found = new Set<string>();
  await search('**/*.session.json', root, { ...limits, files: SUGGESTIONS }, found).catch(() => undefined);
  return [...found].sort(byName).slice(0, SUGGESTIONS);
}

/**
 * Whether patterns match a file that is not on this disk. Its name comes from a stranger: if it is not written as a search
 * would return it, it does not match.
 * @param file relative to the folder of the patterns, with forward slashes
 * @throws AgentReplayError `USAGE`, `PIN_OUTSIDE_ROOT` for a pattern that cannot be followed
 */
export function isPinPath(file: string, patterns: readonly string[], root: string): boolean {
  const names = file.split('/');
  const isPlain =
    !/[\\\0-\x1f\x7f]/.test(file) && names.every((name) => !['', '.', '..', ...NOT_SEARCHED].includes(name));
  return isPlain && patterns.some((pattern) => isMeant(file, toPosix(relativePattern(pattern, root))));
}

function isMeant(file: string, pattern: string): boolean {
  if (isGlob(pattern)) checkPattern(pattern);
  return matchesPattern(pattern, file);
}

/** Stops one file beyond the limit. */
async function search(
  pattern: string,
  root: string,
  limits: FindLimits,
  found: Set<string>,
  others?: OtherEntries,
): Promise<void> {
  checkPattern(pattern);
  const names = pattern.split('/');
  const ending = pattern.split(/[*?[\]{}]/).at(-1) ?? '';
  // Wildcards do not stand for a leading dot.
  const isDotted = /(?:^|[/{,])\[?\./.test(pattern);
  // Not with `glob`, which keeps several objects of each file. Folders are added while they are searched.
  const folders = [names.slice(0, names.findIndex(isGlob)).join('/')];
  let visited = 0;
  for (const folder of folders) {
    const listed = async () => readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of others?.(folder) ?? (await listed())) {
      const { name } = entry;
      if (NOT_SEARCHED.includes(name) || (name.startsWith('.') && !isDotted)) continue;
      if (++visited > limits.visited) {
        const message = `The pattern "${pattern}" looks at more than ${limits.visited} files.`;
        throw new AgentReplayError('TOO_MANY_SESSIONS', message, {
          hint: 'Begin the pattern with the folder that the pins are in.',
        });
      }
      const file = folder === '' ? name : `${folder}/${name}`;
      if (file.endsWith(ending) && matchesPattern(pattern, file)) found.add(file);
      if (found.size > limits.files) return;
      if (!entry.isFile() && isOnTheWay(entry, file.split('/').length - 1, names)) folders.push(file);
    }
  }
}

/**
 * Whether what matches may be below. A link to a folder is only followed where the pattern names it, at one depth, so
 * there are no loops.
 * @param depth of the entry, from 0
 * @param names of the pattern
 */
function isOnTheWay(entry: Dirent, depth: number, names: readonly string[]): boolean {
  const name = names[depth];
  // From here on names do not tell depths: a brace may span some.
  const anyDepth = names.findIndex((each) => each.includes('**') || each.split('{').length !== each.split('}').length);
  if (anyDepth !== -1 && depth >= anyDepth) return entry.isDirectory();
  if (name === undefined || depth === names.length - 1) return false;
  const isFollowed = entry.isDirectory() || (entry.isSymbolicLink() && !/[*?]/.test(name));
  return isFollowed && matchesPattern(name, entry.name);
}

/** @throws AgentReplayError `PIN_OUTSIDE_ROOT`, `USAGE` */
function relativePattern(pattern: string, root: string): string {
  if (pattern.trim() === '' || pattern.includes('\0')) {
    throw new AgentReplayError('USAGE', 'A pattern for pinned sessions is empty or holds a NUL.', {
      hint: 'Give files or patterns such as replays/**/*.session.json.',
    });
  }
  const relative = path.isAbsolute(pattern) ? path.relative(root, pattern) : pattern;
  if (path.win32.isAbsolute(relative) || relative.split(/[\\/]/).includes('..')) throw outside(pattern, root);
  return path.normalize(relative);
}

function missing(file: string): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', `There is no file ${file}.`, {
    location: { file },
    hint: 'Check the name; patterns such as replays/**/*.session.json work too.',
  });
}
