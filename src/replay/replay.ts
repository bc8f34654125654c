import { randomBytes } from 'node:crypto';
import { identifiers as identifierSettings } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { Json } from '../json/index.ts';
import { pause, Replacements } from './attempts.ts';
import { type Attempted, Caller, type Patience } from './caller.ts';
import { Deadline } from './deadline.ts';
import { Excerpts } from './excerpt.ts';
import { ReplayLimits } from './limits.ts';
import { Outcomes, type RecordedEnd, withEvidence } from './outcomes.ts';
import { ownHeaders, type PayloadOptions } from './payload.ts';
import { type PlannedCall, planCalls, type ReplayRequests } from './plan.ts';
import type { ReplayCall } from './replay-call.ts';
import type { ReplayMeans } from './replay-means.ts';
import type { ReplayOutcome, ReplayResult } from './replay-result.ts';
import type { Reading } from './response.ts';
import { lanesOf, Schedule, type Slot } from './schedule.ts';
import type { ToolUse } from './stand-in.ts';
import { interrupted, Stop } from './stop.ts';
import { isSpoiled } from './take.ts';
import { parseTarget, type Target } from './target.ts';
import { TraceWatches } from './trace-watch.ts';

/** Results per worker that may wait to be taken. Beyond it no further call is made. */
const UNTAKEN_PER_WORKER = 2;
/** Calls that wait for their traces; each holds its response. Only traces that come seconds late lead to more. */
const MAX_UNFINISHED = 1_000;

/**
 * Replays sessions: all turns, `runs` times, with `workers` calls at once. Every call gives a result as it finishes, also a
 * failed one. If spans of a replay arrive later, it is given once more when all calls are over (`late`), and that result
 * counts. Breaking out of the iteration ends all calls in flight.
 * @throws AgentReplayError `TARGET_INVALID`
 */
export function replaySessions(sessions: readonly ReplayRequests[], options: ReplayMeans): AsyncIterable<ReplayResult> {
  const target = parseTarget(options.target);
  return { [Symbol.asyncIterator]: () => new Replay(target, options).results(sessions) };
}

/** Kept of each replay in case its trace changes; small. */
interface Told {
  readonly result: Omit<ReplayResult, 'outcome' | 'replaced'>;
  readonly reading: Pick<Reading, 'response' | 'error'>;
  readonly recorded: RecordedEnd;
  readonly use: ToolUse | undefined;
}

/** A session with its index and its number of runs. */
interface Numbered extends ReplayRequests {
  readonly index: number;
  readonly runs: number;
}

class Replay {
  readonly #options: ReplayMeans;
  readonly #stop = new Stop();
  readonly #watches: TraceWatches;
  readonly #caller: Caller;
  readonly #outcomes: Outcomes;
  readonly #limits: ReplayLimits;
  readonly #replacements: Replacements;
  readonly #payload: PayloadOptions;
  readonly #uid: string;
  /** By replay run id. */
  readonly #told = new Map<string, Told>();
  #schedule!: Schedule<PlannedCall>;
  readonly #finished: ReplayResult[] = [];
  #sending = 0;
  #unfinished = 0;
  #news = Promise.withResolvers<void>();
  #defect: { readonly error: unknown } | undefined;
  #isOver = false;

