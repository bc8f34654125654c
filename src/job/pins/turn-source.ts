import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Identifiers, TurnRequest } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { isPipe, readPipe, readTextFile } from '../../files/index.ts';
import { isJsonObject, type Json, jsonIn } from '../../json/index.ts';
import { redactRecording } from '../../redaction/index.ts';
import { parsePin, recordingOf, type Session } from '../../session/index.ts';
import { type Recording, recording, type Trace } from '../../trace/index.ts';
import { tracesFromOtlp } from '../../tracing/index.ts';
import type { ReplayedBehaviour } from '../judging/session-progress.ts';

/** One turn of a source: the original first, then further recordings. */
export interface SourceTurn {
  /** From 1. */
  readonly turn: number;
  readonly recordings: readonly [Recording, ...Recording[]];
  readonly request?: TurnRequest | undefined;
  /** For a behaviour that a run kept. */
  readonly cluster?: number | undefined;
}

export interface TurnSource {
  /** The name that the user gave. */
  readonly name: string;
  readonly kind: 'pin' | 'behaviours' | 'traces';
  /** Id of the session; a trace may lack it. */
  readonly session?: string | undefined;
  readonly turns: readonly SourceTurn[];
  /** How they were redacted; undefined if unknown. */
  readonly redacted: Session['redacted'];
}

/** A behaviour as a run writes it to `traces/`. */
const behaviour = z.object({
  session: z.string(),
  turn: z.int().positive(),
  cluster: z.int().nonnegative(),
  runs: z.array(z.int().positive()),
  recording,
}) satisfies z.ZodType<ReplayedBehaviour>;

/** Reads one trace from where sessions are recorded; undefined if it does not exist. */
type ReadTrace = (id: string) => Promise<Trace | undefined>;

interface ReadOptions {
  readonly identifiers?: Identifiers;
  readonly readTrace?: ReadTrace | undefined;
}

/**
 * Reads two sides to compare: each a pin, an OTLP/JSON file, a behaviour that a run kept, a run's output folder, or a trace by
 * id. Of an output folder with several sessions, takes the one of the other side. Redacts both sides alike: otherwise nothing
 * could be compared.
 * @throws AgentReplayError `INPUT_INVALID`, `TRACE_INVALID`, `PIN_...`, `USAGE`, and errors of `readTrace`
 */
export async function readSides(one: string, other: string, options: ReadOptions): Promise<[TurnSource, TurnSource]> {
  const [left, right] = await readBoth(one, other, options);
  const redacted = left.redacted ?? right.redacted;
  return [redactedAs(left, redacted), redactedAs(right, redacted)];
}

async function readBoth(one: string, other: string, options: ReadOptions): Promise<[TurnSource, TurnSource]> {
  const first = await readTurns(one, options).catch((error) => error as Error);
  if (!(first instanceof Error)) return [first, await readTurns(other, { ...options, session: first.session })];
  const isOfMany = first instanceof AgentReplayError && first.code === 'USAGE';
  const second = isOfMany ? await readTurns(other, options).catch(() => undefined) : undefined;
  if (second?.session === undefined) throw first;
  return [await readTurns(one, { ...options, session: second.session }), second];
}

function redactedAs(side: TurnSource, redacted: Session['redacted']): TurnSource {
  const turns = side.turns.map(({ recordings: [first, ...others], ...turn }): SourceTurn => {
    const redact = (each: Recording) => redactRecording(each, redacted);
    return { ...turn, recordings: [redact(first), ...others.map(redact)] };
  });
  return { ...side, turns };
}

/** @param options.session which session of an output folder, if it has several */
async function readTurns(
  file: string,
  options: ReadOptions & { readonly session?: string | undefined },
): Promise<TurnSource> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) return fromPlatform(file, options.readTrace);
  if (stats.isDirectory()) return fromBehaviours(file, await readBehaviours(file), options.session);
  const text = await readText(file, isPipe(file, stats));
  // Exports with one trace per line are not JSON as a whole.
  const value = jsonIn(text);
  if (isJsonObject(value) && 'turns' in value) return fromPin(text, file);
  if (isJsonObject(value) && 'recording' in value) return fromBehaviours(file, [behaviourIn(value, file)], undefined);
  const traces = tracesFromOtlp(text, options).toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  if (traces.length === 0)
    throw new AgentReplayError('TRACE_INVALID', `${file} holds no trace.`, { location: { file } });
  const turns = traces.map((trace, index): SourceTurn => ({ turn: index + 1, recordings: [recordingOf(trace)] }));
  return { name: file, kind: 'traces', turns, redacted: undefined };
}

