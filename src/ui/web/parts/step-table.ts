import type { LaidStep } from '../../../report/index.ts';
import type { LaidStretch } from '../../../report/schema.ts';
import type { BehaviourView, DifferenceView, TurnView } from '../../../report/view/view-shapes.ts';

/** What a behaviour does at one step, compared with the recording. */
export interface Cell {
  /** `none`: neither side does it. `unknown`: it was not kept. */
  readonly state: 'same' | 'different' | 'missing' | 'extra' | 'none' | 'unknown';
  /** The behaviour's step; null if it has none, or if it equals the recorded one. */
  readonly step: LaidStep | null;
  /** Number of the step in the behaviour's runs. */
  readonly number: number | null;
  readonly differences: readonly DifferenceView[];
}

/** One step of the turn: of the recording, or only in replays. */
export interface Row {
  /** Its number in the recording; after a recorded step `4+1`, `4+2`. */
  readonly key: string;
  readonly recorded: LaidStep | null;
  /** The recorded step, or that of the first behaviour with one. */
  readonly step: LaidStep;
  /** One per column. */
  readonly cells: readonly Cell[];
  /** All behaviours are as recorded there. */
  readonly same: boolean;
}

/** The steps of a turn, and what each behaviour does at each of them. */
export interface StepTable {
  /** Behaviours beside the recorded one, largest first. */
  readonly columns: readonly BehaviourView[];
  readonly rows: readonly Row[];
}

const SAME: Cell = { state: 'same', step: null, number: null, differences: [] };
const NONE: Cell = { ...SAME, state: 'none' };
const UNKNOWN: Cell = { ...SAME, state: 'unknown' };

const known = new WeakMap<TurnView, StepTable>();

export function stepTable(turn: TurnView): StepTable {
  const table = known.get(turn) ?? tableOf(turn);
  known.set(turn, table);
  return table;
}

/** Where the largest behaviour first diverges; else the first step with any difference. */
export function firstTelling({ rows, columns }: StepTable): Row | undefined {
  const counts = (cell: Cell | undefined) =>
    cell?.differences.some(({ severity }) => severity === 'behaviour') === true;
  const largest = Math.max(
    0,
    columns.findIndex(({ recorded }) => !recorded),
  );
  return (
    rows.find(({ cells }) => counts(cells[largest])) ??
    rows.find(({ cells }) => cells.some(counts)) ??
    rows.find(({ same }) => !same)
  );
}

function tableOf(turn: TurnView): StepTable {
  const columns = turn.behaviours
    .filter(({ count, recordings, rows }, place) => place > 0 && count + (recordings ?? 0) > 0 && rows.length > 0)
    .sort((a, b) => apart(b, turn) - apart(a, turn));
  const sides = columns.map(sideOf);
  const rows: Row[] = extraRows(0, sides);
  for (const step of turn.steps.length > 0 ? turn.steps : recordedIn(columns)) {
    const cells = sides.map(({ at }) => at(step.number));
    rows.push({
      key: String(step.number),
      // Beside a behaviour that differs here, its text is longer than in the list of steps.
      recorded: sides.map(({ recorded }) => recorded.get(step.number)).find((each) => each !== undefined) ?? step,
      step,
      cells,
      same: cells.every(({ state }) => state === 'same' || state === 'unknown'),
    });
    rows.push(...extraRows(step.number, sides));
  }
  return { columns, rows };
}

/** Difference of frequency between replays and recordings: the largest comes first. */
function apart({ count, recordings }: BehaviourView, { n, behaviours }: TurnView): number {
  if (recordings === null) return 0;
  const all = behaviours.reduce((sum, each) => sum + (each.recordings ?? 0), 0);
  return Math.abs(count / Math.max(n, 1) - recordings / Math.max(all, 1));
}

interface Side {
  /** By number. */
  readonly recorded: ReadonlyMap<number, LaidStep>;
  /** In the order of the recorded steps. */
  readonly at: (recorded: number) => Cell;
  /** By the recorded step after which they come. */
  readonly extras: ReadonlyMap<number, readonly Cell[]>;
}

