import path from 'node:path';
import { z } from 'zod';
import { type Json, JsonError, parseJson, type Recording, recording } from '../contract/index.ts';
import { AgentReplayError, type ErrorCode, type SourceLocation } from '../errors.ts';
import { problem, signal, type TracingSum, toProblem, tracingSum } from '../report/index.ts';
import { type Session, session } from '../session/index.ts';
import { type RunAbout, type RunSettings, runAbout, runSettings } from './about.ts';
import { notWritable } from './files.ts';
import type { Finding } from './finding.ts';
import { LineFile, wholeLinesOf } from './line-file.ts';
import { scopeOf } from './plan.ts';
import { behaviourDigest, startedAt, startOf } from './recording-digest.ts';
import { redactRecordingTexts, redactSessionTexts, redactTexts } from './redact-texts.ts';
import type { ScopedSession } from './session-progress.ts';
import type { RunPlan } from './shard.ts';

/** Of the output folder. */
export const JOURNAL_FILE = 'journal.ndjson';

/** Version of the journal's format. A file with a higher one is not read. */
const JOURNAL_VERSION = 1;

/** First line: what was to be done, and what by. */
const header = z.object({
  type: z.literal('journal'),
  version: z.literal(JOURNAL_VERSION),
  ...runAbout.shape,
  settings: runSettings,
  /** Of a shard: a digest of what all of them together are to do. */
  whole: z.string().optional(),
  /** Numbers of the runs that were to be made of each turn. */
  made: z.array(z.int().positive()),
  sessions: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      title: z.string().optional(),
      agentId: z.string().optional(),
      /** Turns that were to be replayed. */
      turns: z.array(z.int().positive()),
      problems: z.array(problem),
    }),
  ),
  /** Failures that belong to no session, known before anything was started. */
  problems: z.array(problem),
});
export type JournalHeader = Omit<z.infer<typeof header>, 'type' | 'version'>;

/** @param plan of the run, or of this part of it */
export function journalHeader(about: RunAbout, settings: RunSettings, plan: RunPlan): JournalHeader {
  const scope = scopeOf(plan);
  return {
    ...about,
    settings,
    whole: plan.part?.whole,
    made: [...scope.runs],
    sessions: scope.sessions.map(({ pin, turns, problems }) => {
      const { id, title, agentId } = pin.session;
      return { id, path: pin.path, title, agentId, turns: [...turns], problems: problems.map(toProblem) };
    }),
    problems: scope.problems.map(toProblem),
  };
}

/** Comes before the first result of its session: what results are compared with. */
const pin = z.object({ type: z.literal('pin'), id: z.string(), session });

/** Comes before the first result that refers to it. */
const behaviour = z.object({ type: z.literal('behaviour'), digest: z.string(), recording });

const count = z.number().nonnegative();

const result = z.object({
  type: z.literal('result'),
  session: z.string(),
  turn: z.int().positive(),
  run: z.int().positive(),
  replayRunId: z.string(),
  traceId: z.string().optional(),
  attempts: z.int().positive(),
  callMs: count.optional(),
  traceMs: count.optional(),
  usage: z
    .object({
      inputTokens: count.optional(),
      outputTokens: count.optional(),
      cost: count.optional(),
      models: z.array(z.string()).optional(),
    })
    .optional(),
  /** Since the run was started. */
  atMs: count,
  /** What it did; runs that behaved alike share the recording of the first. */
  behaviour: z.string().optional(),
  /** When this run's own clock began, in milliseconds since 1970; the recording has that of the first. */
  clock: z.number().optional(),
  /** Or why that could not be told. */
  error: problem.optional(),
});

/** Kept sessions from being replayed, or came to an agent on the way. */
const failure = z.object({ type: z.literal('failure'), error: problem, sessions: z.array(z.string()) });

/** The last lines of an agent's output. */
const log = z.object({ type: z.literal('log'), lines: z.array(z.string()) });

/** What reading the traces of one agent took. */
const tracing = z.object({ type: z.literal('tracing'), sum: tracingSum });

/** Last line: what is missing will not come. */
const end = z.object({
  type: z.literal('end'),
  durationMs: count,
  interruptedBy: signal.optional(),
  /** Why it came before everything had been done. */
  reason: problem.optional(),
});
export type JournalEnd = Omit<z.infer<typeof end>, 'type'>;

const line = z.discriminatedUnion('type', [header, pin, behaviour, result, failure, log, tracing, end]);
type Line = z.infer<typeof line>;

export interface JournalOptions {
  /** Told once when the file cannot be written (`OUTPUT_NOT_WRITABLE`); from then on nothing is, and nothing else fails. */
  readonly onError: (error: AgentReplayError) => void;
  /** Replaces secrets in all that comes from outside. */
  readonly redact: (text: string) => string;
}

/**
 * Keeps what a run finds out on the disk, so that a crash loses none of it and the parts of a run can be merged. It
 * grows with the distinct behaviours and with one short line for each replay. Closed with `await using`.
 */
