import type { AgentReplayError } from '../errors.ts';
import type { Trace } from '../trace/index.ts';
import type { TracingHabits } from './receiver/habits.ts';

/** Where replay traces are read from: the embedded receiver, or a tracing platform. */
export interface TraceSource extends AsyncDisposable {
  /**
   * Resolves with the replay trace of one call once it is whole.
   * @param replayRunId the `svc_replay_run_id` that the call carried
   * @throws AgentReplayError `TRACE_MISSING`, `TRACE_INCOMPLETE` or `TRACE_UNSTABLE` at the deadline, with what came;
   *   `TRACE_INVALID` when its spans make no tree
   */
  waitFor(replayRunId: string, options: WaitOptions): Promise<Trace>;
  /**
   * What a trace has become since it was taken, or given up; undefined when nothing came late. Asked when no more is
   * expected. A source without it brings nothing late.
   */
  revised?(replayRunId: string, options: ReviseOptions): Promise<Revision | undefined>;
}

export interface WaitOptions {
  /**
   * The deadline of what is missing: a trace that lacks nothing then is taken once it is quiet. When it has an
   * `AgentReplayError` as reason, everything is over: such a trace is taken as it stands, all others fail for that reason.
   */
  readonly signal: AbortSignal;
  /**
   * Resolves when the call's response has come, rejects when the call broke off (its trace is then taken only when it is
   * complete); left out: the call is over.
   */
  readonly responded?: Promise<unknown> | undefined;
  /** Spans of the turn that its endpoint says were handed to the exporter; asked once the response has come. */
  readonly announced?: (() => number | undefined) | undefined;
  /** What the agent's recordings show of the way it traces. */
  readonly habits?: TracingHabits | undefined;
}

export interface ReviseOptions {
  readonly signal: AbortSignal;
  readonly habits?: TracingHabits | undefined;
}

/** A trace that was taken before all of it had arrived. */
export interface Revision {
  readonly trace: Trace | AgentReplayError;
  /** Spans that came late, or came late in another form. */
  readonly lateSpans: number;
  /** Those of them that came only when the agent was stopped. */
  readonly lastSpans: number;
}
