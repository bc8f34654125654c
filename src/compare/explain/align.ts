import { diffArrays } from 'diff';
import { byCodeUnit } from '../../json/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import { isOutcome } from '../steps/calls.ts';
import { commonPrefix } from '../values/common-prefix.ts';
import { remembered } from '../values/remembered.ts';
import { besideRecorded } from './parallel.ts';

/** An index into each side, or -1 for nothing. */
export interface AlignedPair {
  readonly a: number;
  readonly b: number;
}

/** Costs in tenths. This one: same tool, other value. */
const COST_VALUE = 6;
const COST_GAP = 10;
/** Another tool at the same place: slightly cheaper than one missing plus one extra. */
const COST_NAME = 18;
/** Dearer than two gaps, so never laid side by side. */
const COST_NEVER = 1_000;
/** With more cells (2,000 x 2,000 steps take 70 ms), only names are aligned. */
const MAX_CELLS = 4_000_000;
/** Sequences of names that need more edits have too little in common for an alignment to explain (4 ms). */
const MAX_NAME_EDITS = 300;

/**
 * Aligns two runs to explain their differences. Parallel calls go beside their equals; then Needleman-Wunsch runs between
 * the common prefix and suffix, with a fixed tie-break. Swapping the sides swaps the answer.
 */
export function align(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  if (isSecond(a, b)) return align(b, a).map((pair) => ({ a: pair.b, b: pair.a }));
  const places = besideRecorded(a, b);
  const laid = places.map((place) => b[place] as KeyedStep);
  return alignInOrder(a, laid).map((pair) => ({ a: pair.a, b: pair.b < 0 ? -1 : (places[pair.b] as number) }));
}

function alignInOrder(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  const [left, right] = [a.map(({ exact }) => exact), b.map(({ exact }) => exact)];
  const prefix = wholeCalls(a, b, commonPrefix(left, right));
  const suffix = commonPrefix(left.slice(prefix).reverse(), right.slice(prefix).reverse());
  const middle = alignMiddle(a.slice(prefix, a.length - suffix), b.slice(prefix, b.length - suffix));
  return [
    ...Array.from({ length: prefix }, (_, i) => ({ a: i, b: i })),
    ...middle.map((pair) => ({ a: pair.a < 0 ? -1 : pair.a + prefix, b: pair.b < 0 ? -1 : pair.b + prefix })),
    ...Array.from({ length: suffix }, (_, i) => ({ a: a.length - suffix + i, b: b.length - suffix + i })),
  ];
}

/** A prefix without a last call whose outcomes differ: a call and its outcome stay together, as in a poll that is answered later. */
function wholeCalls(a: readonly KeyedStep[], b: readonly KeyedStep[], prefix: number): number {
  const isSplit = a[prefix - 1]?.kind === 'call' && [a, b].every((steps) => steps[prefix] && isOutcome(steps[prefix]));
  return isSplit ? prefix - 1 : prefix;
}

/** A fixed order of the two sides, so that ties are broken the same way whichever side comes first. */
function isSecond(a: readonly KeyedStep[], b: readonly KeyedStep[]): boolean {
  if (a.length !== b.length) return a.length > b.length;
  const at = a.findIndex(({ loose }, index) => loose !== b[index]?.loose);
  return at !== -1 && byCodeUnit(a[at]?.loose ?? '', b[at]?.loose ?? '') > 0;
}

function alignMiddle(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  return (a.length + 1) * (b.length + 1) <= MAX_CELLS ? needlemanWunsch(a, b) : byNames(a, b);
}

/** Steps as numbers instead of texts, for the inner loop. */
interface Labels {
  readonly exact: Int32Array;
  readonly name: Int32Array;
  /** Results and errors of a tool share a label: an error in place of a result is the same call with another ending. */
  readonly kind: Int32Array;
}

const CALL = 'kind call';

function labelsOf(steps: readonly KeyedStep[], numbers: Map<string, number>): Labels {
  const numberOf = (text: string) => remembered(numbers, text, () => numbers.size);
  return {
    exact: Int32Array.from(steps, ({ exact }) => numberOf(exact)),
    name: Int32Array.from(steps, ({ name }) => numberOf(`name ${name}`)),
    kind: Int32Array.from(steps, (step) => numberOf(`kind ${isOutcome(step) ? 'outcome' : step.kind}`)),
  };
}

/** The direction from which the cheapest path enters a cell; ties prefer this order. */
const DIAGONAL = 0;
const FROM_ABOVE = 1;
const FROM_LEFT = 2;

function needlemanWunsch(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): AlignedPair[] {
  const numbers = new Map<string, number>([[CALL, 0]]);
  const [a, b] = [labelsOf(recorded, numbers), labelsOf(replayed, numbers)];
  const [height, width] = [recorded.length, replayed.length];
  const ways = new Uint8Array((height + 1) * (width + 1)).fill(FROM_LEFT, 0, width + 1);
  let above = Int32Array.from({ length: width + 1 }, (_, j) => j * COST_GAP);
  let row = new Int32Array(width + 1);
  for (let i = 1; i <= height; i++) {
    const [exact, name, kind] = [a.exact[i - 1], a.name[i - 1], a.kind[i - 1]];
    const otherName = kind === 0 ? COST_NAME : COST_NEVER;
    const start = i * (width + 1);
    row[0] = i * COST_GAP;
    ways[start] = FROM_ABOVE;
    for (let j = 1; j <= width; j++) {
      const cost =
        exact === b.exact[j - 1]
          ? 0
          : kind !== b.kind[j - 1]
            ? COST_NEVER
            : name === b.name[j - 1]
              ? COST_VALUE
              : otherName;
      const [diagonal, up, left] = [
        (above[j - 1] as number) + cost,
        (above[j] as number) + COST_GAP,
        (row[j - 1] as number) + COST_GAP,
      ];
      if (diagonal <= up && diagonal <= left) row[j] = diagonal;
      else if (up <= left) {
        row[j] = up;
        ways[start + j] = FROM_ABOVE;
      } else {
        row[j] = left;
        ways[start + j] = FROM_LEFT;
      }
    }
    [above, row] = [row, above];
  }
  const pairs: AlignedPair[] = [];
  for (let i = height, j = width; i > 0 || j > 0; ) {
    const way = ways[i * (width + 1) + j];
    if (way === DIAGONAL) pairs.push({ a: --i, b: --j });
    else if (way === FROM_ABOVE) pairs.push({ a: --i, b: -1 });
    else pairs.push({ a: -1, b: --j });
  }
  return pairs.reverse();
}

/** Myers on kinds and names, or place by place if even names differ too much. */
function byNames(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  const label = ({ kind, name }: KeyedStep) => `${kind} ${name}`;
  const parts = diffArrays(a.map(label), b.map(label), { maxEditLength: MAX_NAME_EDITS });
  const pairs: AlignedPair[] = [];
  let [i, j] = [0, 0];
  for (const { count, added, removed } of parts ?? []) {
    for (let k = 0; k < count; k++) pairs.push({ a: added ? -1 : i++, b: removed ? -1 : j++ });
  }
  while (i < a.length && j < b.length && label(a[i] as KeyedStep) === label(b[j] as KeyedStep))
    pairs.push({ a: i++, b: j++ });
  while (i < a.length) pairs.push({ a: i++, b: -1 });
  while (j < b.length) pairs.push({ a: -1, b: j++ });
  return pairs;
}
