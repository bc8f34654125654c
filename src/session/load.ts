import { constants } from 'node:fs';
import { glob, lstat, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { type Position, parsePin } from './parse.ts';
import { checkPattern, isGlob } from './pattern.ts';
import { replayable, type Session, type TurnStatus } from './schema.ts';

/** A pinned session that was read from a file. */
export interface Pin {
  readonly session: Session;
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  /** Of each turn, whether it can be replayed. */
  readonly turns: readonly TurnStatus[];
  /** Where in the file the value at a JSON pointer stands; undefined where there is none. */
  locate(pointer: string): Position | undefined;
}

export interface LoadOptions {
  /** Folder that patterns are relative to, and that nothing is read outside of. */
  readonly root: string;
  /** Keeps the sessions whose id, title or path contains this text, in any case. */
  readonly grep?: string | undefined;
  /** No session at all is then not a problem. */
  readonly allowEmpty?: boolean | undefined;
  readonly limits?: Partial<LoadLimits> | undefined;
}

export interface LoadLimits {
  readonly fileBytes: number;
  readonly files: number;
  /** Files and folders that a search for pins may look at. */
  readonly visited: number;
}

/** Far above any real project, and low enough that a mistaken pattern ends in seconds and in bounded memory. */
const DEFAULT_LIMITS: LoadLimits = { fileBytes: 64 * 1024 ** 2, files: 10_000, visited: 1_000_000 };

/** Where pins are never looked for. */
const NOT_SEARCHED: readonly string[] = ['node_modules', '.git'];

/**
 * Reads pinned sessions. What is wrong with one of them is a problem in the result and keeps no other from being read.
 * Pins come in the order of their paths.
 */
export async function loadPins(
  patterns: string | readonly string[],
  options: LoadOptions,
): Promise<{ pins: Pin[]; problems: AgentReplayError[] }> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const root = await realpath(options.root);
  const problems: AgentReplayError[] = [];
  const wanted = [patterns].flat();
  const files = await findFiles(wanted, root, limits, problems);

  const pins = new Map<string, Pin>();
  for (const file of files) {
    const loaded = await loadPin(file, root, limits);
    if ('problems' in loaded) problems.push(...loaded.problems);
    else {
      const first = pins.get(loaded.session.id);
      if (first === undefined) pins.set(loaded.session.id, loaded);
      else problems.push(duplicate(loaded, first));
    }
  }

  const kept = [...pins.values()].filter((pin) => matches(pin, options.grep));
  if (kept.length === 0 && problems.length === 0 && !options.allowEmpty) {
    problems.push(await nothingMatched(wanted, root, limits, pins, options.grep));
  }
  return { pins: kept, problems };
}

async function findFiles(
  patterns: readonly string[],
  root: string,
  limits: LoadLimits,
  problems: AgentReplayError[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    try {
      const relative = relativePattern(pattern, root);
      // A name may look like a pattern: what is there under exactly that name is meant.
      if (await lstat(path.join(root, relative)).catch(() => undefined)) found.add(toPosix(relative));
      else if (isGlob(relative)) await search(relative, root, limits, found);
      else problems.push(missing(relative));
    } catch (error) {
      if (!(error instanceof AgentReplayError)) throw error;
      problems.push(error);
    }
  }
  return [...found].sort(byCodeUnit).slice(0, limits.files);
}

/** Folders that are symbolic links are not followed, so there are no loops. */
async function search(pattern: string, root: string, limits: LoadLimits, found: Set<string>): Promise<void> {
  checkPattern(pattern);
  let visited = 0;
  let stopped = false;
  const exclude = (name: string) => {
    stopped ||= ++visited > limits.visited;
    return stopped || NOT_SEARCHED.includes(path.basename(name));
  };
  for await (const file of glob(pattern, { cwd: root, exclude })) {
    found.add(toPosix(file));
    if (found.size > limits.files) {
      throw new AgentReplayError('TOO_MANY_SESSIONS', `more than ${limits.files} files match "${pattern}"`, {
        hint: 'Narrow the pattern, or split the run with --shard.',
      });
    }
  }
  if (stopped) {
    throw new AgentReplayError('TOO_MANY_SESSIONS', `"${pattern}" looks at more than ${limits.visited} files`, {
      hint: 'Begin the pattern with the folder that the pins are in.',
    });
  }
}

/** @throws AgentReplayError `PIN_OUTSIDE_ROOT`, `USAGE` */
function relativePattern(pattern: string, root: string): string {
  if (pattern.trim() === '' || pattern.includes('\0')) {
    throw new AgentReplayError('USAGE', 'a pattern for pinned sessions is empty or holds a NUL', {
      hint: 'Give files or patterns such as replays/**/*.session.json.',
    });
  }
  const relative = path.isAbsolute(pattern) ? path.relative(root, pattern) : pattern;
  if (path.win32.isAbsolute(relative) || relative.split(/[\\/]/).includes('..')) throw outside(pattern, root);
  return path.normalize(relative);
}

