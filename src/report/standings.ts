import { COMPARED_ASPECTS, isAsRecorded, isDoubt, type TurnComparison } from '../compare/index.ts';
import { isUnread } from './choices.ts';
import type { Blame, Report, SessionResult, TurnResult } from './schema.ts';

/** What the gate reads: the part of a report that depends on behaviour alone, and whether the run was completed. */
export type GateInput = Pick<Report['results'], 'problems'> &
  Partial<Pick<Report['results'], 'compared' | 'shift' | 'base' | 'cost' | 'drift' | 'untold' | 'allowEmpty'>> &
  Partial<Pick<Report['evidence'], 'interruptedBy' | 'offline'>> & { readonly sessions: readonly GatedSession[] };

type GatedSession = Pick<SessionResult, 'id' | 'pin' | 'verdict' | 'level' | 'turns' | 'problems' | 'quarantine'>;

/**
 * Once only: failures come before doubts, and doubts before what the policy lets pass. `unread`: nothing is in doubt but what
 * other words mean.
 */
const COUNTED_AS = [
  'changed',
  'varies',
  'doubtful',
  'unread',
  'unverified',
  'tolerated',
  'quarantined',
  'alarmed',
  'suspicious',
  'asBase',
  'asRecorded',
] as const;
type CountedAs = (typeof COUNTED_AS)[number];

export function standingOf({ verdict, level, turns, problems, quarantine }: GatedSession): CountedAs {
  if (quarantine !== undefined && level !== 'error') return 'quarantined';
  const doubts = turns.filter(({ comparison }) => isDoubt(comparison.verdict));
  const failing = failingTurns({ turns });
  if (failing.length > 0)
    return failing.every(({ comparison }) => comparison.verdict === 'varies') ? 'varies' : 'changed';
  if (isDoubt(verdict) || doubts.length > 0 || problems.length > 0) {
    if (level !== 'error') return 'unverified';
    return isUnread({ turns, problems }) ? 'unread' : 'doubtful';
  }
  if (turns.some(({ events }) => events !== undefined)) return 'alarmed';
  if (turns.some(({ shift }) => shift?.state === 'may-have-shifted')) return 'suspicious';
  return isAsRecorded(verdict) && level === 'off' ? 'asRecorded' : 'tolerated';
}

export function failingTurns({ turns }: Pick<GatedSession, 'turns'>): TurnResult[] {
  return turns.filter(({ level, comparison }) => level === 'error' && !isDoubt(comparison.verdict));
}

export interface Counts extends ReturnType<typeof countStandings> {
  readonly isNoneMeant: boolean;
  readonly suites: number;
  /** Who made the difference, if there is a base; otherwise null. */
  readonly blame: Blame | null;
  /** Sessions, and agents with all of theirs, that cost more than recorded. */
  readonly dearer: number;
  /** Agents that have drifted over nights. */
  readonly drifted: number;
  /** Cost or drift fails the run. */
  readonly fails: boolean;
}

/** Where the base is not as recorded, or no test tells whether it is, a session that passes is as the base. */
export function countStandings(sessions: readonly GatedSession[], untold: number, base: GateInput['base']) {
  const isAsBase = ({ id, turns }: GatedSession) =>
    base?.drifted.some((each) => each.id === id) ||
    (base?.blame === 'open' &&
      turns.some(({ shift, comparison: { figures } }) => shift?.against === 'base' && figures.asRecorded < figures.n));
  const standings = sessions.map((session): CountedAs => {
    const standing = standingOf(session);
    return standing === 'asRecorded' && isAsBase(session) ? 'asBase' : standing;
  });
  const counts = COUNTED_AS.map((standing) => [standing, standings.filter((each) => each === standing).length]);
  const of = Object.fromEntries(counts) as Record<CountedAs, number>;
  return {
    ...of,
    doubtful: of.doubtful + untold,
    minor: sessions.filter(({ turns }) => turns.some(({ comparison }) => isMinor(comparison))).length,
    tested: sessions.filter(({ turns }) => turns.some(({ shift }) => shift !== undefined)).length,
    /** Too few recordings of a turn. */
    untested: sessions.filter(isUntested).length,
    total: sessions.length + untold,
    until: [...new Set(sessions.flatMap(({ quarantine }) => quarantine?.until ?? []))].sort(),
    verified: sessions.filter(
      ({ turns, quarantine }) =>
        quarantine === undefined && turns.some(({ comparison }) => !isDoubt(comparison.verdict)),
    ).length,
  };
}

export const isUntested = ({ turns }: GatedSession) => turns.some(({ shift }) => shift?.state === 'untested');

/** Sessions that fail the run. */
export function divergedIn({ changed, varies }: Counts): number {
  return changed + varies;
}

export function inDoubt({ doubtful, unverified, unread }: Counts): number {
  return doubtful + unverified + unread;
}

/** Whether everything compared is equal in every run, down to words and minor differences. */
export function isEqual({ turns }: GatedSession): boolean {
  return turns.every(
    ({ comparison }) =>
      comparison.figures.behaviours <= 1 &&
      COMPARED_ASPECTS.every((aspect) => isAsRecorded(comparison.aspects[aspect].outcome)) &&
      !isMinor(comparison),
  );
}

function isMinor({ clusters }: TurnComparison): boolean {
  return clusters.some(({ minor }) => minor.length > 0);
}
