import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Identifiers, sessionOf, type Trace } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import type { Arrival, TraceRecord } from '../mapping/record.ts';
import { byTrace, traceFileReader } from '../mapping/trace-file.ts';
import type { ReadApi, Sighting } from './api.ts';
import type { FilesPlace } from './place.ts';

/** What is read in a folder. */
const TRACE_FILE = /\.(json|jsonl|ndjson|csv)$/i;
/** Of all files together: they are held in memory while they are read. */
const MAX_BYTES = 512 * 2 ** 20;

/** After all times that are written in four digits. */
const END = '9999';

interface ReadFile {
  /** Size and time of the last change. */
  readonly state: string;
  readonly arrivals: readonly Arrival[];
}

/**
 * Traces in files: what a collector or an exporter writes, or what was exported from elsewhere. A file that is still
 * being written is read again when it has grown.
 */
export function filesApi(
  paths: readonly string[],
  { identifiers, onForeign }: { identifiers?: Identifiers | undefined } & Pick<FilesPlace, 'onForeign'>,
): ReadApi {
  let foreign: number[] = [];
  const reader = traceFileReader({ identifiers, onForeign: (line) => foreign.push(line) });
  const told = new Set<string>();
  const readFileAt = (text: string, file: string): Arrival[] => {
    foreign = [];
    const arrivals = arrivalsIn(text, file, reader);
    if (foreign.length > 0 && !told.has(file)) onForeign?.(file, foreign);
    if (foreign.length > 0) told.add(file);
    return arrivals;
  };
  let known = new Map<string, ReadFile>();
  let traces = new Map<string, Map<string, Arrival>>();

  const refresh = async (): Promise<void> => {
    const next = new Map<string, ReadFile>();
    let bytes = 0;
    for (const file of (await Promise.all(paths.map(filesAt))).flat()) {
      const { size, mtimeMs } = await stat(file).catch((error: unknown) => Promise.reject(unreadable(file, error)));
      bytes += size;
      if (bytes > MAX_BYTES) throw tooMuch(paths);
      const state = `${size} ${mtimeMs}`;
      const before = known.get(file);
      const isSame = before?.state === state;
      next.set(file, isSame ? before : { state, arrivals: readFileAt(await readText(file), file) });
    }
    const hasChanged = next.size !== known.size || [...next].some(([file, content]) => known.get(file) !== content);
    known = next;
    if (hasChanged) traces = byTrace([...next.values()].flatMap(({ arrivals }) => arrivals));
  };

  return {
    name: 'files',
    readsPerMinute: Number.POSITIVE_INFINITY,
    marksRoots: false,
    async probe() {
      await refresh();
      return true;
    },
    async sightings({ runIdPrefix }) {
      await refresh();
      return [...traces].flatMap(([traceId, arrivals]): Sighting[] => {
        const runIds = new Set([...arrivals.values()].flatMap(({ replayRunId }) => replayRunId ?? []));
        const observationIds = new Set(arrivals.keys());
        return [...runIds]
          .filter((runId) => runId.startsWith(runIdPrefix))
          .map((replayRunId) => ({
            traceId,
            replayRunId,
            fingerprint: [...observationIds].sort().join('\n'),
            observationIds,
          }));
      });
    },
    async read(traceId) {
      const arrivals = traces.get(traceId);
      return arrivals && { records: recordsOf(arrivals), hasDuplicates: false };
    },
    async tracesOf(sessionId) {
      const heads = [...traces.values()].map(headOf);
      return heads.filter((head) => sessionOf(head, { identifiers }) === sessionId).map(({ id }) => id);
    },
    async *heads({ since, until = END, name }) {
      const heads = [...traces.values()].map(headOf).sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
      for (const head of heads) {
        const isMeant = name === undefined || head.name === name;
        if (head.timestamp >= since && head.timestamp < until && isMeant) yield head;
      }
    },
  };
}

function recordsOf(arrivals: ReadonlyMap<string, Arrival>): TraceRecord[] {
  return [...arrivals.values()].map((arrival) => arrival.record());
}

function headOf(arrivals: ReadonlyMap<string, Arrival>): Trace {
  return { ...assembleTrace(recordsOf(arrivals)), observations: [] };
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

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** A last line without its end is still being written: it is read when it is whole. */
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
