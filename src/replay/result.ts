import type { AgentReplayError } from '../errors.ts';
import type { Json } from '../json/index.ts';
import type { Trace } from '../trace/index.ts';
import type { ProviderFailure } from './provider-failure.ts';
import type { ReplayCall } from './replay-call.ts';
import type { Answered, ToolCounts } from './stand-in.ts';

/** What the agent answered over HTTP. */
export interface ReplayedResponse {
  readonly status: number;
  /** SHA-256 of the body, so that equal bodies need no parsing. */
  readonly digest: string;
  /** Undefined when the body names no output. */
  readonly output: Json | undefined;
}

/**
 * How a replay ended: behaviour to compare, or the reason why there is none. A replay whose call failed is behaviour
 * only where the recorded turn ended in an error too.
 */
export type ReplayOutcome =
  | {
      readonly kind: 'replayed';
      readonly response: ReplayedResponse | null;
      readonly trace: Trace | null;
      /** Where results of its tools came from the recording. */
      readonly answered?: Answered | undefined;
    }
  /** With the trace as evidence, where one came. */
  | {
      readonly kind: 'inconclusive';
      readonly error: AgentReplayError;
      readonly trace?: Trace | undefined;
      /** Where it is the model's provider that failed the agent. */
      readonly provider?: ProviderFailure | undefined;
    };

/** One replay that is over, as data: failures too. Milliseconds. */
export interface ReplayResult extends ReplayCall {
  readonly outcome: ReplayOutcome;
  /** Of the last attempt. */
  readonly replayRunId: string;
  readonly attempts: number;
  /** Of the last attempt; undefined when no whole response came. */
  readonly status?: number | undefined;
  /** Why the call failed, as far as HTTP tells; undefined when it did not. */
  readonly callError?: AgentReplayError | undefined;
  readonly callMs?: number | undefined;
  readonly traceMs?: number | undefined;
  /** Where results of its tools came from; undefined where nothing stands in for them. */
  readonly tools?: ToolCounts | undefined;
  /**
   * Set when spans came after this replay had been given: this result takes the place of the earlier one. How many came,
   * and how many of them only when the agent was stopped.
   */
  readonly late?: { readonly spans: number; readonly last: number } | undefined;
  /** Replays that this one was made in place of, as the model's provider had failed them: they count for nothing. */
  readonly replaced?: readonly ReplayResult[] | undefined;
}
