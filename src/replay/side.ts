import { randomBytes } from 'node:crypto';
import { identifiers as identifierSettings } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { Json } from '../json/index.ts';
import { type Attempted, Caller, type Patience } from './caller.ts';
import { Excerpts } from './excerpt.ts';
import type { ReplayLimits } from './limits.ts';
import { Outcomes, withEvidence } from './outcomes.ts';
import { ownHeaders, type PayloadOptions } from './payload.ts';
import { type PlannedCall, planCalls, type ReplayRequests } from './plan.ts';
import type { ReplayCall } from './replay-call.ts';
import type { ReplayMeans } from './replay-means.ts';
import type { ReplayOutcome, ReplayResult } from './replay-result.ts';
import type { Reading } from './response.ts';
import { pause, Replacements } from './retries.ts';
import type { ToolUse } from './stand-in.ts';
import { interrupted, Stop } from './stop.ts';
import { parseTarget } from './target.ts';

export interface CallOfSide extends PlannedCall {
  readonly side: Side;
}

/** Kept of each replay in case its trace changes; small. */
interface Told {
  readonly result: Omit<ReplayResult, 'outcome' | 'replaced'>;
  readonly reading: Pick<Reading, 'response' | 'error'>;
  readonly recordings: PlannedCall['recordings'];
  readonly use: ToolUse | undefined;
}

/** Everything of a replay that belongs to one agent: its calls, their traces, and what became of them. */
export class Side implements AsyncDisposable {
  readonly means: ReplayMeans;
  readonly #stop = new Stop();
  readonly #stopping: Disposable;
  readonly #caller: Caller;
  readonly #outcomes: Outcomes;
  readonly #limits: ReplayLimits;
  readonly #replacements: Replacements;
  readonly #payload: PayloadOptions;
  readonly #uid: string;
  /** Indexes of sessions in run ids, by id. */
  readonly #numbers = new Map<string, number>();
  /** By replay run id. */
  readonly #told = new Map<string, Told>();

