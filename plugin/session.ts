import type { ConfigInput } from '../src/rims.ts';
import { ask } from './ask.ts';
import { CouldNotTell } from './failures.ts';
import type { Replayed, TracedTurn, Wanted } from './wire.ts';

/** Anything left out is as configured. */
export interface ReplayHow {
  /** From 1. */
  readonly runs?: number | undefined;
  readonly strictness?: NonNullable<ConfigInput['compare']>['strictness'];
}

/** One behaviour of a turn, shown by one or several replays. */
export interface ReplayTrace extends TracedTurn {
  /** From 1. */
  readonly turn: number;
  /** Numbers of the runs that showed it. */
  readonly runs: readonly number[];
}

export interface PinnedSession {
  readonly id: string;
  /** Only this turn, from 1. */
  readonly turn: number | undefined;
  /**
   * Returns every distinct behaviour: by turn, most frequent first.
   * @throws CouldNotTell if a run could not be compared
   */
  replay(how?: ReplayHow): Promise<ReplayTrace[]>;
}

/** The pinned session with this id, to replay in a test. */
export function session(id: string, { turn }: { turn?: number } = {}): PinnedSession {
  const replay: PinnedSession['replay'] = async (how) => {
    const replayed = await askFor({ id, turn }, how);
    if (isDoubtful(replayed)) throw CouldNotTell.of(replayed);
    return tracesOf(replayed);
  };
  return { id, turn, replay };
}

export function isSession(value: unknown): value is PinnedSession {
  return typeof value === 'object' && value !== null && 'id' in value && 'replay' in value;
}

export type WhichTurn = Pick<PinnedSession, 'id' | 'turn'>;

/** How a matcher asks. */
export type AskedHow = ReplayHow & Pick<Wanted, 'isExact'>;

/** Replays a session. @throws CouldNotTell */
export function askFor({ id, turn }: WhichTurn, how: AskedHow = {}, signal?: AbortSignal): Promise<Replayed> {
  const { runs, strictness, isExact } = how;
  const wanted = { session: id, turns: turn === undefined ? undefined : [turn], runs, strictness, isExact };
  return ask({ wanted }, signal);
}

/** Whether some runs could not be compared. */
export function isDoubtful({ session: { problems, turns } }: Replayed): boolean {
  return problems.length > 0 || turns.length === 0 || turns.some((turn) => turn.problems.length > 0);
}

/** The distinct behaviours: by turn, most frequent first. */
export function tracesOf({ turns }: Replayed): ReplayTrace[] {
  return turns.flatMap(({ turn, behaviours }) => behaviours.map((behaviour) => ({ turn, ...behaviour })));
}