  constructor(target: Target, options: ReplayMeans) {
    const { settings, source, habits, identifiers = identifierSettings.parse({}) } = options;
    const { headers, carrier, retries } = settings;
    this.#options = options;
    this.#watches = new TraceWatches({ source, habits });
    this.#limits = options.limits ?? new ReplayLimits(settings);
    this.#replacements = new Replacements(options.replaces === false ? 0 : retries);
    const excerpts = new Excerpts([...target.secrets, ...Object.values(headers)], options.redact);
    const means = { limits: this.#limits, excerpts, watches: this.#watches, stop: this.#stop, identifiers };
    this.#caller = new Caller(target, options, means);
    this.#outcomes = new Outcomes(options, means);
    this.#payload = { carrier, identifiers, headers: ownHeaders(target, headers) };
    // Starts with a letter, because platforms turn ids that look like numbers into numbers.
    this.#uid = options.uid ?? `r${randomBytes(6).toString('hex')}`;
    this.#stop.signal.addEventListener('abort', () => this.#watches.stop(this.#stop.signal.reason), { once: true });
  }

  async *results(sessions: readonly ReplayRequests[]): AsyncGenerator<ReplayResult, void, undefined> {
    const { settings, byRound, signal, crashed } = this.#options;
    const numbered = sessions.map((session, index) => ({ ...session, index, runs: session.runs ?? settings.runs }));
    this.#schedule = new Schedule(lanesOf(numbered, { ...settings, byRound }, this.#planned));
    using total = new Deadline(settings.timeouts.total);
    using _ = this.#stop.with([signal, crashed, total.signal]);
    total.start();
    try {
      do yield* this.#untilFinished();
      while (await this.#scheduleFurther(numbered));
      yield* this.#revised();
    } finally {
      // Also runs when the consumer breaks out: no call stays in flight.
      this.#isOver = true;
      this.#stop.end(interrupted());
      await this.#caller.end(this.#stop.signal.reason);
    }
  }

  readonly #planned = (session: Numbered): ((call: ReplayCall) => PlannedCall) => {
    const { context } = this.#options.settings;
    return planCalls(session, { context, payload: this.#payload, uid: `${this.#uid}-${session.index + 1}` });
  };

  /** @returns whether there are further runs */
  async #scheduleFurther(sessions: readonly Numbered[]): Promise<boolean> {
    const further = this.#stop.reason === undefined ? ((await this.#options.further?.()) ?? []) : [];
    const meant = further.flatMap(({ session: id, turns: wanted, from, to: runs }) =>
      sessions
        .filter((session) => session.id === id)
        .map((session) => ({
          ...session,
          from,
          runs,
          turns: session.turns.filter(({ turn }) => wanted.includes(turn)),
        })),
    );
    this.#schedule = new Schedule(lanesOf(meant, this.#options.settings, this.#planned));
    return further.length > 0;
  }

  /** Sends scheduled calls and yields results as they finish, until none is in flight. */
  async *#untilFinished(): AsyncGenerator<ReplayResult, void, undefined> {
    for (;;) {
      this.#fill();
      if (this.#defect !== undefined) throw this.#defect.error;
      const result = this.#finished.shift();
      if (result !== undefined) {
        this.#forget(result);
        yield result;
      } else if (this.#unfinished === 0) {
        return;
      } else {
        await this.#news.promise;
        this.#news = Promise.withResolvers();
      }
    }
  }

  /** Traces of replaced calls count for nothing. */
  #forget(result: ReplayResult): void {
    for (const { replayRunId } of result.replaced ?? []) this.#told.delete(replayRunId);
    if (isSpoiled(result)) this.#told.delete(result.replayRunId);
  }

  /** Sends calls while workers are free and results are being taken. */
  #fill(): void {
    if (this.#isOver) return;
    const { skip = () => false, settings } = this.#options;
    const { workers } = settings;
    const isFull = () =>
      this.#sending >= workers ||
      this.#unfinished >= MAX_UNFINISHED ||
      this.#finished.length >= workers * UNTAKEN_PER_WORKER;
    while (!isFull()) {
      const slot = this.#schedule.next();
      if (slot === undefined) return;
      if (skip(slot.call)) this.#skip(slot);
      else void this.#start(slot);
    }
  }

  #skip(slot: Slot<PlannedCall>): void {
    const { take } = slot.call;
    take.drop();
    if (take.isWhole) this.#finished.push(...take.results());
    this.#schedule.release(slot);
  }

  async #start(slot: Slot<PlannedCall>): Promise<void> {
    this.#sending++;
    this.#unfinished++;
    try {
      const attempted = await this.#caller.attempt(slot.call, this.#patience);
      this.#release(slot);
      const { session, turn, run, take } = slot.call;
      const isFirst = take.before.length === 0;
      if (isFirst && attempted.callMs !== undefined) this.#options.onAnswered?.({ session, turn, run });
      take.add(slot.call, await this.#conclude(slot.call, attempted));
      if (take.isWhole) await this.#settle(slot);
    } catch (error) {
      // Not a failed call: the caller's own `skip` threw, or this is a defect.
      this.#defect ??= { error };
    }
    this.#unfinished--;
    this.#news.resolve();
  }

