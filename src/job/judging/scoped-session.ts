import type { OwnSettings } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { SessionResult } from '../../report/index.ts';
import type { Pin } from '../../session/index.ts';

/** A session as it is asked for: its pin, and which turns. */
export interface ScopedSession {
  readonly pin: Pick<Pin, 'path' | 'session'>;
  /** From 1. */
  readonly turns: readonly number[];
  /** Numbers of the runs of each turn. */
  readonly runs: readonly number[];
  /** What the configuration says of it alone. */
  readonly own?: OwnSettings | undefined;
  /** It fails no run until then, and is in no test. */
  readonly quarantine?: SessionResult['quarantine'];
  /** Why the session, or a part of it, is not replayed. */
  readonly problems: readonly AgentReplayError[];
}
