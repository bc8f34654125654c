import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Identifiers } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { isPipe, readPipe, readTextFile } from '../../files/index.ts';
import { byTrace, traceFileReader } from '../mapping/trace-file.ts';
import type { Arrival } from '../mapping/trace-record.ts';
import type { ReadApi } from './api.ts';

import type { FilesPlace } from './place.ts';
import { type Asked, recordsApi } from './records-api.ts';

/** What is read in a folder. */
const TRACE_FILE = /\.(json|jsonl|ndjson)$/i;
/** For all files together, which are held in memory while they are read. */
const MAX_BYTES = 512 * 2 ** 20;

interface ReadFile {
  /** Size and time of the last change. */
  readonly state: string;
  readonly arrivals: readonly Arrival[];
}

/**
 * Traces in files, written by a collector or exporter, or exported from elsewhere. A file that is still being written is
 * read again when it has grown.
 */
export function filesApi({
  paths,
  identifiers,
  takesPipes = false,
}: Omit<FilesPlace, 'platform'> & { identifiers?: Identifiers }): ReadApi {
  const reader = traceFileReader({ identifiers });
  let known = new Map<string, ReadFile>();
  let traces: ReturnType<typeof byTrace> = new Map();
  let all: readonly Arrival[] = [];

  const refresh = async (signal: AbortSignal): Promise<void> => {
    const next = new Map<string, ReadFile>();
    let bytes = 0;
    for (const file of (await Promise.all(paths.map(filesAt))).flat()) {
      const stats = await stat(file).catch((error: unknown) => Promise.reject(unreadable(file, error)));
      bytes += stats.size;
      if (bytes > MAX_BYTES) throw tooMuch(paths);
      const isPiped = takesPipes && isPipe(file, stats);
      // A pipe can only be read once.
      const state = isPiped ? 'read' : `${stats.size} ${stats.mtimeMs}`;
      const before = known.get(file);
      const isSame = before?.state === state;
      const text = () => readText(file, isPiped ? { maxBytes: MAX_BYTES - bytes, signal } : undefined);
      next.set(file, isSame ? before : { state, arrivals: arrivalsIn(await text(), file, reader) });
    }
    const hasChanged = next.size !== known.size || [...next].some(([file, content]) => known.get(file) !== content);
    known = next;
    if (!hasChanged) return;
    traces = byTrace([...next.values()].flatMap(({ arrivals }) => arrivals));
    all = [...traces.values()].flatMap((own) => [...own.values()]);
  };

  // What was read when opening stays, except for replays, which are still being written.
  async function* list(asked: Asked, signal: AbortSignal) {
    if (asked.ask === 'check' || asked.ask === 'replays') await refresh(signal);
    yield asked.ask === 'trace' ? [...(traces.get(asked.id)?.values() ?? [])] : all;
  }
  return recordsApi('files', list, { identifiers });
}

/** A file itself, or the trace files of a folder and the folders in it, in order. */
async function filesAt(given: string): Promise<string[]> {
  const stats = await stat(given).catch((error: unknown) => Promise.reject(unreadable(given, error)));
  if (!stats.isDirectory()) return [given];
  const entries = await readdir(given, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && TRACE_FILE.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

async function readText(file: string, pipe: Parameters<typeof readPipe>[1] | undefined): Promise<string> {
  try {
    return await (pipe === undefined ? readTextFile(file) : readPipe(file, pipe));
  } catch (error) {
    throw error instanceof AgentReplayError ? error : unreadable(file, error);
  }
}

/** An unfinished last line is still being written, and is read once complete. */
function arrivalsIn(text: string, file: string, read: (text: string) => Arrival[]): Arrival[] {
  const end = text.lastIndexOf('\n') + 1;
  try {
    return read(text);
  } catch (error) {
    const isWhole = end === 0 || end === text.length;
    if (!(error instanceof AgentReplayError)) throw error;
    if (isWhole) throw located(error, file);
  }
  try {
    return read(text.slice(0, end));
  } catch (error) {
    throw error instanceof AgentReplayError ? located(error, file) : error;
  }
}

function located(error: AgentReplayError, file: string): AgentReplayError {
  const { code, message, evidence, hint, cause } = error;
  return new AgentReplayError(code, message, {
    evidence,
    ...(hint === undefined ? {} : { hint }),
    cause,
    location: { file },
  });
}

function unreadable(file: string, error: unknown): AgentReplayError {
  const { code } = error as NodeJS.ErrnoException;
  return new AgentReplayError('INPUT_INVALID', `${file} could not be read (${code}).`, {
    location: { file },
    hint: 'Give files of traces, or folders that hold them.',
    cause: error,
  });
}

function tooMuch(paths: readonly string[]): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `The trace files are larger than ${MAX_BYTES / 2 ** 20} MiB.`, {
    evidence: paths.map((given) => `read: ${given}`),
    hint: 'Give some of the files only.',
  });
}
