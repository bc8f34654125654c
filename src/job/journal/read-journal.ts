import path from 'node:path';
import type { z } from 'zod';
import { AgentReplayError, type ErrorCode, type SourceLocation } from '../../errors.ts';
import { openFile } from '../../file.ts';
import { type Json, JsonError, parseJson } from '../../json/index.ts';
import { mistakeLines, PLAINLY } from '../../mistakes.ts';
import type { Problem } from '../../report/index.ts';
import type { Session } from '../../session/index.ts';
import type { Recording } from '../../trace/index.ts';
import { callOf, type Finding } from '../judging/finding.ts';
import type { Judged } from '../judging/judge.ts';
import type { PlannedSession, RunScope } from '../judging/run-scope.ts';
import { startedAt } from '../pins/recording-digest.ts';
import { JOURNAL_FILE } from './journal-file.ts';
import {
  JOURNAL_VERSION,
  type JournalEnd,
  type JournalHeader,
  type Line,
  line,
  type Remark,
  type result,
} from './journal-format.ts';
import { wholeLinesOf } from './line-file.ts';

/** A run, or a shard, as read from its journal. */
export interface JournalledRun {
  readonly file: string;
  readonly about: JournalHeader;
  /** Pins of the replayed sessions, by id; in a complete journal those of all sessions. */
  readonly pins: ReadonlyMap<string, Session>;
  /** What was to be replayed. A session without a pin has no findings. */
  sessions(): PlannedSession[];
  /** Failures that belong to no session, known before anything was started. */
  readonly problems: readonly AgentReplayError[];
  /** Of one session, or of all. */
  findings(session?: string): Iterable<Finding>;
  readonly failures: readonly { readonly error: AgentReplayError; readonly sessions: readonly string[] }[];
  readonly judgements: readonly Judged[];
  readonly agentLog: readonly string[];
  /** All but the log. */
  readonly remarks: readonly Exclude<Remark, { type: 'log' }>[];
  /** From the start to the last written result. */
  readonly lastMs: number;
  /** Undefined if the journal was cut off, without a reason. */
  readonly end: JournalEnd | undefined;
  /** Why not everything was done, if known. */
  readonly reason: AgentReplayError | undefined;
}

/** What the journals of one run have in common, by id and digest. It is read and kept once. */
export interface KnownParts {
  readonly pins: Map<string, Session>;
  readonly recordings: Map<string, Recording>;
}

/**
 * Reads a journal. An incomplete last line is left out.
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
  /** A replay with a changed trace is written again, and the last entry counts. */
  const results = new Map<string, z.infer<typeof result>>();
  const failures: { error: AgentReplayError; sessions: readonly string[] }[] = [];
  const judgements: Judged[] = [];
  const agentLog: string[] = [];
  const remarks: Exclude<Remark, { type: 'log' }>[] = [];
  let number = 0;
  for await (const text of linesOf(file)) {
    number++;
    if (number > 1 && takeKnown(text, known, { pins, recordings })) continue;
    const entry = readLine(text, { file, line: number });
    if ((number === 1) !== (entry.type === 'journal')) {
      throw invalid(
        { file, line: number },
        number === 1 ? 'its first line is not that of a journal' : 'it holds the first line of a journal twice',
      );
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
          throw invalid({ file, line: number }, 'it refers to a behaviour that it does not hold');
        }
        results.set(callOf(entry), entry);
        break;
      case 'failure':
        failures.push({ error: errorOf(entry.error), sessions: entry.sessions });
        break;
      case 'judged':
        judgements.push(entry);
        break;
      case 'log':
        agentLog.push(...entry.lines);
        break;
      case 'base':
      case 'no-base':
      case 'tracing':
        remarks.push(entry);
        break;
      case 'end':
        ended = entry;
    }
  }
  if (about === undefined) throw invalid({ file, line: 1 }, 'it is empty');
  const { problems } = about;
  const bySession = Map.groupBy(results.values(), ({ session }) => session);
  return {
    file,
    about,
    pins,
    sessions: () => scopedSessions(about, pins),
    problems: problems.map(errorOf),
    findings: function* (session) {
      const wanted = session === undefined ? results.values() : (bySession.get(session) ?? []);
      for (const entry of wanted) yield findingFrom(entry, recordings);
    },
    failures,
    judgements,
    agentLog,
    remarks,
    lastMs: [...results.values()].reduce((last, { atMs }) => Math.max(last, atMs), 0),
    end: ended,
    reason: ended === undefined ? killed() : ended.reason && errorOf(ended.reason),
  };
}

