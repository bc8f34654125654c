import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { AgentReplayError } from '../errors.ts';
import { foldersFrom, isTemporaryName, notWritable, readTextFile, replaceFile } from '../files/index.ts';
import type { Json } from '../json/index.ts';
import { sealed } from '../redaction/index.ts';
import { formatJson, pinText } from './format.ts';
import { parsePin } from './parse.ts';
import { isInside, outside, toPosix } from './place.ts';
import type { PinnedTurn, Session } from './schema.ts';

const EXTENSION = '.session.json';

interface SaveOptions {
  /** Relative to the root; made if missing. */
  readonly dir: string;
  /** With or without `.session.json`; derived from the session's id if absent. */
  readonly name?: string;
  /** Nothing is written outside of this folder. */
  readonly root: string;
  /** Replaces a pin that already exists. */
  readonly overwrite: boolean;
}

/**
 * Writes a pinned session in one step, even if others write at the same time.
 * @returns its path relative to the root, with forward slashes
 * @throws AgentReplayError `PIN_OUTSIDE_ROOT`, `PIN_EXISTS`, `PIN_NOT_A_FILE`, `PIN_NEWER_VERSION`, `PIN_INVALID`,
 * `INPUT_INVALID` (the name), `OUTPUT_NOT_WRITABLE`
 */
export async function savePin(session: Session, options: SaveOptions): Promise<string> {
  const name = options.name === undefined ? fileNameFor(session.id) : checkedName(options.name);
  const root = await realpath(options.root);
  try {
    const dir = await makeFolder(path.resolve(root, options.dir), root);
    const file = path.join(dir, name);
    const relative = toPosix(path.relative(root, file));
    await checkTarget(file, relative, options.overwrite);
    const $schema = session.$schema ?? (await schemaReference(dir, root));
    await writePin(file, checkedPinText({ ...session, $schema }, relative), options.overwrite).catch((error) => {
      throw error.code === 'EEXIST' ? exists(relative) : error;
    });
    return relative;
  } catch (error) {
    throw writeError(error, toPosix(path.join(options.dir, name)));
  }
}

/** Replaces the pin in a file. @param file relative to the root @throws as {@link savePin} */
export function replacePin(session: Session, file: string, root: string): Promise<string> {
  return savePin(session, { root, dir: path.dirname(file), name: path.basename(file), overwrite: true });
}

/** A pin that is there already. */
export interface PresentPin {
  /** From the root, with slashes. */
  readonly file: string;
  readonly session: Session;
  /** A session that replaces it, with what no trace holds: notes, and further recordings of unchanged turns. */
  updatedTo(session: Session): Session;
  changesTo(session: Session): ReturnType<typeof pinChanges>;
}

/**
 * The pin at the place where a session with this id or name would be saved; undefined if there is none.
 * @throws AgentReplayError `PIN_*` if a file there cannot be read as a pin
 */
export async function presentPin(
  id: string,
  { dir, root, name }: Pick<SaveOptions, 'dir' | 'root' | 'name'>,
): Promise<PresentPin | undefined> {
  const file = toPosix(path.join(dir, name === undefined ? fileNameFor(id) : checkedName(name)));
  const text = await readTextFile(path.resolve(root, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw writeError(error, file);
  });
  if (text === undefined) return undefined;
  const read = parsePin(text, file);
  if ('problems' in read) throw read.problems[0];
  const { session } = read;
  return {
    file,
    session,
    updatedTo: (another) => updatedPin(another, session),
    changesTo: (another) => pinChanges(session, another),
  };
}

function updatedPin(session: Session, present: Session): Session {
  const baselines = new Map(present.turns.map(({ recorded, baselines }) => [recorded.traceId, baselines]));
  const updated: Session = {
    ...session,
    ...(present.$schema === undefined ? {} : { $schema: present.$schema }),
    ...(present.notes === undefined ? {} : { notes: present.notes }),
    turns: session.turns.map((turn) => {
      const kept = turn.recorded.traceId === undefined ? undefined : baselines.get(turn.recorded.traceId);
      return kept === undefined || turn.baselines !== undefined ? turn : { ...turn, baselines: kept };
    }),
  };
  return asRead(updated, fileNameFor(session.id));
}

/**
 * Known keys in the order of the schema, free values (inputs, outputs, arguments) as recorded.
 * @throws AgentReplayError `PIN_INVALID` if it could not be read back
 */
export function checkedPinText(session: Session, file: string): string {
  return pinText(asRead(session, file));
}

/** A session as it is after writing and reading it. */
function asRead(session: Session, file: string): Session {
  const read = parsePin(pinText(session), file);
  if ('problems' in read) throw read.problems[0];
  return read.session;
}

/** @returns the real path of the folder */
async function makeFolder(dir: string, root: string): Promise<string> {
  if (!isInside(dir, root) || !isInside(await nearestRealFolder(dir), root)) throw outside(dir, root);
  await mkdir(dir, { recursive: true });
  const real = await realpath(dir);
  if (!isInside(real, root)) throw outside(dir, root);
  return real;
}

async function nearestRealFolder(dir: string): Promise<string> {
  try {
    return await realpath(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path.dirname(dir) === dir) throw error;
    return nearestRealFolder(path.dirname(dir));
  }
}

