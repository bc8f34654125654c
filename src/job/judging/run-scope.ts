import type { AgentReplayError } from '../../errors.ts';
import { redactSessionTexts } from '../../session/index.ts';
import type { ScopedSession } from './scoped-session.ts';

/** What a run, or a part of one, has to find out. */
export interface RunScope {
  readonly sessions: readonly ScopedSession[];
  /** Numbers of the runs of each turn, but of sessions that have their own. */
  readonly runs: readonly number[];
  /** Failures that belong to no session, and are known before it begins. */
  readonly problems: readonly AgentReplayError[];
}

/** The same without secrets in the recordings. */
export function redactScope(scope: RunScope, redact: (text: string) => string): RunScope {
  const sessions = scope.sessions.map(({ pin, ...rest }) => ({
    ...rest,
    pin: { ...pin, session: redactSessionTexts(pin.session, redact) },
  }));
  return { ...scope, sessions };
}
