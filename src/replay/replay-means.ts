import type { Identifiers } from '../contract/index.ts';
import type { Language } from '../files/index.ts';
import type { TraceSource, TracingHabits } from '../tracing/index.ts';
import type { Exchange } from './call.ts';
import type { ReplayLimits } from './limits.ts';
import type { ReplayCall } from './replay-call.ts';
import type { ReplayOptions } from './replay-options.ts';
import type { ToolStandIn } from './stand-in.ts';

export interface ReplayMeans {
  /** The target URL. */
  readonly target: string;
  /** Null if only responses count. */
  readonly source: TraceSource | null;
  /** What the agent's recordings show about how it traces. */
  readonly habits?: TracingHabits;
  readonly settings: ReplayOptions;
  readonly identifiers?: Identifiers;
  /** Of the agent, for what messages call things. */
  readonly language?: Language;
  /** Ends the replay: unfinished calls fail with `INTERRUPTED`, or with the signal's reason if that is an AgentReplayError. */
  readonly signal?: AbortSignal;
  /** Aborted when the agent has ended, with an `AGENT_CRASHED` error as reason. Unfinished calls fail with it. */
  readonly crashed?: AbortSignal;
  /** Shared by replays that run at the same time. Default: this replay has `workers` and `maxCalls` of its own. */
  readonly limits?: ReplayLimits;
  /** First part of all run ids: letters, digits and `-`. Default: random. */
  readonly uid?: string;
  /** The last lines of the agent's output, at most this many. They are quoted if a call fails. */
  readonly agentLog?: (lines: number) => readonly string[];
  /** Replaces secrets in quotes of a response. Secrets of the target and of the headers are always replaced. */
  readonly redact?: (text: string) => string;
  /** Holds each call that is not answered. One that breaks stays until its outcome is known: the agent may have ended. */
  readonly inFlight?: Set<ReplayCall>;
  /** Called before the trace of the call has arrived. */
  readonly onAnswered?: (call: ReplayCall) => void;
  /** Whether replays are made again if the provider had a hiccup, at most `retries` times per session. Default true. */
  readonly replaces?: boolean;
  readonly tools?: ToolStandIn;
  /** Written into each result, to tell two agents apart. */
  readonly side?: 'base';
  /** Called at once. */
  readonly onExchange?: (seen: SeenExchange) => void;
}

/** One exchange, and the path that it used: a base URL can take two. */
export interface SeenExchange extends Exchange {
  readonly replayRunId: string;
  readonly path: string;
}
