/** One replay: one turn of one pinned session, once. Runs and turns count from 1. */
export interface ReplayCall {
  readonly session: string;
  readonly turn: number;
  readonly run: number;
}
