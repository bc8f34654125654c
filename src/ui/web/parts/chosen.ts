import type { SessionView } from '../../../report/index.ts';
import type { TurnView } from '../../../report/view/view-shapes.ts';
import type { Place } from './place.tsx';
import { firstTelling, type Row, type StepTable, stepTable } from './step-table.ts';

/** The selection within a turn. */
export interface Chosen {
  readonly row: Row | undefined;
  /** Column of the table; -1 for the recording. */
  readonly column: number;
  /** The column it is compared with. */
  readonly base: number;
}

/** The selected turn: the named one, else the one that decides the session's verdict. */
export function turnToShow({ turns, verdict }: SessionView, { turn }: Place): TurnView | undefined {
  return turns.find((each) => each.turn === turn) ?? turns.find((each) => each.verdict === verdict) ?? turns[0];
}

/** By default the first divergence, and the behaviour that has it. */
export function chosenIn(turn: TurnView, place: Place): Chosen {
  const table = stepTable(turn);
  const { rows, columns } = table;
  const row = rows.find(({ key }) => key === place.step) ?? firstTelling(table);
  const columnOf = (letter: string | undefined) => columns.findIndex((each) => each.letter === letter);
  const column =
    columns.length === 0
      ? -1
      : Math.max(0, place.behaviour === undefined ? telling(table, row) : columnOf(place.behaviour));
  const beside = columnOf(place.beside);
  return { row, column, base: beside === column ? -1 : beside };
}

function telling({ columns }: StepTable, row: Row | undefined): number {
  const states = row?.cells.map(({ state }) => state !== 'same' && state !== 'none') ?? [];
  return Math.max(0, Math.min(columns.length - 1, states.indexOf(true)));
}
