import { type NumberedStep, type PairRow, plainSteps, type TurnComparison } from '../compare/index.ts';
import { present, textOrJson } from '../json/index.ts';
import { cut } from '../text/index.ts';
import type { Recording } from '../trace/index.ts';
import type { LaidPair, LaidRow, LaidStep, LaidStretch } from './schema.ts';

type Cluster = TurnComparison['clusters'][number];
type NamedId = NonNullable<NumberedStep['ids']>[number];

/** Behaviours of a turn that are laid beside the recording: a table has no room for more. */
const MAX_PAIRS = 20;
/** Rows of one pair, with equal rows folded. */
const MAX_ROWS = 400;
/** Steps of the recording that are listed by name. */
const MAX_STEPS = 20_000;
/** Steps of one run that are shown live. */
const MAX_LIVE_STEPS = 200;
/** Longest value of a step that differs; the trace has the whole. */
const MAX_TEXT_CHARS = 600;
/** The same for a step without differences: enough to recognise it. */
export const MAX_SAME_CHARS = 120;
/** Recorded steps that are listed with the start of their value. */
const MAX_STEPS_WITH_TEXT = 300;
/** Ids of one side that are shown with their real value. */
const MAX_IDS = 200;

/** A turn as a report keeps it, readable without the traces. */
export interface LaidTurn {
  readonly steps: readonly LaidStep[];
  readonly moreSteps: number;
  readonly pairs: readonly LaidPair[];
  readonly ids: readonly LaidIds[];
}

/** The ids of the recording (`cluster` null) or of a behaviour. */
interface LaidIds {
  readonly cluster: number | null;
  readonly named: readonly NamedId[];
}

interface TurnSteps {
  readonly clusters: readonly Cluster[];
  readonly recorded: readonly NumberedStep[];
  /** The rows of a cluster beside the recording; undefined if its behaviour was not kept. */
  readonly rowsOf: (cluster: number) => readonly PairRow[] | undefined;
}

/** Lays the behaviours of a turn beside the recording, largest first. Equal rows are folded before the number is limited. */
export function laidTurn({ clusters, recorded, rowsOf }: TurnSteps): LaidTurn {
  const shown = clusters
    .filter(({ id, runs, recordings = 0 }) => id > 0 && runs.length + recordings > 0)
    .toSorted((a, b) => Number(a.recorded) - Number(b.recorded) || sizeOf(b) - sizeOf(a) || a.id - b.id)
    .slice(0, MAX_PAIRS)
    .flatMap(({ id }) => {
      const rows = rowsOf(id);
      return rows === undefined ? [] : [{ id, rows }];
    });
  const steps = recorded.slice(0, MAX_STEPS).map((step, place) => laidStep(step, place < MAX_STEPS_WITH_TEXT));
  return {
    steps,
    moreSteps: recorded.length - steps.length,
    pairs: shown.map(({ id, rows }) => pairOf(id, rows)),
    ids: [
      { cluster: null, named: idsIn([recorded, ...shown.map(({ rows }) => rows.map((row) => row.recorded))].flat()) },
      ...shown.map(({ id, rows }) => ({ cluster: id, named: idsIn(rows.map((row) => row.replayed)) })),
    ].filter((each) => each.named.length > 0),
  };
}

function sizeOf({ runs, recordings = 0 }: Cluster): number {
  return runs.length + recordings;
}

function pairOf(cluster: number, rows: readonly PairRow[]): LaidPair {
  const folded = foldedRows(rows);
  const listed = folded.slice(0, MAX_ROWS);
  const more = folded.slice(MAX_ROWS).reduce((sum, row) => sum + ('count' in row ? row.count : 1), 0);
  return { cluster, rows: listed, more };
}

/** Equal rows become stretches, wherever they are; other rows stay. */
function foldedRows(rows: readonly PairRow[]): (LaidRow | LaidStretch)[] {
  const folded: (LaidRow | LaidStretch)[] = [];
  for (const { recorded, replayed, same } of rows) {
    if (!same || recorded === null || replayed === null) {
      folded.push({ left: laid(recorded), right: laid(replayed), same });
      continue;
    }
    const [last, left, right] = [folded.at(-1), recorded.number, replayed.number];
    const goesOn = last !== undefined && 'count' in last && last.left + last.count === left;
    if (goesOn && last.right + last.count === right) folded[folded.length - 1] = { ...last, count: last.count + 1 };
    else folded.push({ left, right, count: 1 });
  }
  return folded;
}

/** The real values of ids, one per name: the first value it stands for. */
function idsIn(steps: readonly (NumberedStep | null)[]): NamedId[] {
  const known = new Map<string, string>();
  for (const step of steps) {
    for (const { name, text } of step?.ids ?? []) if (!known.has(name)) known.set(name, text);
  }
  return [...known].slice(0, MAX_IDS).map(([name, text]) => ({ name, text: cut(text, MAX_SAME_CHARS) }));
}

/** The steps of one run, bounded like the rows of a pair. */
export function laidSteps(recording: Recording): { steps: LaidStep[]; more: number } {
  const steps = plainSteps(recording);
  const listed = steps.slice(0, MAX_LIVE_STEPS).flatMap((step, index) => laid({ ...step, number: index + 1 }) ?? []);
  return { steps: listed, more: steps.length - listed.length };
}

function laidStep(step: NumberedStep, withText: boolean): LaidStep {
  const { text, ...rest } = laid(step, MAX_SAME_CHARS) as LaidStep;
  return withText && text !== undefined ? { ...rest, text } : rest;
}

function laid(step: NumberedStep | null, maxChars = MAX_TEXT_CHARS): LaidStep | null {
  if (step === null) return null;
  const { number, kind, name, value } = step;
  const text = textOrJson(value);
  return {
    number,
    kind,
    ...present({ name, text: text && cut(text, maxChars) }),
    ...(text !== undefined && text.length > maxChars && { whole: text.length }),
  };
}