async function loadPin(
  file: string,
  root: string,
  limits: LoadLimits,
): Promise<Pin | { problems: AgentReplayError[] }> {
  try {
    const parsed = parsePin(await readPin(file, root, limits.fileBytes), file);
    if ('problems' in parsed) return parsed;
    return { session: parsed.session, path: file, turns: parsed.session.turns.map(replayable), locate: parsed.locate };
  } catch (error) {
    if (error instanceof AgentReplayError) return { problems: [error] };
    throw error;
  }
}

/** @throws AgentReplayError `PIN_OUTSIDE_ROOT`, `PIN_NOT_A_FILE`, `PIN_TOO_LARGE`, `PIN_INVALID` */
async function readPin(file: string, root: string, maxBytes: number): Promise<string> {
  const location = { file };
  const real = await realpath(path.join(root, file)).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ELOOP' ? 'a loop of symbolic links' : 'a symbolic link that leads nowhere';
    throw new AgentReplayError('PIN_NOT_A_FILE', `${file} is ${why}`, { location, cause });
  });
  if (!isInside(real, root)) throw outside(file, root);
  // Without O_NONBLOCK opening a FIFO would wait for a writer.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  await using handle = await open(real, flags).catch((cause: NodeJS.ErrnoException) => {
    throw new AgentReplayError('PIN_NOT_A_FILE', `${file} cannot be read (${cause.code})`, { location, cause });
  });
  const stats = await handle.stat();
  if (!stats.isFile()) {
    throw new AgentReplayError(
      'PIN_NOT_A_FILE',
      `${file} is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}`,
      {
        location,
        hint: stats.isDirectory() ? `Name the files in it: ${file}/**/*.session.json` : 'Take it out of the pattern.',
      },
    );
  }
  // The size may be a lie (a file that grows), so the read itself is bounded too.
  const bytes =
    stats.size > maxBytes ? undefined : await readUpTo(handle.createReadStream({ end: maxBytes }), maxBytes);
  if (bytes === undefined) {
    throw new AgentReplayError('PIN_TOO_LARGE', `${file} is larger than ${maxBytes / 1024 ** 2} MiB`, {
      location,
      hint: 'Pin fewer turns in one file.',
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AgentReplayError('PIN_INVALID', `${file} is not UTF-8 text`, { location, cause });
  }
}

async function readUpTo(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function matches({ session, path }: Pin, grep: string | undefined): boolean {
  if (grep === undefined) return true;
  const text = grep.toLowerCase();
  return [session.id, session.title ?? '', path].some((candidate) => candidate.toLowerCase().includes(text));
}

async function nothingMatched(
  patterns: readonly string[],
  root: string,
  limits: LoadLimits,
  pins: ReadonlyMap<string, Pin>,
  grep: string | undefined,
): Promise<AgentReplayError> {
  const first = 5;
  if (pins.size > 0) {
    return new AgentReplayError('NO_SESSIONS', `none of ${pins.size} pinned sessions contains "${grep}"`, {
      evidence: [...pins.values()].slice(0, first).map(({ session, path }) => `${session.id} (${path})`),
      hint: '--grep looks for a text in id, title and path.',
    });
  }
  const elsewhere = new Set<string>();
  await search('**/*.session.json', root, { ...limits, files: first }, elsewhere).catch(() => undefined);
  return new AgentReplayError('NO_SESSIONS', `no pinned session matches ${patterns.map((p) => `"${p}"`).join(', ')}`, {
    evidence: [`root: ${root}`, ...[...elsewhere].sort(byCodeUnit).map((file) => `there is: ${file}`)],
    hint: elsewhere.size > 0 ? 'Correct the pattern.' : 'Pin recorded sessions first: agent-replay pin',
  });
}

function missing(file: string): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', `there is no file ${file}`, {
    location: { file },
    hint: 'Check the name; patterns such as replays/**/*.session.json work too.',
  });
}

function duplicate(pin: Pin, first: Pin): AgentReplayError {
  return new AgentReplayError('PIN_DUPLICATE', `${pin.path} pins session "${pin.session.id}" again`, {
    evidence: [`first in ${first.path}`],
    location: { file: pin.path, ...pin.locate('/id'), pointer: '/id' },
    hint: 'Delete one of the two files.',
  });
}

function outside(file: string, root: string): AgentReplayError {
  return new AgentReplayError('PIN_OUTSIDE_ROOT', `${file} lies outside of the project`, {
    evidence: [`root: ${root}`],
    location: { file },
    hint: 'Pinned sessions are read from, and written to, the project folder only.',
  });
}

/** True for a path at or below a folder; both real and absolute. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
