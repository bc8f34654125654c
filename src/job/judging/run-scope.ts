import type { AgentReplayError } from '../../errors.ts';
import type { ScopedSession } from './scoped-session.ts';

/** What a run, or a part of one, has to find out. */
export interface RunScope {
  readonly sessions: readonly ScopedSession[];
  /** Numbers of the runs of each turn, but of sessions that have their own. */
  readonly runs: readonly number[];
  /** Failures that belong to no session, and are known before it begins. */
  readonly problems: readonly AgentReplayError[];
}
