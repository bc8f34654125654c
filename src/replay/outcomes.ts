import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import { endedInError, type Trace } from '../trace/index.ts';
import type { CallerMeans } from './caller.ts';
import type { Excerpts } from './excerpt.ts';
import type { PlannedCall } from './plan.ts';
import { type ProviderFailure, providerFailure } from './provider-failure.ts';
import type { ReplayMeans } from './replay-means.ts';
import type { ReplayOutcome } from './replay-result.ts';
import type { Reading } from './response.ts';
import { pause } from './retries.ts';
import type { ToolUse } from './stand-in.ts';
import type { TraceWatch } from './trace-watch.ts';

/** A refused call seldom leaves a trace; if there is one, it arrives soon. */
const REFUSAL_TRACE_MS = 1_000;
/** Lines of the agent's output that are quoted beside the answer of a failed call. */
const QUOTED_LOG_LINES = 5;
/** Of so many last ones. Where an error was thrown says less than what it says. */
const READ_LOG_LINES = 50;
const STACK_FRAME = /^\s+at /;
/** Of a line that is not part of what is printed before it. */
const BEGINNING = /^[^\s\]})]/;
/** An agent may print the reason for a failed call a moment after its answer, because output travels through two pipes. */
const PRINTED_LATE_MS = 200;

type Came = Pick<Reading, 'response' | 'error'>;

type OutcomeMeans = Pick<CallerMeans, 'excerpts' | 'stop'>;

/** Decides the outcome of each call from its answer and its trace. */
export class Outcomes {
  readonly #options: ReplayMeans;
  readonly #means: OutcomeMeans;

  constructor(options: ReplayMeans, means: OutcomeMeans) {
    this.#options = options;
    this.#means = means;
  }

  async of(
    { reading, watch }: { reading: Reading; watch: TraceWatch | undefined },
    recordings: PlannedCall['recordings'],
    use: ToolUse | undefined,
  ): Promise<ReplayOutcome> {
    const { error, traced, spans } = reading;
    // An answer after such an end is not a failed call.
    const isEnded = use !== undefined && use.missed.length > 0;
    const failed = isEnded ? undefined : error;
    const lastWords = failed === undefined ? undefined : this.#lastWords();
    try {
      if (failed !== undefined && (watch === undefined || traced === 'never')) throw failed;
      if (watch === undefined) return { kind: 'replayed', response: reading.response, trace: null };
      const { trace: traceMs } = this.#options.settings.timeouts;
      const limitMs = traced === 'seldom' && !isEnded ? Math.min(REFUSAL_TRACE_MS, traceMs) : traceMs;
      const trace = await watch.complete(error === undefined ? 'answered' : 'broken', limitMs, {
        announced: () => spans,
        answers: use?.answers,
      });
      return await this.withTrace(trace, reading, recordings, use, lastWords);
    } catch (failure) {
      // If everything was being ended, that is the reason for whatever broke meanwhile.
      const missing = this.#means.stop.reason ?? asAgentReplayError(failure);
      if (failed === undefined || missing === this.#means.stop.reason) return { kind: 'unverified', error: missing };
      const why = missing === failed ? [] : [`trace: ${missing.message}`];
      return { kind: 'unverified', error: withEvidence(failed, ...((await lastWords) ?? []), ...why) };
    } finally {
      watch?.abandon();
    }
  }

  async withTrace(
    trace: Trace,
    { response, error }: Came,
    recordings: PlannedCall['recordings'],
    use: ToolUse | undefined,
    lastWords: Promise<string[]> | undefined,
  ): Promise<ReplayOutcome> {
    const breach = use?.breach(trace);
    if (breach !== undefined) this.#means.stop.end(breach);
    const doubt = breach ?? use?.doubt;
    if (doubt !== undefined) return { kind: 'unverified', error: doubt, trace };
    const { unheld, asked } = use ?? {};
    const answered = use && { resultClocks: use.resultClocks, missed: [...use.missed], unheld, asked };
    if (answered !== undefined && answered.missed.length > 0) return { kind: 'replayed', response, trace, answered };
    const provider = providerFailure(trace.observations);
    if (provider !== undefined && recordings.every(({ observations }) => providerFailure(observations) === undefined)) {
      const call = error === undefined ? [] : [`the call: ${error.message}`, ...error.evidence];
      const seen = [...call, ...(await (lastWords ?? this.#lastWords()))];
      return { kind: 'unverified', error: providerFailed(provider, seen, this.#means.excerpts), trace, provider };
    }
    if (error === undefined || (endedInError(trace) && recordings.some(endedInError))) {
      return { kind: 'replayed', response, trace, ...(answered && { answered }) };
    }
    return { kind: 'unverified', error: withEvidence(error, ...((await lastWords) ?? [])), trace };
  }

  /** The agent's last output, read a moment after a call failed. Anything later belongs to other calls. */
  async #lastWords(): Promise<string[]> {
    const { agentLog } = this.#options;
    if (agentLog === undefined) return [];
    await pause(PRINTED_LATE_MS, this.#means.stop.signal);
    const lines = agentLog(READ_LOG_LINES).filter((line) => !STACK_FRAME.test(line));
    // An error begins with its name; what it holds is indented. One before other lines is not what the agent ended with.
    const last = lines.findLastIndex((line) => BEGINNING.test(line));
    const isError = /^\S.*(?:Error|Exception)\b/.test(lines[last] ?? '');
    const quoted = lines.slice(isError ? last : -QUOTED_LOG_LINES).slice(0, QUOTED_LOG_LINES);
    return quoted.map((line) => `agent: ${this.#means.excerpts.of(line)}`);
  }
}

export function withEvidence(error: AgentReplayError, ...lines: readonly string[]): AgentReplayError {
  const { code, message, hint, location, cause } = error;
  return new AgentReplayError(code, message, { hint, location, cause, evidence: [...error.evidence, ...lines] });
}

/** @param seen further evidence from the replay */
function providerFailed(failure: ProviderFailure, seen: readonly string[], excerpts: Excerpts): AgentReplayError {
  const { provider, model, said } = failure;
  const names = [...(provider === undefined ? [] : [provider]), ...(model === undefined ? [] : [`model ${model}`])];
  const who = names.length === 0 ? '' : ` (${excerpts.of(names.join(', '))})`;
  return new AgentReplayError('PROVIDER_FAILED', `The model provider${who} ${excerpts.of(whatOf(failure))}.`, {
    evidence: [...(said === '' ? [] : [`it said: ${excerpts.of(said)}`]), ...seen],
    hint: nextMove(failure),
  });
}

function whatOf({ status, reason, isReached, address }: ProviderFailure): string {
  const at = address === undefined ? '' : ` at ${address}`;
  if (!isReached) return `could not be reached${at}: ${reason}`;
  return status === undefined ? `failed${at}: ${reason}` : `answered ${status}${at}`;
}

function nextMove({ isReached, isHiccup }: ProviderFailure): string {
  if (!isReached) return 'Check that the model is up and that the agent has its address.';
  if (!isHiccup)
    return "Check the provider's key, and what it may do: in CI it is a secret that the agent is to be given.";
  return 'Run again later; lower workers, or raise retries, where the provider limits the rate of requests.';
}
