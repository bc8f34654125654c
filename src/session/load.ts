import { constants } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { openFile } from '../files/index.ts';
import { inBytes } from '../text/index.ts';
import { type FindLimits, findFiles, findSomePins, type OtherEntries } from './find.ts';
import { type Position, parsePin } from './parse.ts';
import { isInside, outside } from './place.ts';
import { replayable, type Session, type TurnStatus } from './schema.ts';

/** A pinned session that was read from a file. */
export interface Pin {
  readonly session: Session;
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  /** For each turn, whether it can be replayed. */
  readonly turns: readonly TurnStatus[];
  /** The place in the file of the value at a JSON pointer, if there is one. */
  locate(pointer: string): Position | undefined;
}

interface LoadOptions {
  /** Patterns are relative to this folder, and nothing outside of it is read. */
  readonly root: string;
  /** Keeps sessions whose id, title or path contains this text, in any case. */
  readonly grep?: string | undefined;
  /** Finding no session is then not a problem. */
  readonly allowEmpty?: boolean | undefined;
  readonly limits?: Partial<LoadLimits> | undefined;
  readonly others?: OtherEntries | undefined;
  /** Default: all of it. @param text the file's */
  readonly kept?: ((pin: Pin, text: string) => Pin) | undefined;
}

interface LoadLimits extends FindLimits {
  readonly fileBytes: number;
}

/** Above most projects, but a mistaken pattern still ends in seconds. */
const DEFAULT_LIMITS: LoadLimits = { fileBytes: 64 * 1024 ** 2, files: 100_000, visited: 1_000_000 };

/** Files that are read at the same time: the disk, and not the processor, is what a small file waits for. */
const AT_ONCE = 16;

/**
 * Reads pinned sessions, in the order of their paths. A mistake in one is a problem in the result and does not affect the
 * others. `all` has those that `grep` leaves out, too.
 */
export async function loadPins(
  patterns: string | readonly string[],
  options: LoadOptions,
): Promise<{ pins: Pin[]; all: readonly Pin[]; problems: AgentReplayError[] }> {
  const { kept = (pin: Pin) => pin } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const root = await realpath(options.root);
  const wanted = wantedIn(patterns, options.root);
  const { files, problems } = await findFiles(wanted, root, limits, options.others);

  const pins = new Map<string, Pin>();
  const take = (loaded: Awaited<ReturnType<typeof loadPin>>) => {
    if ('problems' in loaded) return problems.push(...loaded.problems);
    const { pin, text } = loaded;
    const id = withoutForm(pin.session.id);
    const first = pins.get(id);
    if (first !== undefined) return problems.push(duplicate(pin, first));
    return pins.set(id, kept(pin, text));
  };
  for (let begin = 0; begin < files.length; begin += AT_ONCE) {
    const some = files.slice(begin, begin + AT_ONCE);
    (await Promise.all(some.map((file) => loadPin(file, root, limits)))).forEach(take);
  }

  const all = [...pins.values()];
  const meant = all.filter((pin) => matches(pin, options.grep));
  if (meant.length === 0 && problems.length === 0 && !options.allowEmpty) {
    problems.push(await nothingMatched(wanted, root, limits, all, options.grep));
  }
  return { pins: meant, all, problems };
}

/** How many files {@link loadPins} would read. */
export async function countPins(patterns: string | readonly string[], { root, limits }: LoadOptions): Promise<number> {
  const { files } = await findFiles(wantedIn(patterns, root), await realpath(root), { ...DEFAULT_LIMITS, ...limits });
  return files.length;
}

/** The root, and files in it, may have been named through a link. */
function wantedIn(patterns: string | readonly string[], root: string): string[] {
  return [patterns].flat().map((name) => (path.isAbsolute(name) ? relativeTo(root, name) : name));
}

function relativeTo(folder: string, file: string): string {
  return isInside(file, path.resolve(folder)) ? path.relative(folder, file) : file;
}

