import { LEAST_RECORDINGS } from '../../shift/index.ts';
import type { Gate, JudgedTurn } from '../records/extension-points.ts';

/** Judges each run by itself: how it compares with the recordings decides. */
export const everyRun = {
  name: 'every-run',
  how: 'run by run',
  why: () => ` (fewer than ${LEAST_RECORDINGS})`,
  units: () => [],
  looks: () => [],
  verdict: (sessions) => ({
    sessions: sessions.map(({ outcome }) => ({ ...outcome, turns: outcome.turns.map(withEvents) })),
  }),
} as const satisfies Gate;

/** A never-green event is a divergence, however the runs compare. */
export function withEvents(turn: JudgedTurn): JudgedTurn {
  const [red] = failing(turn);
  if (red === undefined) return turn;
  const { aspects, note } = turn.comparison;
  const did = { ...aspects.did, outcome: 'changed' as const };
  return {
    ...turn,
    comparison: {
      ...turn.comparison,
      verdict: 'changed',
      aspects: { ...aspects, did },
      note: noteOf([red.sentence, note]),
    },
  };
}

export function failing({ events = [] }: JudgedTurn): NonNullable<JudgedTurn['events']> {
  return events.filter(({ fails }) => fails);
}

export function noteOf(parts: readonly (string | null)[]): string | null {
  const told = parts.filter((part) => part !== null && part !== '');
  return told.length === 0 ? null : told.join('; ');
}
