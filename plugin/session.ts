import type { Strictness, TracedTurn } from '../src/index.ts';
import { ask } from './ask.ts';
import { CouldNotTell } from './failures.ts';
import type { Replayed } from './wire.ts';

/** How a session is replayed; what is left out is as configured. */
export interface ReplayHow {
  /** From 1. */
  readonly runs?: number;
  readonly strictness?: Strictness;
}

/** What one or several replays of a turn did alike. */
export interface ReplayTrace extends TracedTurn {
  /** From 1. */
  readonly turn: number;
  /** Numbers of the runs that did it. */
  readonly runs: readonly number[];
}

/** A pinned session in a test. */
export interface PinnedSession {
  readonly id: string;
  /** Only this turn of it, from 1. */
  readonly turn: number | undefined;
  /**
   * Replays it, and gives every distinct behaviour: by turn, most frequent first.
   * @throws CouldNotTell when a run could not be compared
   */
  replay(how?: ReplayHow): Promise<ReplayTrace[]>;
}

/** The pinned session with this id, to be replayed in a test. */
export function session(id: string, { turn }: { turn?: number } = {}): PinnedSession {
  return { id, turn, replay: (how) => replayTraces({ id, turn }, how) };
}

/** Whether a value is what {@link session} gives. */
export function isSession(value: unknown): value is PinnedSession {
  return typeof value === 'object' && value !== null && 'id' in value && 'replay' in value;
}

/** Has a session replayed. */
export function askFor({ id, turn }: Pick<PinnedSession, 'id' | 'turn'>, how: ReplayHow = {}): Promise<Replayed> {
  return ask({ session: id, turn, runs: how.runs, strictness: how.strictness });
}

/** Whether some runs could not be compared. */
export function isDoubtful({ session }: Replayed): boolean {
  return (
    session.problems.length > 0 ||
    session.turns.length === 0 ||
    session.turns.some(({ problems }) => problems.length > 0)
  );
}

async function replayTraces(which: Pick<PinnedSession, 'id' | 'turn'>, how?: ReplayHow): Promise<ReplayTrace[]> {
  const replayed = await askFor(which, how);
  if (isDoubtful(replayed)) throw CouldNotTell.of(replayed);
  return replayed.turns.flatMap(({ turn, behaviours }) => behaviours.map((behaviour) => ({ turn, ...behaviour })));
}
