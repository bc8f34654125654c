import type { Trace } from '../contract/index.ts';

/** Where replay traces are read from: the embedded receiver, or a tracing platform. */
export interface TraceSource extends AsyncDisposable {
  /**
   * Resolves with the replay trace of one call once it is complete.
   * @param replayRunId the `svc_replay_run_id` that the call carried
   * @param options.signal the deadline
   * @param options.responded resolves when the call's response has come (a root that ended before it needs no quiet
   *   time), rejects when the call broke off (its trace is then taken only when it is complete); left out: the call is over
   * @throws AgentReplayError `TRACE_MISSING`, `TRACE_INCOMPLETE` or `TRACE_UNSTABLE` at the deadline, with what came
   */
  waitFor(replayRunId: string, options: { signal: AbortSignal; responded?: Promise<unknown> }): Promise<Trace>;
}
