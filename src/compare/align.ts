import { diffArrays } from 'diff';
import { byCodeUnit } from './canonical.ts';
import { besideRecorded } from './parallel.ts';
import type { KeyedStep } from './project.ts';
import { isOutcome } from './tools.ts';
import { commonPrefix } from './trie.ts';

/** One line of an alignment: indexes into both sides, -1 where a side has nothing. */
export interface AlignedPair {
  readonly a: number;
  readonly b: number;
}

/** Costs in tenths. Same tool, other value. */
const COST_VALUE = 6;
const COST_GAP = 10;
/** Another tool at the same place: a little cheaper than one missing and one extra. */
const COST_NAME = 18;
/** Dearer than two gaps: never laid side by side. */
const COST_NEVER = 1_000;
/** More cells than this are not filled in (2,000 x 2,000 steps, 70 ms): beyond it names alone are aligned. */
const MAX_CELLS = 4_000_000;
/** Edits after which two sequences of names have so little in common that no alignment explains anything. */
const MAX_NAME_EDITS = 500;

/**
 * Aligns two runs to explain their differences: parallel calls beside those that they equal, then Needleman-Wunsch on
 * what is between the common prefix and suffix, with a fixed tie-break; exchanging the sides exchanges the answer.
 */
export function align(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  if (isSecond(a, b)) return align(b, a).map((pair) => ({ a: pair.b, b: pair.a }));
  const places = besideRecorded(a, b);
  const laid = places.map((place) => b[place] as KeyedStep);
  return alignInOrder(a, laid).map((pair) => ({ a: pair.a, b: pair.b < 0 ? -1 : (places[pair.b] as number) }));
}

function alignInOrder(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  const [left, right] = [a.map(({ exact }) => exact), b.map(({ exact }) => exact)];
  const prefix = commonPrefix(left, right);
  const suffix = commonPrefix(left.slice(prefix).reverse(), right.slice(prefix).reverse());
  const middle = alignMiddle(a.slice(prefix, a.length - suffix), b.slice(prefix, b.length - suffix));
  return [
    ...Array.from({ length: prefix }, (_, i) => ({ a: i, b: i })),
    ...middle.map((pair) => ({ a: pair.a < 0 ? -1 : pair.a + prefix, b: pair.b < 0 ? -1 : pair.b + prefix })),
    ...Array.from({ length: suffix }, (_, i) => ({ a: a.length - suffix + i, b: b.length - suffix + i })),
  ];
}

/** A fixed order of the two sides, so that ties fall the same way whichever comes first and names the ids. */
function isSecond(a: readonly KeyedStep[], b: readonly KeyedStep[]): boolean {
  if (a.length !== b.length) return a.length > b.length;
  const at = a.findIndex(({ loose }, index) => loose !== b[index]?.loose);
  return at !== -1 && byCodeUnit(a[at]?.loose ?? '', b[at]?.loose ?? '') > 0;
}

function alignMiddle(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  return (a.length + 1) * (b.length + 1) <= MAX_CELLS ? needlemanWunsch(a, b) : byNames(a, b);
}

/** What a step is compared by in the inner loop: numbers instead of texts. */
interface Label {
  readonly exact: number;
  readonly name: number;
  /** Results and errors of a tool share one: an error in the place of a result is the same call that ended otherwise. */
  readonly kind: string;
}

function labelsOf(steps: readonly KeyedStep[], numbers: Map<string, number>): Label[] {
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  return steps.map((step) => ({
    exact: numberOf(step.exact),
    name: numberOf(`name ${step.name}`),
    kind: isOutcome(step) ? 'outcome' : step.kind,
  }));
}

function substitution(a: Label, b: Label): number {
  if (a.exact === b.exact) return 0;
  if (a.kind !== b.kind) return COST_NEVER;
  if (a.name !== b.name) return a.kind === 'call' ? COST_NAME : COST_NEVER;
  return COST_VALUE;
}

function needlemanWunsch(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): AlignedPair[] {
  const numbers = new Map<string, number>();
  const [a, b] = [labelsOf(recorded, numbers), labelsOf(replayed, numbers)];
  const width = b.length + 1;
  const cost = new Int32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => cost[i * width + j] as number;
  for (let j = 0; j <= b.length; j++) cost[j] = j * COST_GAP;
  for (let i = 1; i <= a.length; i++) {
    const label = a[i - 1] as Label;
    cost[i * width] = i * COST_GAP;
    for (let j = 1; j <= b.length; j++) {
      const diagonal = at(i - 1, j - 1) + substitution(label, b[j - 1] as Label);
      const gap = Math.min(at(i - 1, j), at(i, j - 1)) + COST_GAP;
      cost[i * width + j] = Math.min(diagonal, gap);
    }
  }
  const pairs: AlignedPair[] = [];
  for (let i = a.length, j = b.length; i > 0 || j > 0; ) {
    const isDiagonal =
      i > 0 && j > 0 && at(i, j) === at(i - 1, j - 1) + substitution(a[i - 1] as Label, b[j - 1] as Label);
    if (isDiagonal) pairs.push({ a: --i, b: --j });
    else if (i > 0 && at(i, j) === at(i - 1, j) + COST_GAP) pairs.push({ a: --i, b: -1 });
    else pairs.push({ a: -1, b: --j });
  }
  return pairs.reverse();
}

/** Myers on kinds and names; where even they differ too much, place by place. */
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
