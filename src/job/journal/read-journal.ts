import path from 'node:path';
import type { z } from 'zod';
import { AgentReplayError, type ErrorCode, type SourceLocation } from '../../errors.ts';
import { openFile } from '../../files/index.ts';
import { type Json, JsonError, parseJson, present } from '../../json/index.ts';
import { mistakeLines, PLAINLY } from '../../mistakes.ts';
import type { Problem } from '../../report/index.ts';
import type { Session } from '../../session/index.ts';
import type { Recording } from '../../trace/index.ts';
import { callOf, type Finding } from '../judging/finding.ts';
import type { Judged } from '../judging/judge.ts';
import { JOURNAL_FILE, JOURNAL_VERSION } from '../records/journal-file.ts';
import {
  type JournalEnd,
  type JournalHeader,
  type Line,
  line,
  type Remark,
  type result,
} from '../records/journal-format.ts';
import { wholeLinesOf } from '../records/line-file.ts';
import { startedAt } from '../records/recording-digest.ts';
import type { RunScope } from '../records/run-scope.ts';

/** An incomplete last line is left out. @throws AgentReplayError `INPUT_INVALID` with the line */
export async function readJournal(file: string): Promise<JournalledRun> {
  const run = new JournalledRun(file);
  for await (const text of linesOf(file)) run.add(text);
  if (run.about === undefined) throw empty(file);
  return run;
}

/** The runs of a journal, one after another: folded ones hold several. What cannot be read of one costs no other. */
export async function* readJournals(file: string): AsyncGenerator<JournalledRun | AgentReplayError> {
  let run: JournalledRun | AgentReplayError | undefined;
  let number = 0;
  let isFolded = false;
  try {
    for await (const text of linesOf(file)) {
      if (number === 0) isFolded = text.startsWith(FOLDED);
      if (run === undefined || (isFolded && text.startsWith(HEADER))) {
        if (run !== undefined) yield run;
        run = new JournalledRun(file, number, number + 1);
      }
      number++;
      if (run instanceof JournalledRun) run = added(run, text);
    }
    yield run ?? empty(file);
  } catch (error) {
    if (!(error instanceof AgentReplayError)) throw error;
    yield error;
  }
}

function added(run: JournalledRun, text: string): JournalledRun | AgentReplayError {
  try {
    run.add(text);
    return run;
  } catch (error) {
    if (error instanceof AgentReplayError) return error;
    throw error;
  }
}

/** Of each run only the first line. Only a folded journal is read beyond its own. */
export async function headersOf(
  files: readonly string[],
): Promise<{ shards: Pick<JournalledRun, 'about' | 'file'>[]; problems: AgentReplayError[] }> {
  const runs: (JournalledRun | AgentReplayError)[] = [];
  for (const file of files) {
    let number = 0;
    try {
      for await (const text of linesOf(file)) {
        if (number === 0 || text.startsWith(HEADER))
          runs.push(added(new JournalledRun(file, number, number + 1), text));
        if (number++ === 0 && !text.startsWith(FOLDED)) break;
      }
      if (number === 0) runs.push(empty(file));
    } catch (error) {
      if (!(error instanceof AgentReplayError)) throw error;
      runs.push(error);
    }
  }
  return {
    shards: runs.filter((run) => run instanceof JournalledRun),
    problems: runs.filter((run) => run instanceof AgentReplayError),
  };
}

/** The first line of a journal, if other journals follow in the same file. */
export function asFolded(text: string): string {
  return text.startsWith(FOLDED) ? text : text.replace(HEADER, FOLDED);
}

/** A run, or a shard. */
export class JournalledRun {
  readonly file: string;
  about!: JournalHeader;
  /** Pins of the replayed sessions, by id; in a complete journal those of all sessions. */
  readonly pins = new Map<string, Session>();
  /** The distinct behaviours, by digest. */
  readonly recordings = new Map<string, Recording>();
  readonly failures: { readonly error: AgentReplayError; readonly sessions: readonly string[] }[] = [];
  readonly judgements: Judged[] = [];
  readonly agentLog: string[] = [];
  readonly remarks: Exclude<Remark, { type: 'log' }>[] = [];
  /** Undefined if the journal was cut off, without a reason. */
  end: JournalEnd | undefined;
  /** By session, by call. A replay with a changed trace is written again, and the last entry counts. */
  readonly #results = new Map<string, Map<string, Result>>();
  #number: number;
  readonly #first: number;

  /** @param number of lines before those that are added @param first number of its first line */
  constructor(file: string = JOURNAL_FILE, number: number = 0, first: number = 1) {
    this.file = file;
    this.#number = number;
    this.#first = first;
  }

  /** A session without a pin has no findings. */
  get scope(): RunScope {
    return scopeInHeader(this.about, this.pins);
  }

