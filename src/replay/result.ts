import type { Json, Trace } from '../contract/index.ts';
import type { AgentReplayError } from '../errors.ts';

/** What is replayed: one turn of one pinned session, once. Runs and turns count from 1. */
export interface ReplayCall {
  readonly session: string;
  readonly turn: number;
  readonly run: number;
}

/** What the agent answered over HTTP. */
export interface ReplayedResponse {
  readonly status: number;
  /** SHA-256 of the body, so that equal bodies need no parsing. */
  readonly digest: string;
  /** Undefined when the body names no output. */
  readonly output: Json | undefined;
}

/** How a replay ended: behaviour to compare, or the reason why there is none. */
export type ReplayOutcome =
  | { readonly kind: 'replayed'; readonly response: ReplayedResponse | null; readonly trace: Trace | null }
  | { readonly kind: 'inconclusive'; readonly error: AgentReplayError };

/** One replay that is over, as data: failures too. Milliseconds. */
export interface ReplayResult extends ReplayCall {
  readonly outcome: ReplayOutcome;
  /** Of the last attempt. */
  readonly replayRunId: string;
  readonly attempts: number;
  readonly callMs?: number | undefined;
  readonly traceMs?: number | undefined;
}