async function fromPlatform(id: string, readTrace: ReadTrace | undefined): Promise<TurnSource> {
  if (!TRACE_ID.test(id) || readTrace === undefined) throw missing(id);
  const trace = await readTrace(id);
  if (trace === undefined) {
    throw new AgentReplayError('INPUT_INVALID', `The platform has no trace ${id}.`, {
      hint: 'Check the id, and that the keys are those of its project.',
    });
  }
  return { name: id, kind: 'traces', turns: [{ turn: 1, recordings: [recordingOf(trace)] }], redacted: undefined };
}

/** @throws AgentReplayError `INPUT_INVALID` */
export async function readBehaviours(outputDir: string): Promise<ReplayedBehaviour[]> {
  const folder = path.basename(outputDir) === 'traces' ? outputDir : path.join(outputDir, 'traces');
  const files = await readdir(folder).catch(() => []);
  const kept = files
    .filter((name) => name.endsWith('.json') && !name.endsWith('.recorded.json'))
    .map((name) => path.join(folder, name));
  return Promise.all(kept.map(async (file) => behaviourIn(jsonIn(await readText(file)), file)));
}

function fromPin(text: string, file: string): TurnSource {
  const parsed = parsePin(text, file);
  if ('problems' in parsed) throw parsed.problems[0];
  const { id, turns, redacted } = parsed.session;
  const sources = turns.map(({ recorded, baselines = [], request }, index): SourceTurn => {
    return { turn: index + 1, recordings: [recorded, ...baselines], request };
  });
  return { name: file, kind: 'pin', session: id, turns: sources, redacted };
}

function fromBehaviours(
  name: string,
  behaviours: readonly ReplayedBehaviour[],
  wanted: string | undefined,
): TurnSource {
  const sessions = new Set(behaviours.map(({ session }) => session));
  const session = wanted ?? [...sessions][0];
  const own = behaviours.filter((each) => each.session === session);
  if (own.length === 0) {
    throw new AgentReplayError(
      'INPUT_INVALID',
      `${name} holds no behaviour${wanted === undefined ? '' : ` of ${wanted}`}.`,
      {
        hint: 'Give the output folder of a run of that session, such as .agent-replay.',
      },
    );
  }
  if (wanted === undefined && sessions.size > 1) {
    throw new AgentReplayError('USAGE', `${name} holds several sessions.`, {
      evidence: [...sessions].sort(),
      hint: 'Name one file of its traces folder, or compare the folder with a pin.',
    });
  }
  const turns = own
    .toSorted((a, b) => a.turn - b.turn || a.cluster - b.cluster)
    .map(({ turn, cluster, recording }): SourceTurn => ({ turn, cluster, recordings: [recording] }));
  return { name, kind: 'behaviours', session, turns, redacted: undefined };
}

function behaviourIn(value: Json | undefined, file: string): ReplayedBehaviour {
  const parsed = behaviour.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AgentReplayError('INPUT_INVALID', `${file} is not a behaviour that a run has kept.`, {
    location: { file },
    hint: 'Give the files of the traces folder unchanged.',
  });
}

/** More than this no text of a file can be. */
const MAX_PIPED_BYTES = 512 * 2 ** 20;

/** W3C ids, or UUIDs as platforms made them before. */
const TRACE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

async function readText(file: string, isPiped = false): Promise<string> {
  try {
    return await (isPiped ? readPipe(file, { maxBytes: MAX_PIPED_BYTES }) : readTextFile(file));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new AgentReplayError('INPUT_INVALID', `${file} could not be read (${code}).`, { location: { file }, cause });
  }
}

function missing(file: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `There is no ${file}.`, {
    location: { file },
    hint: 'Give a pin, a file of OTLP/JSON traces, a file of the traces folder of a run, or the id of a trace.',
  });
}