  *findings(session?: string): Generator<Finding> {
    for (const entry of this.#resultsOf(session)) yield findingFrom(entry, this.recordings);
  }

  /** From the start to the last written result. */
  get lastMs(): number {
    return this.#resultsOf().reduce((last, { atMs }) => Math.max(last, atMs), 0);
  }

  /** Why not everything was done. */
  get reason(): AgentReplayError | undefined {
    return this.end === undefined ? killed() : this.end.reason && errorOf(this.end.reason);
  }

  /** Reads a further line. @throws AgentReplayError `INPUT_INVALID` */
  add(text: string): void {
    this.#number++;
    const place = { file: this.file, line: this.#number };
    const entry = readLine(text, place);
    const isFirst = this.#number === this.#first;
    if (isFirst !== (entry.type === 'journal')) {
      throw invalid(
        place,
        isFirst ? 'its first line is not that of a journal' : 'it holds the first line of a journal twice',
      );
    }
    switch (entry.type) {
      case 'journal':
        this.about = entry;
        break;
      case 'pin':
        this.pins.set(entry.id, entry.session);
        break;
      case 'behaviour':
        this.recordings.set(entry.digest, entry.recording);
        break;
      case 'result':
        if ((entry.error === undefined) !== this.recordings.has(entry.behaviour ?? '')) {
          throw invalid(place, 'it refers to a behaviour that it does not hold');
        }
        this.#results.set(entry.session, (this.#results.get(entry.session) ?? new Map()).set(callOf(entry), entry));
        break;
      case 'failure':
        this.failures.push({ error: errorOf(entry.error), sessions: entry.sessions });
        break;
      case 'judged':
        this.judgements.push(entry);
        break;
      case 'log':
        this.agentLog.push(...entry.lines);
        break;
      case 'base':
      case 'no-base':
      case 'tracing':
        this.remarks.push(entry);
        break;
      case 'end':
        this.end = entry;
    }
  }

  #resultsOf(session?: string): Result[] {
    const meant = session === undefined ? [...this.#results.values()] : [this.#results.get(session)];
    return meant.flatMap((results) => [...(results?.values() ?? [])]);
  }
}

type Result = z.infer<typeof result>;

/**
 * The lines of a journal that say what was found out about one session. Keeps nothing of the others.
 * @param lines reads it from the start
 * @param session as written in the journal
 */
export async function linesAbout(lines: () => AsyncIterable<string>, session: string): Promise<string[]> {
  const results: string[] = [];
  const result = `${RESULT}"session":${JSON.stringify(session)},`;
  for await (const text of lines()) if (text.startsWith(result)) results.push(text);
  const needed = new Set(results.map((text) => REFERENCE.exec(text)?.[1]));
  const behaviours: string[] = [];
  for await (const text of lines()) {
    const digest = BEHAVIOUR.exec(text)?.[1];
    if (digest !== undefined && needed.has(digest)) behaviours.push(text);
  }
  return [...behaviours, ...results];
}

/** The findings in lines of a journal, without its first one. */
export function findingsIn(texts: readonly string[]): Finding[] {
  const run = new JournalledRun(JOURNAL_FILE, 1);
  for (const text of texts) run.add(text);
  return [...run.findings()];
}

function findingFrom(
  { type: _, atMs: __, behaviour: digest, clock, error, callError, warnings, ...told }: Result,
  recordings: ReadonlyMap<string, Recording>,
): Finding {
  const finding = {
    ...told,
    ...present({ callError: callError && errorOf(callError), warnings: warnings?.map(errorOf) }),
  };
  if (error !== undefined) return { ...finding, outcome: { kind: 'unverified', error: errorOf(error) } };
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

/**
 * What was to be found out.
 * @param pins by session. Without its pin, of a session only the numbers are known
 */
export function scopeInHeader(
  { sessions, made: runs, problems }: JournalHeader,
  pins: ReadonlyMap<string, Session> = new Map(),
): RunScope {
  const scoped = sessions.map(({ id, path, title, agentId, turns, own, made = runs, gate, quarantine, problems }) => {
    const unknown = Array.from({ length: Math.max(0, ...turns) }, () => ({ recorded: { observations: [] } }));
    const session = pins.get(id) ?? { version: 1, stepsVersion: 1, id, title, agentId, turns: unknown };
    const alone = { ...(own && { own }), ...(gate && { gate }), ...(quarantine && { quarantine }) };
    return { pin: { path, session }, turns, runs: made, ...alone, problems: problems.map(errorOf) };
  });
  return { sessions: scoped, runs, problems: problems.map(errorOf) };
}

export function errorOf({ code, message, evidence, hint, location }: Problem): AgentReplayError {
  return new AgentReplayError(code as ErrorCode, message, {
    evidence,
    ...present({ hint, location: location as SourceLocation | undefined }),
  });
}

/** How lines of these types begin, so that they are recognised without parsing. */
const HEADER = '{"type":"journal",';
/** Says nothing of the run itself, so it is no part of what is read. */
const FOLDED = `${HEADER}"folded":true,`;
const RESULT = '{"type":"result",';
/** The behaviour of a result. A text of it cannot look so, because its quotation marks are escaped. */
const REFERENCE = /"behaviour":"([0-9a-f]{64})"/;
const BEHAVIOUR = /^\{"type":"behaviour","digest":"([0-9a-f]{64})",/;

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

function empty(file: string): AgentReplayError {
  return invalid({ file, line: 1 }, 'it is empty');
}

/** Without an unfinished last one. @throws AgentReplayError `INPUT_INVALID` */
export async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  try {
    const handle = await openFile(file);
    yield* wholeLinesOf(handle.createReadStream({ encoding: 'utf8' }) as AsyncIterable<string>);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || error instanceof AgentReplayError) throw error;
    throw invalid({ file, line: 1 }, (error as Error).message);
  }
}