  /** Other calls are sent while one waits for its next attempt. */
  readonly #patience: Patience = async (ms) => {
    this.#sending--;
    this.#fill();
    const goesOn = await pause(ms, this.#stop.signal);
    this.#sending++;
    return goesOn;
  };

  #release(slot: Slot<PlannedCall>): void {
    this.#sending--;
    this.#schedule.release(slot);
    this.#fill();
  }

  async #settle(slot: Slot<PlannedCall>): Promise<void> {
    const { take } = slot.call;
    if (take.hadHiccup && (await this.#mayReplace(slot.call))) {
      this.#schedule.append(
        slot,
        take.calls.map((call) => call.again(take)),
      );
      this.#fill();
    } else this.#finished.push(...take.results());
  }

  /** Waits, without a worker, until a take of the session may be made again; false if the take counts as it is. */
  async #mayReplace(call: ReplayCall): Promise<boolean> {
    if (this.#stop.reason !== undefined || this.#limits.budget.refusal(call) !== undefined) return false;
    const delay = this.#replacements.delay(call.session);
    return delay !== undefined && pause(delay, this.#stop.signal);
  }

  async #conclude(call: PlannedCall, attempted: Attempted): Promise<ReplayResult> {
    const { session, turn, run } = call;
    const { came, ...rest } = attempted;
    const startedAt = performance.now();
    const use = this.#options.tools?.use(rest.replayRunId);
    const known: ReplayOutcome =
      came instanceof AgentReplayError
        ? { kind: 'inconclusive', error: came }
        : await this.#outcomes.of(came, call, use);
    this.#options.tools?.end(rest.replayRunId);
    if (!(came instanceof AgentReplayError)) {
      for (let attempt = 1; attempt < rest.attempts; attempt++) this.#limits.budget.settle(call, undefined);
      this.#limits.budget.settle(call, known.trace);
    }
    const outcome: ReplayOutcome =
      known.kind === 'inconclusive' && rest.attempts > 1
        ? { ...known, error: withEvidence(known.error, `attempts: ${rest.attempts}`) }
        : known;
    this.#replacements.saw(outcome);
    const callError = came instanceof AgentReplayError ? undefined : came.reading.error;
    const result = {
      ...{ session, turn, run, ...rest },
      ...(callError && { callError }),
      ...(outcome.trace && { traceMs: performance.now() - startedAt }),
      ...(use && { tools: use.counts }),
    };
    if (!(came instanceof AgentReplayError) && came.watch !== undefined && came.reading.traced !== 'never') {
      const { response, error } = came.reading;
      const { endedInError, providerFailed } = call;
      const reading = { error, response: response && { ...response, output: shortened(response.output) } };
      this.#told.set(rest.replayRunId, { result, reading, recorded: { endedInError, providerFailed }, use });
    }
    return { ...result, outcome };
  }

  /** Replays whose traces have changed since they were given. */
  async *#revised(): AsyncGenerator<ReplayResult, void, undefined> {
    const { source, habits, settle } = this.#options;
    const { signal } = this.#stop;
    // An agent that shuts down gracefully waits for open connections.
    await this.#caller.end(interrupted());
    if (!signal.aborted) await settle?.([...this.#told.keys()], signal);
    if (source?.revised === undefined) return;
    for (const [replayRunId, { result, reading, recorded, use }] of this.#told) {
      const revision = await source.revised(replayRunId, { signal, habits });
      if (revision === undefined) continue;
      const { trace, lateSpans: spans, lastSpans: last } = revision;
      const outcome: ReplayOutcome =
        trace instanceof AgentReplayError
          ? { kind: 'inconclusive', error: reading.error ?? trace }
          : await this.#outcomes.withTrace(trace, reading, recorded, use, undefined);
      // The error of a failed call has already said it in full.
      if (outcome.kind === 'inconclusive' && outcome.error.code === reading.error?.code) continue;
      yield { ...result, outcome, late: { spans, last } };
    }
  }
}

/** Characters kept of every answer: enough to recognise it in a trace. */
const KEPT_ANSWER_CHARS = 1_000;

function shortened(output: Json | undefined): Json | undefined {
  if (typeof output === 'string') return output.slice(0, KEPT_ANSWER_CHARS);
  return output !== undefined && JSON.stringify(output).length <= KEPT_ANSWER_CHARS ? output : undefined;
}
