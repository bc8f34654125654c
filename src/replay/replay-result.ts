import type { AgentReplayError } from '../errors.ts';
import type { Json } from '../json/index.ts';
import type { Trace } from '../trace/index.ts';
import type { ProviderFailure } from './provider-failure.ts';
import type { ReplayCall } from './replay-call.ts';
import type { Answered, ToolCounts } from './stand-in.ts';

export interface ReplayedResponse {
  /** Undefined if the body contains no output. */
  readonly output: Json | undefined;
}

/**
 * Behaviour to compare, or the reason why there is none. A failed call counts as behaviour only if the recorded turn
 * ended in an error too.
 */
export type ReplayOutcome =
  | {
      readonly kind: 'replayed';
      readonly response: ReplayedResponse | null;
      readonly trace: Trace | null;
      /** Present if tool results came from the recording. */
      readonly answered?: Answered;
    }
  /** The trace is evidence, if one arrived. */
  | {
      readonly kind: 'unverified';
      readonly error: AgentReplayError;
      readonly trace?: Trace;
      /** Present if the model's provider failed the agent. */
      readonly provider?: ProviderFailure;
    };

/** One finished replay as data, also a failed one. Times in milliseconds. */
export interface ReplayResult extends ReplayCall {
  /** The agent of the base made it. */
  readonly side?: 'base';
  readonly outcome: ReplayOutcome;
  /** Of the last attempt. */
  readonly replayRunId: string;
  readonly attempts: number;
  /** Of the last attempt; undefined if no response began. */
  readonly status?: number;
  /** Judged by HTTP alone. */
  readonly callError?: AgentReplayError;
  readonly callMs?: number;
  readonly traceMs?: number;
  /** Undefined without a stand-in. */
  readonly tools?: ToolCounts;
  /**
   * Set if spans arrived after this replay was first given; this result counts instead. Of those spans, `last` came
   * only when the agent was stopped.
   */
  readonly late?: { readonly spans: number; readonly last: number } | undefined;
  /** Replays that this one replaced because the model's provider had failed them. They count for nothing. */
  readonly replaced?: readonly ReplayResult[];
}