async function checkTarget(file: string, relative: string, overwrite: boolean): Promise<void> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats === undefined) return;
  const location = { file: relative };
  if (!stats.isFile()) {
    const hint = 'Move what is there, or pin under another name.';
    throw new AgentReplayError('PIN_NOT_A_FILE', `${relative} exists and is not a regular file.`, { location, hint });
  }
  if (!overwrite) throw exists(relative);
  const present = parsePin(await readTextFile(file), relative);
  const newer = 'problems' in present && present.problems.find(({ code }) => code === 'PIN_NEWER_VERSION');
  if (newer) throw newer;
}

async function writePin(file: string, text: string, overwrite: boolean): Promise<void> {
  await sweep(path.dirname(file));
  await replaceFile(file, sealed(file, text), { isNew: !overwrite, flush: true });
}

/** Writing a pin takes milliseconds, so an older file was left by a killed process. */
const ABANDONED_MS = 60_000;
const swept = new Set<string>();

/** Done once per folder. */
async function sweep(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!isTemporaryName(name)) continue;
    const left = path.join(folder, name);
    const { mtimeMs = Date.now() } = (await lstat(left).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(left, { force: true }).catch(() => {});
  }
}

/** The path from the pin to the schema for editors: that of the installed package, or of this one if it lies in the project. */
async function schemaReference(dir: string, root: string): Promise<string | undefined> {
  const schema = path.join('schema', 'session.schema.json');
  const upTo = (from: string) => foldersFrom(from).filter((folder) => isInside(folder, root));
  const candidates = [
    ...upTo(dir).map((folder) => path.join(folder, 'node_modules', 'agent-replay', schema)),
    ...upTo(import.meta.dirname).map((folder) => path.join(folder, schema)),
  ];
  for (const candidate of candidates) {
    if (await lstat(candidate).catch(() => undefined)) return toPosix(path.relative(dir, candidate));
  }
  return undefined;
}

/** Names that Windows keeps for devices, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** Leaves room below the 255 bytes of common file systems, even with letters of four bytes. */
const MAX_NAME_CHARS = 50;
const HASH_CHARS = 8;

/** The same for the same id, and different for different ids, however odd they are. */
export function fileNameFor(id: string): string {
  const readable = id
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]{1,1000}/gu, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
  const cut = [...readable].slice(0, MAX_NAME_CHARS).join('');
  if (cut === id && cut !== '' && !RESERVED.test(cut)) return `${cut}${EXTENSION}`;
  const hash = createHash('sha256').update(id, 'utf16le').digest('hex').slice(0, HASH_CHARS);
  return `${cut === '' || RESERVED.test(cut) ? 'session' : cut}-${hash}${EXTENSION}`;
}

function checkedName(name: string): string {
  const file = name.endsWith('.json') ? name : `${name}${EXTENSION}`;
  const plain = !/[\\/:\0-\x1f]/.test(file) && !file.startsWith('.') && !RESERVED.test(file);
  if (plain && Buffer.byteLength(file) <= 255) return file;
  throw new AgentReplayError('INPUT_INVALID', `"${name.slice(0, 100)}" cannot be the name of a pin.`, {
    hint: 'Use letters, digits, - and _; the folder is a separate setting.',
  });
}

function writeError(error: unknown, file: string): unknown {
  const isOfSystem = (error as NodeJS.ErrnoException).code !== undefined;
  return isOfSystem ? notWritable(file, error, 'name another folder') : error;
}

function exists(file: string): AgentReplayError {
  return new AgentReplayError('PIN_EXISTS', `${file} already exists.`, {
    location: { file },
    hint: 'Use --update to replace it.',
  });
}

/** What differs, one fact per line: `turn 2: the request, the steps`; undefined if nothing does. */
function pinChanges(before: Session, after: Session): readonly string[] | undefined {
  if (pinText(before) === pinText(after)) return undefined;
  const count = Math.max(before.turns.length, after.turns.length);
  const turns = Array.from({ length: count }, (_, index) => {
    const [old, young] = [before.turns[index], after.turns[index]];
    if (old === undefined) return [`turn ${index + 1} is new`];
    if (young === undefined) return [`turn ${index + 1} is gone`];
    const parts = partsThatDiffer(old, young);
    return parts.length === 0 ? [] : [`turn ${index + 1}: ${parts.join(', ')}`];
  }).flat();
  return turns.length > 0 ? turns : ['what is said of the session as a whole'];
}

function partsThatDiffer(old: PinnedTurn, young: PinnedTurn): string[] {
  const parts: readonly (readonly [string, (turn: PinnedTurn) => unknown])[] = [
    ['the request', ({ request }) => request],
    ['the output', ({ recorded }) => recorded.output],
    ['the steps', ({ recorded }) => recorded.observations],
    ['its usage', ({ recorded }) => recorded.usage],
    ['where it came from', ({ recorded, metadata }) => [recorded.traceId ?? null, metadata ?? null]],
    ['the further recordings', ({ baselines }) => baselines],
  ];
  const isSame = (part: (turn: PinnedTurn) => unknown) =>
    formatJson((part(old) ?? null) as Json) === formatJson((part(young) ?? null) as Json);
  return parts.flatMap(([name, part]) => (isSame(part) ? [] : [name]));
}
