import type { Identifiers } from '../contract/index.ts';
import type { TraceSource, TracingHabits } from '../tracing/index.ts';
import type { Exchange } from './call.ts';
import type { ReplayLimits } from './limits.ts';
import type { ReplayOptions } from './options.ts';
import type { ReplayCall } from './replay-call.ts';
import type { ToolStandIn } from './stand-in.ts';

export interface ReplaySessionsOptions {
  /** The target URL. */
  readonly target: string;
  /** Where replay traces come from; null: only responses count. */
  readonly source: TraceSource | null;
  /** What the agent's recordings show of the way it traces. */
  readonly habits?: TracingHabits | undefined;
  readonly settings: ReplayOptions;
  readonly identifiers?: Identifiers | undefined;
  /** Ends it: what is not finished fails with `INTERRUPTED`, or with the signal's reason if that is an AgentReplayError. */
  readonly signal?: AbortSignal | undefined;
  /** Tells that the agent has ended, with an `AGENT_CRASHED` error as reason: what is not finished fails with it. */
  readonly crashed?: AbortSignal | undefined;
  /** Shared by several replays that go on at once. Default: `workers` and `maxCalls` are this replay's own. */
  readonly limits?: ReplayLimits | undefined;
  /** First part of all run ids; letters, digits and `-`. Default: random. */
  readonly uid?: string | undefined;
  /** The last lines of the agent's output, at most so many: quoted where a call failed. */
  readonly agentLog?: ((lines: number) => readonly string[]) | undefined;
  /** Replaces secrets in what is quoted of a response. Those of the target and of the headers are replaced anyway. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Asked right before a call is sent; a call that is skipped has no result. */
  readonly skip?: ((call: ReplayCall) => boolean) | undefined;
  /** Called when a call is over, before its trace has arrived. */
  readonly onAnswered?: ((call: ReplayCall) => void) | undefined;
  /**
   * The first run of every session, then the second one: what a run shows can make later ones of its session needless.
   * Default: all runs of a session, then the next session.
   */
  readonly byRound?: boolean | undefined;
  /**
   * Asked once every call is over and its result was taken, until it names no more: further runs of some turns, because
   * of what the first ones have shown.
   */
  readonly further?: (() => readonly FurtherRuns[] | Promise<readonly FurtherRuns[]>) | undefined;
  /** Awaited before a call is sent for the first time: it may have to go after another one. */
  readonly inTurn?: ((call: ReplayCall, signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Awaited once every call is over, and before replays are given again whose traces have changed since: resolves when
   * no more spans are expected.
   */
  readonly settle?: ((replayRunIds: readonly string[], signal: AbortSignal) => Promise<void>) | undefined;
  /** Whether replays whose provider had a hiccup are made again, at most `retries` of each session. Default true. */
  readonly replaces?: boolean | undefined;
  /** Answers for the agent's tools. */
  readonly tools?: ToolStandIn | undefined;
  /** Sees what came of each request, at once. */
  readonly onExchange?: ((seen: SeenExchange) => void) | undefined;
}

/** Runs of some turns of a session, besides those that were made. */
export interface FurtherRuns {
  readonly session: string;
  readonly turns: readonly number[];
  /** Numbers of the first and the last of them. */
  readonly from: number;
  readonly to: number;
}

/** What came of one request, and where it went: a base URL can take two. */
export interface SeenExchange extends Exchange {
  readonly replayRunId: string;
  readonly path: string;
}