export interface Journal extends AsyncDisposable {
  /** Takes one finding on a pinned session. Resolves when there is room for the next; never rejects. */
  write(finding: Finding, pinned: Session): Promise<void>;
  /** Notes a failure that keeps some sessions, by id, from being replayed. */
  fail(error: AgentReplayError, sessions: readonly string[]): void;
  log(lines: readonly string[]): void;
  traced(sum: TracingSum): void;
  /**
   * Marks the journal as whole. Without it, disposing leaves a journal that was cut.
   * @param pinned all sessions, those that nothing was found out about too
   */
  end(about: JournalEnd, pinned: readonly Session[]): void;
}

/** Starts a journal; one that is there is replaced. Never rejects: see {@link JournalOptions.onError}. */
export async function openJournal(
  file: string,
  about: JournalHeader,
  { onError, redact }: JournalOptions,
): Promise<Journal> {
  const lines = await LineFile.open(file, (error) => onError(notWritable(file, error)));
  const startedMs = Date.parse(about.startedAt);
  const pins = new Set<string>();
  const digests = new Set<string>();
  const put = (entry: Line): void => lines.add(JSON.stringify(entry));
  const foreign = <T>(value: T): T => redactTexts(value, redact);
  const { settings, startedAt: _, ...told } = about;
  put({ type: 'journal', version: JOURNAL_VERSION, ...about, ...foreign(told), settings });
  const putPin = (pinned: Session): void => {
    if (pins.has(pinned.id)) return;
    pins.add(pinned.id);
    const kept = redactSessionTexts(pinned, redact);
    put({ type: 'pin', id: kept.id, session: kept });
  };
  return {
    write: async ({ outcome, replayRunId, ...finding }, pinned) => {
      putPin(pinned);
      const told = { ...finding, session: foreign(finding.session), replayRunId, atMs: Date.now() - startedMs };
      if (outcome.kind === 'inconclusive') {
        put({ type: 'result', ...told, error: foreign(toProblem(outcome.error)) });
      } else {
        const digest = behaviourDigest(outcome.recording);
        if (!digests.has(digest)) {
          digests.add(digest);
          put({ type: 'behaviour', digest, recording: redactRecordingTexts(outcome.recording, redact) });
        }
        put({ type: 'result', ...told, behaviour: digest, clock: startOf(outcome.recording) });
      }
      await lines.room();
    },
    fail: (error, sessions) =>
      put({ type: 'failure', error: foreign(toProblem(error)), sessions: foreign([...sessions]) }),
    traced: (sum) => put({ type: 'tracing', sum }),
    log: (entries) => put({ type: 'log', lines: foreign([...entries]) }),
    end: (ended, pinned) => {
      for (const each of pinned) putPin(each);
      put({ type: 'end', ...ended, ...(ended.reason && { reason: foreign(ended.reason) }) });
    },
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}

/** A run, or a part of one, as its journal tells it. */
export interface JournalledRun {
  readonly file: string;
  readonly about: JournalHeader;
  /** Those of sessions that were replayed, by id; in a journal that is whole those of all of them. */
  readonly pins: ReadonlyMap<string, Session>;
  /** What was to be replayed. Of a session without a pin nothing was found out. */
  sessions(): ScopedSession[];
  /** Failures that belong to no session, known before anything was started. */
  readonly problems: readonly AgentReplayError[];
  /** Of one session, or of all. */
  findings(session?: string): Iterable<Finding>;
  readonly failures: readonly { readonly error: AgentReplayError; readonly sessions: readonly string[] }[];
  readonly agentLog: readonly string[];
  readonly tracing: readonly TracingSum[];
  /** From the start to the last result that was written. */
  readonly lastMs: number;
  /** Undefined when the journal was cut: whatever wrote it ended without a word. */
  readonly end: JournalEnd | undefined;
  /** Why not everything was done, where that is known. */
  readonly reason: AgentReplayError | undefined;
}

/** What journals of one run have in common, by id and digest: it is read and kept once. */
export interface KnownParts {
  readonly pins: Map<string, Session>;
  readonly recordings: Map<string, Recording>;
}

/**
 * Reads a journal back. A last line that is not whole is left out.
 * @param known shared by the journals of one run
 * @throws AgentReplayError `INPUT_INVALID` with the line
 */
export async function readJournal(
  file: string,
  known: KnownParts = { pins: new Map(), recordings: new Map() },
): Promise<JournalledRun> {
  let about: JournalHeader | undefined;
  let ended: JournalEnd | undefined;
  const pins = new Map<string, Session>();
  const recordings = new Map<string, Recording>();
  const results: z.infer<typeof result>[] = [];
  const failures: { error: AgentReplayError; sessions: readonly string[] }[] = [];
  const agentLog: string[] = [];
  const tracing: TracingSum[] = [];
  let number = 0;
  for await (const text of linesOf(file)) {
    number++;
    if (number > 1 && takeKnown(text, known, { pins, recordings })) continue;
    const entry = readLine(text, { file, line: number });
    if ((number === 1) !== (entry.type === 'journal')) {
      throw invalid({ file, line: number }, number === 1 ? 'it does not begin as a journal' : 'it begins once more');
    }
    switch (entry.type) {
      case 'journal':
        about = entry;
        break;
      case 'pin':
        pins.set(entry.id, entry.session);
        known.pins.set(entry.id, entry.session);
        break;
      case 'behaviour':
        recordings.set(entry.digest, entry.recording);
        known.recordings.set(entry.digest, entry.recording);
        break;
      case 'result':
        if ((entry.error === undefined) !== recordings.has(entry.behaviour ?? '')) {
          throw invalid({ file, line: number }, 'it refers to a behaviour that is not there');
        }
        results.push(entry);
        break;
      case 'failure':
        failures.push({ error: errorOf(entry.error), sessions: entry.sessions });
        break;
      case 'log':
        agentLog.push(...entry.lines);
        break;
      case 'tracing':
        tracing.push(entry.sum);
        break;
      case 'end':
        ended = entry;
    }
  }
  if (about === undefined) throw invalid({ file, line: 1 }, 'it is empty');
  const { sessions, problems } = about;
  const bySession = Map.groupBy(results, ({ session }) => session);
  return {
    file,
    about,
    pins,
    sessions: () => sessions.map((told) => scopedSession(told, pins.get(told.id))),
    problems: problems.map(errorOf),
    findings: function* (session) {
      const wanted = session === undefined ? results : (bySession.get(session) ?? []);
      for (const entry of wanted) yield findingFrom(entry, recordings);
    },
    failures,
    agentLog,
    tracing,
    lastMs: results.reduce((last, { atMs }) => Math.max(last, atMs), 0),
    end: ended,
    reason: ended === undefined ? killed() : ended.reason && errorOf(ended.reason),
  };
}

function findingFrom(
  { type: _, atMs: __, behaviour: digest, clock, error, ...finding }: z.infer<typeof result>,
  recordings: ReadonlyMap<string, Recording>,
): Finding {
  if (error !== undefined) return { ...finding, outcome: { kind: 'inconclusive', error: errorOf(error) } };
  const shared = recordings.get(digest as string) as Recording;
  const own = clock === undefined ? shared : startedAt(shared, clock);
  const { traceId = own.traceId } = finding;
  return { ...finding, outcome: { kind: 'replayed', recording: traceId === undefined ? own : { ...own, traceId } } };
}

function killed(): AgentReplayError {
  return new AgentReplayError('INTERRUPTED', 'The run ended without a word before it was over.', {
    hint: 'It was killed, ran out of memory, or its machine went away. What had finished by then is in the report.',
  });
}

function scopedSession(
  { id, path, title, agentId, turns, problems }: JournalHeader['sessions'][number],
  pinned: Session | undefined,
): ScopedSession {
  const unknown = Array.from({ length: Math.max(0, ...turns) }, () => ({ recorded: { observations: [] } }));
  const session = pinned ?? { version: 1, stepsVersion: 1, id, title, agentId, turns: unknown };
  return { pin: { path, session }, turns, problems: problems.map(errorOf) };
}

function errorOf({ code, message, evidence, hint, location }: z.infer<typeof problem>): AgentReplayError {
  return new AgentReplayError(code as ErrorCode, message, {
    evidence,
    ...(hint === undefined ? {} : { hint }),
    ...(location === undefined ? {} : { location: location as SourceLocation }),
  });
}

/** As they are written: the long lines begin with what they are known by. */
const PIN = /^\{"type":"pin","id":("(?:[^"\\]|\\.)*"),/;
const BEHAVIOUR = /^\{"type":"behaviour","digest":"([0-9a-f]{64})",/;

/** Takes over what another journal has brought. @returns false when the line has to be read */
function takeKnown(text: string, known: KnownParts, own: KnownParts): boolean {
  const digest = BEHAVIOUR.exec(text)?.[1];
  const recording = digest && known.recordings.get(digest);
  if (digest && recording) own.recordings.set(digest, recording);
  const quoted = digest === undefined ? PIN.exec(text)?.[1] : undefined;
  const id = quoted && (JSON.parse(quoted) as string);
  const session = id && known.pins.get(id);
  if (id && session) own.pins.set(id, session);
  return recording !== undefined || session !== undefined;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function readLine(text: string, place: Place): Line {
  try {
    const value = parseJson(text);
    const { data, error } = line.safeParse(value);
    if (data !== undefined) return data;
    if (isNewer(value)) throw invalid(place, 'it was written by a newer version of agent-replay');
    const mistakes = error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    throw invalid(place, mistakes.join('; '));
  } catch (error) {
    if (error instanceof JsonError) throw invalid(place, error.message);
    throw error;
  }
}

function isNewer(value: Json): boolean {
  const { type, version } = Object(value) as { type?: Json; version?: Json };
  return type === 'journal' && typeof version === 'number' && version > JOURNAL_VERSION;
}

function invalid(location: Place, reason: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `${path.basename(location.file)} is not a journal that can be read.`, {
    evidence: [reason],
    hint: 'Take the journal as agent-replay wrote it, and the same version of agent-replay or a newer one.',
    location,
  });
}

async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  try {
    yield* wholeLinesOf(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || error instanceof AgentReplayError) throw error;
    throw invalid({ file, line: 1 }, (error as Error).message);
  }
}
