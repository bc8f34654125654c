import type { AgentReplayError } from '../../errors.ts';
import type { Recording, Trace } from '../../trace/index.ts';
import type { TracingHabits } from './habits.ts';

/** The source of replay traces: the embedded receiver, or a tracing platform. */
export interface TraceSource extends AsyncDisposable {
  /**
   * Resolves with the trace of one call once it is complete.
   * @param replayRunId the call's `svc_replay_run_id`
   * @throws AgentReplayError `TRACE_MISSING`, `TRACE_INCOMPLETE` or `TRACE_UNSTABLE` at the deadline, with what came;
   * `TRACE_INVALID` if its spans form no tree
   */
  waitFor(replayRunId: string, options: WaitOptions): Promise<Trace>;
  /**
   * The changes of a trace since it was taken or given up; undefined if nothing came late. Ask when no more is expected. A
   * source without this method has no late data.
   */
  revised?(replayRunId: string, options: ReviseOptions): Promise<Revision | undefined>;
}

export interface WaitOptions {
  /**
   * The deadline. A trace that lacks nothing by then is taken once it is quiet. If its reason is an `AgentReplayError`,
   * everything is over: such a trace is taken as it is, and all others fail for that reason.
   */
  readonly signal: AbortSignal;
  /**
   * Resolves when the call's response has come, and rejects if the call broke off (then only a complete trace is taken).
   * Omitted: the call is over.
   */
  readonly responded?: Promise<unknown>;
  /** How many spans of the turn its endpoint handed to the exporter; asked once the response has come. */
  readonly announced?: (() => number | undefined) | undefined;
  /** How many answers its models have given in the turn, where somebody counts them. */
  readonly answers?: (() => number | undefined) | undefined;
  readonly habits?: TracingHabits;
  /** The recordings of its turn: steps that all of them have are waited for. */
  readonly recordings?: readonly Recording[];
}

export type ReviseOptions = Pick<WaitOptions, 'signal' | 'habits' | 'recordings' | 'answers'>;

/** A trace that was taken before all of it had arrived. */
export interface Revision {
  readonly trace: Trace | AgentReplayError;
  /** Spans that came late, or changed late. */
  readonly lateSpans: number;
  /** Those of them that came only when the agent was stopped. */
  readonly lastSpans: number;
}