/**
 * Findings about one session in a journal that is still being written. Keeps nothing of the other sessions.
 * @param lines reads it from the start
 * @param session as written in the journal
 */
export async function findingsIn(lines: () => AsyncIterable<string>, session: string): Promise<Finding[]> {
  const results = new Map<string, z.infer<typeof result>>();
  const place = { file: JOURNAL_FILE, line: 0 };
  for await (const text of lines()) {
    if (!text.startsWith(RESULT)) continue;
    const entry = readLine(text, place) as z.infer<typeof result>;
    if (entry.session === session) results.set(callOf(entry), entry);
  }
  const needed = new Set([...results.values()].map(({ behaviour }) => behaviour));
  const recordings = new Map<string, Recording>();
  for await (const text of lines()) {
    const digest = BEHAVIOUR.exec(text)?.[1];
    if (digest === undefined || !needed.has(digest)) continue;
    const entry = readLine(text, place);
    if (entry.type === 'behaviour') recordings.set(digest, entry.recording);
  }
  return [...results.values()].map((entry) => findingFrom(entry, recordings));
}

function findingFrom(
  { type: _, atMs: __, behaviour: digest, clock, error, callError, warnings, ...told }: z.infer<typeof result>,
  recordings: ReadonlyMap<string, Recording>,
): Finding {
  const finding = {
    ...told,
    ...(callError && { callError: errorOf(callError) }),
    ...(warnings && { warnings: warnings.map(errorOf) }),
  };
  if (error !== undefined) return { ...finding, outcome: { kind: 'inconclusive', error: errorOf(error) } };
  const shared = recordings.get(digest as string) as Recording;
  const own = clock === undefined ? shared : startedAt(shared, clock);
  const { traceId = own.traceId } = finding;
  return { ...finding, outcome: { kind: 'replayed', recording: traceId === undefined ? own : { ...own, traceId } } };
}

function killed(): AgentReplayError {
  return new AgentReplayError('INTERRUPTED', 'The run ended early, and nothing says why.', {
    hint: 'It was killed, ran out of memory, or its machine went away. What had finished by then is in the report.',
  });
}

/** What was to be found out, as far as it is known without pins. */
export function scopeInHeader(header: JournalHeader): RunScope {
  return { sessions: scopedSessions(header), runs: header.made, problems: header.problems.map(errorOf) };
}

function scopedSessions(
  { sessions, made }: JournalHeader,
  pins: ReadonlyMap<string, Session> = new Map(),
): PlannedSession[] {
  return sessions.map((told) => scopedSession(told, made, pins.get(told.id)));
}

function scopedSession(
  { id, path, title, agentId, turns, own, made, quarantine, problems }: JournalHeader['sessions'][number],
  general: readonly number[],
  pinned: Session | undefined,
): PlannedSession {
  const unknown = Array.from({ length: Math.max(0, ...turns) }, () => ({ recorded: { observations: [] } }));
  const session = pinned ?? { version: 1, stepsVersion: 1, id, title, agentId, turns: unknown };
  const alone = { ...(own && { own }), ...(quarantine && { quarantine }) };
  return { pin: { path, session }, turns, runs: made ?? general, ...alone, problems: problems.map(errorOf) };
}

/** Turns a written problem back into an error. */
export function errorOf({ code, message, evidence, hint, location }: Problem): AgentReplayError {
  return new AgentReplayError(code as ErrorCode, message, {
    evidence,
    ...(hint === undefined ? {} : { hint }),
    ...(location === undefined ? {} : { location: location as SourceLocation }),
  });
}

/** How lines of these types begin, so that they are recognised without parsing. */
const RESULT = '{"type":"result",';
const PIN = /^\{"type":"pin","id":("(?:[^"\\]|\\.)*"),/;
const BEHAVIOUR = /^\{"type":"behaviour","digest":"([0-9a-f]{64})",/;

/** Takes over what another journal already contained. @returns false if the line must be parsed */
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
    const { data, error } = line.safeParse(value, PLAINLY);
    if (data !== undefined) return data;
    if (isNewer(value)) throw invalid(place, 'it was written by a newer version of agent-replay');
    const mistakes = mistakeLines(error, 'the line');
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
    const handle = await openFile(file);
    yield* wholeLinesOf(handle.createReadStream({ encoding: 'utf8' }) as AsyncIterable<string>);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || error instanceof AgentReplayError) throw error;
    throw invalid({ file, line: 1 }, (error as Error).message);
  }
}
