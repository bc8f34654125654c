import type { OwnSettings } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { GateKind, SessionResult } from '../../report/index.ts';
import { type Pin, redactSessionTexts } from '../../session/index.ts';

/** What a run does with one session, unchanged from the plan to the verdict; a shard has a part of it. */
export interface PlannedSession {
  /** A journal, and a thread of its own, have only these two parts of it. */
  readonly pin: Pick<Pin, 'path' | 'session'> & Partial<Pin>;
  /** From 1. */
  readonly turns: readonly number[];
  /** Numbers of the runs of each turn. */
  readonly runs: readonly number[];
  readonly own?: OwnSettings;
  /** Set where its recordings and those of its agent are alike, so that nothing tests how they vary. */
  readonly gate?: GateKind;
  /** Until then it fails no run and is in no test. */
  readonly quarantine?: SessionResult['quarantine'];
  /** Why the session, or a part of it, is not replayed. */
  readonly problems: readonly AgentReplayError[];
}

/** What a run, or a part of one, is to find out. */
export interface RunScope {
  readonly sessions: readonly PlannedSession[];
  /** Numbers of the runs of each turn, for sessions without a number of their own. */
  readonly runs: readonly number[];
  /** Failures that belong to no session, known before the start. */
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

/** The same with all that says how the session is judged, and without what was recorded. */
export function withoutRecordings({ pin, ...rest }: PlannedSession): PlannedSession {
  const turns = pin.session.turns.map(({ baselines }) => ({
    recorded: { observations: [] },
    ...(baselines && { baselines: baselines.map(({ made, traceId }) => ({ observations: [], made, traceId })) }),
  }));
  return { ...rest, pin: { path: pin.path, session: { ...pin.session, turns } } };
}

export function runNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