async function loadPin(
  file: string,
  root: string,
  limits: LoadLimits,
): Promise<{ pin: Pin; text: string } | { problems: AgentReplayError[] }> {
  try {
    const text = await readPin(file, root, limits.fileBytes);
    const parsed = parsePin(text, file);
    if ('problems' in parsed) return parsed;
    const { session, locate } = parsed;
    return { pin: { session, path: file, turns: session.turns.map(replayable), locate }, text };
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
    const hint = 'Correct the link, or take it out of the pattern.';
    throw new AgentReplayError('PIN_NOT_A_FILE', `${file} is ${why}.`, { location, hint, cause });
  });
  if (!isInside(real, root)) throw outside(file, root);
  await using handle = await openFile(real, constants.O_NOFOLLOW ?? 0).catch((cause: NodeJS.ErrnoException) => {
    throw notRead(file, cause);
  });
  const stats = await handle.stat();
  if (stats.size > maxBytes) {
    throw new AgentReplayError('PIN_TOO_LARGE', `${file} is larger than ${inBytes(maxBytes)}.`, {
      location,
      hint: 'Pin fewer turns in one file.',
    });
  }
  // The buffer has the size of the file, so a file that grows meanwhile stays within the limit.
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, bytesRead));
  } catch (cause) {
    const hint = 'Pin the session again, or save the file as UTF-8.';
    throw new AgentReplayError('PIN_INVALID', `${file} is not UTF-8 text.`, { location, hint, cause });
  }
}

function notRead(file: string, cause: NodeJS.ErrnoException): AgentReplayError {
  const isFolder = cause.code === 'EISDIR';
  const hint = isFolder ? `Name the files in it: ${file}/**/*.session.json` : 'Take it out of the pattern.';
  const isOther = cause.code === 'not a regular file';
  const what = isFolder ? 'a folder' : 'not a regular file';
  const message = isFolder || isOther ? `${file} is ${what}.` : `${file} could not be read (${cause.code}).`;
  return new AgentReplayError('PIN_NOT_A_FILE', message, { location: { file }, hint, cause });
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
  pins: readonly Pin[],
  grep: string | undefined,
): Promise<AgentReplayError> {
  if (pins.length > 0) {
    return new AgentReplayError('NO_SESSIONS', `None of ${pins.length} pinned sessions contains "${grep}".`, {
      evidence: pins.slice(0, 5).map(({ session, path }) => `${session.id} (${path})`),
      hint: 'Correct --grep: it looks for a text in id, title and path.',
    });
  }
  const elsewhere = await findSomePins(root, limits);
  return new AgentReplayError('NO_SESSIONS', `No pinned session matches ${patterns.map((p) => `"${p}"`).join(', ')}.`, {
    evidence: [`root: ${root}`, ...elsewhere.map((file) => `there is: ${file}`)],
    hint: elsewhere.length > 0 ? 'Correct the pattern.' : FIRST_PINS,
  });
}

/** For who has recorded nothing yet. */
export const FIRST_PINS =
  'To set it up: start your agent with `agent-replay record`, use it once, and commit the files in replays/. What a tracing platform has recorded: `agent-replay pin`.';

/** File names, and people, do not tell such ids apart. */
function withoutForm(id: string): string {
  return id.normalize('NFC').toLowerCase();
}

function duplicate(pin: Pin, first: Pin): AgentReplayError {
  const [id, known] = [pin.session.id, first.session.id];
  const isSame = id === known;
  const how =
    id.normalize('NFC') === known.normalize('NFC') ? 'the form of their Unicode characters' : 'upper and lower case';
  return new AgentReplayError(
    'PIN_DUPLICATE',
    isSame
      ? `${pin.path} pins session "${id}" again.`
      : `${pin.path} pins session "${id}", which differs from "${known}" only in ${how}.`,
    {
      evidence: [`first in ${first.path}`],
      location: { file: pin.path, ...pin.locate('/id'), pointer: '/id' },
      hint: isSame ? 'Delete one of the two files.' : 'Change the id in one of the two files, or delete one.',
    },
  );
}