  /** @throws AgentReplayError `TARGET_INVALID` */
  constructor(means: ReplayMeans, limits: ReplayLimits, total: AbortSignal) {
    const { settings, signal, crashed, identifiers = identifierSettings.parse({}) } = means;
    const { headers, carrier, retries } = settings;
    const target = parseTarget(means.target);
    this.means = means;
    this.#limits = limits;
    this.#replacements = new Replacements(means.replaces === false ? 0 : retries);
    const excerpts = new Excerpts([...target.secrets, ...Object.values(headers)], means.redact);
    const shared = { limits, excerpts, stop: this.#stop, identifiers };
    this.#caller = new Caller(target, means, shared);
    this.#outcomes = new Outcomes(means, shared);
    this.#payload = { carrier, identifiers, headers: ownHeaders(target, headers) };
    // Starts with a letter, because platforms turn ids that look like numbers into numbers.
    this.#uid = means.uid ?? `r${randomBytes(6).toString('hex')}`;
    this.#stopping = this.#stop.with([signal, crashed, total]);
  }

  planned(session: ReplayRequests): (call: ReplayCall) => CallOfSide {
    const number = this.#numbers.get(session.id) ?? this.#numbers.size + 1;
    this.#numbers.set(session.id, number);
    const { context } = this.means.settings;
    const plan = planCalls(session, { context, payload: this.#payload, uid: `${this.#uid}-${number}` });
    return (call) => ({ ...plan(call), side: this });
  }

  /** Sends a call until it is answered or must not be retried. */
  async attempt(call: PlannedCall, patience: Patience): Promise<Attempted> {
    const attempted = await this.#caller.attempt(call, patience);
    const { session, turn, run } = call;
    if (call.take.before.length === 0 && attempted.callMs !== undefined) {
      this.means.onAnswered?.({ session, turn, run });
    }
    return attempted;
  }

  /** Resolves to false if everything was ended meanwhile. */
  pause(ms: number): Promise<boolean> {
    return pause(ms, this.#stop.signal);
  }

  /** Waits, without a worker, until a take of the session may be made again; false if the take counts as it is. */
  async mayReplace(call: ReplayCall): Promise<boolean> {
    if (this.#stop.reason !== undefined || this.#limits.budget.refusal(call) !== undefined) return false;
    const delay = this.#replacements.delay(call.session);
    return delay !== undefined && this.pause(delay);
  }

  async conclude(call: PlannedCall, attempted: Attempted): Promise<ReplayResult> {
    const { session, turn, run } = call;
    const { came, ...rest } = attempted;
    const { tools, side } = this.means;
    const startedAt = performance.now();
    const use = tools?.use(rest.replayRunId);
    const known: ReplayOutcome =
      came instanceof AgentReplayError
        ? { kind: 'unverified', error: came }
        : await this.#outcomes.of(came, call.recordings, use);
    tools?.end(rest.replayRunId);
    this.means.inFlight?.delete(call);
    if (!(came instanceof AgentReplayError)) {
      for (let attempt = 1; attempt < rest.attempts; attempt++) this.#limits.budget.settle(call, undefined);
      this.#limits.budget.settle(call, known.trace);
    }
    const outcome: ReplayOutcome =
      known.kind === 'unverified' && rest.attempts > 1
        ? { ...known, error: withEvidence(known.error, `attempts: ${rest.attempts}`) }
        : known;
    this.#replacements.saw(outcome);
    const callError = came instanceof AgentReplayError ? undefined : came.reading.error;
    const result = {
      session,
      turn,
      run,
      ...(side && { side }),
      ...rest,
      ...(callError && { callError }),
      ...(outcome.trace && { traceMs: performance.now() - startedAt }),
      ...(use && { tools: use.counts }),
    };
    if (!(came instanceof AgentReplayError) && came.watch !== undefined && came.reading.traced !== 'never') {
      const { response, error } = came.reading;
      const reading = { error, response: response && { ...response, output: shortened(response.output) } };
      this.#told.set(rest.replayRunId, { result, reading, recordings: call.recordings, use });
    }
    return { ...result, outcome };
  }

  forget(replayRunId: string): void {
    this.#told.delete(replayRunId);
  }

  /** Aborted when its calls were ended: no more can be expected of it. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  close(): Promise<void> {
    return this.#caller.end(interrupted());
  }

  /** Of replays whose traces may still change. */
  get replayRunIds(): readonly string[] {
    return [...this.#told.keys()];
  }

  /** Replays whose traces have changed since they were given. */
  async *revised(): AsyncGenerator<ReplayResult, void, undefined> {
    const { source, habits } = this.means;
    const { signal } = this.#stop;
    await this.close();
    if (source?.revised === undefined) return;
    for (const [replayRunId, { result, reading, recordings, use }] of this.#told) {
      const revision = await source.revised(replayRunId, {
        signal,
        habits,
        recordings,
        answers: use?.answers,
      });
      if (revision === undefined) continue;
      const { trace, lateSpans: spans, lastSpans: last } = revision;
      const outcome: ReplayOutcome =
        trace instanceof AgentReplayError
          ? { kind: 'unverified', error: reading.error ?? trace }
          : await this.#outcomes.withTrace(trace, reading, recordings, use, undefined);
      // The error of a failed call has already said it in full.
      if (outcome.kind === 'unverified' && outcome.error.code === reading.error?.code) continue;
      yield { ...result, outcome, late: { spans, last } };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.end(interrupted());
    await this.#caller.end(this.#stop.signal.reason);
    this.#stopping[Symbol.dispose]();
  }
}

/** Characters kept of every answer: enough to recognise it in a trace. */
const KEPT_ANSWER_CHARS = 1_000;

function shortened(output: Json | undefined): Json | undefined {
  if (typeof output === 'string') return output.slice(0, KEPT_ANSWER_CHARS);
  return output !== undefined && JSON.stringify(output).length <= KEPT_ANSWER_CHARS ? output : undefined;
}
