import { isAsRecorded } from '../../compare/index.ts';
import type { SessionResult, TurnResult } from '../schema.ts';
import { adviceFor } from './advice.ts';
import type { CauseGroup } from './causes.ts';
import { divergenceWords } from './divergence.ts';
import { shiftStory } from './shift-words.ts';
import { capitalised, forkLines, lesserStory } from './words.ts';

/** The turns in which an edited line is quoted: the first of each cause. In others it is named by its place. */
export type Quoted = ReadonlySet<TurnResult>;

export function quotedIn(causes: readonly CauseGroup[]): Quoted {
  return new Set(causes.flatMap(({ rows: [first] }) => first?.turn ?? []));
}

/** What every output tells of a turn besides its problems, line by line. */
export function turnStory(turn: TurnResult, session: SessionResult, quoted: Quoted): string[] {
  const { divergence, note, verdict } = turn.comparison;
  const at = session.turns.length > 1 ? `turn ${turn.turn}, ` : '';
  const placed = [
    ...(divergence === null ? [] : [divergenceWords(turn.comparison, { isLineShown: !quoted.has(turn) })]),
    ...forkLines(turn),
    ...lesserStory(turn),
    ...(note === null || isAsRecorded(verdict) ? [] : [note]),
  ];
  const advice = adviceFor(turn, session);
  return [
    ...shiftStory(turn).map((line) => `${capitalised(line)}.`),
    // A path of a tool stays as it is written.
    ...placed.map((line) => (line.startsWith('tool:') ? line : capitalised(at + line))),
    ...(advice === undefined ? [] : [advice]),
  ];
}