/** One behaviour, by numbers of recorded steps. */
function sideOf({ rows, more, differences }: BehaviourView): Side {
  const cells = new Map<number, Cell>();
  const stretches: LaidStretch[] = [];
  const extras = new Map<number, Cell[]>();
  const known = new Map<number, LaidStep>();
  const told = new Set<DifferenceView>();
  const here = (recorded: number | null, replayed: number | null) => {
    const found = differences.filter(
      (each) =>
        !told.has(each) &&
        (each.recordedStep === null ? each.replayedStep === replayed : each.recordedStep === recorded),
    );
    for (const each of found) told.add(each);
    return found;
  };
  let last = 0;
  for (const row of rows) {
    if ('count' in row) {
      stretches.push(row);
      last = row.left + row.count - 1;
      continue;
    }
    const { recorded, replayed, same } = row;
    const found = here(recorded?.number ?? null, replayed?.number ?? null);
    if (recorded === null) {
      const cell: Cell = { state: 'extra', step: replayed, number: replayed?.number ?? null, differences: found };
      extras.set(last, [...(extras.get(last) ?? []), cell]);
      continue;
    }
    const state = replayed === null ? 'missing' : same ? 'same' : 'different';
    known.set(recorded.number, recorded);
    cells.set(recorded.number, { state, step: replayed, number: replayed?.number ?? null, differences: found });
    last = Math.max(last, recorded.number);
  }
  let next = 0;
  const at = (number: number): Cell => {
    const cell = cells.get(number);
    if (cell !== undefined) return cell;
    while (next < stretches.length && number >= endOf(stretches[next] as LaidStretch)) next++;
    const stretch = stretches[next];
    if (stretch === undefined || number < stretch.left) return more > 0 ? UNKNOWN : SAME;
    return { ...SAME, number: stretch.right + number - stretch.left };
  };
  return { recorded: known, at, extras };
}

function endOf({ left, count }: LaidStretch): number {
  return left + count;
}

/** Steps that only replays have, after a recorded one; those of one tool share a row. */
function extraRows(after: number, sides: readonly Side[]): Row[] {
  const found: { step: LaidStep; cells: Cell[] }[] = [];
  for (const [column, { extras }] of sides.entries()) {
    let from = 0;
    for (const cell of extras.get(after) ?? []) {
      const step = cell.step as LaidStep;
      const like = found.findIndex(
        (each, at) => at >= from && each.step.kind === step.kind && each.step.name === step.name,
      );
      const place = like === -1 ? found.length : like;
      found[place] ??= { step, cells: sides.map(() => NONE) };
      (found[place] as { cells: Cell[] }).cells[column] = cell;
      from = place + 1;
    }
  }
  return found.map(({ step, cells }, index) => ({
    key: `${after}+${index + 1}`,
    recorded: null,
    step,
    cells,
    same: false,
  }));
}

/** For reports that do not list the recorded steps. */
function recordedIn(columns: readonly BehaviourView[]): LaidStep[] {
  const known = new Map<number, LaidStep>();
  for (const { rows } of columns)
    for (const row of rows)
      if (!('count' in row) && row.recorded !== null) known.set(row.recorded.number, row.recorded);
  return [...known.values()].sort((a, b) => a.number - b.number);
}

/** A row, or several that are equal everywhere. */
export type Item =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'fold'; readonly rows: readonly Row[] };

/** Fewer rows are not folded. */
const MIN_FOLD = 4;

/** Folds rows that are equal everywhere; if nothing differs, nothing is folded. */
export function folded(rows: readonly Row[]): Item[] {
  if (rows.every(({ same }) => same)) return rows.map((row) => ({ kind: 'row', row }));
  const items: Item[] = [];
  for (let start = 0; start < rows.length; ) {
    let end = start;
    while (rows[end]?.same) end++;
    const alike = rows.slice(start, end);
    if (alike.length >= MIN_FOLD) items.push({ kind: 'fold', rows: alike });
    else items.push(...alike.map((row) => ({ kind: 'row' as const, row })));
    const next = rows[end];
    if (next !== undefined) items.push({ kind: 'row', row: next });
    start = end + 1;
  }
  return items;
}

/** One side of a comparison in a row: what the recording, or a behaviour, does there. */
export function stepAt(row: Row, column: number): LaidStep | null {
  if (column < 0) return row.recorded;
  const { state, step, number } = row.cells[column] as Cell;
  if (state === 'same' && step === null && row.recorded !== null)
    return { ...row.recorded, number: number ?? row.recorded.number };
  return step;
}

/** One column compared with another; -1 is the recording. */
export function stateOf(row: Row, column: number, base: number): Cell['state'] {
  const cell = row.cells[column] as Cell;
  if (base < 0 || cell.state === 'unknown') return cell.state;
  const [from, to] = [stepAt(row, base), stepAt(row, column)];
  if (from === null) return to === null ? 'none' : 'extra';
  if (to === null) return 'missing';
  return from.kind === to.kind && from.name === to.name && textOf(from) === textOf(to) ? 'same' : 'different';
}

function textOf({ text = '', whole }: LaidStep): string {
  return `${whole ?? ''} ${text}`;
}
