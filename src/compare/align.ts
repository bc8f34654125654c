import { diffArrays } from 'diff';
import { byCodeUnit } from './canonical.ts';
import type { KeyedStep } from './project.ts';
import { commonPrefix } from './trie.ts';

/** One line of an alignment: indexes into both sides, -1 where a side has nothing. */
export interface AlignedPair {
  readonly a: number;
  readonly b: number;
}

/** Same tool, other value. */
const COST_VALUE = 0.6;
const COST_GAP = 1;
/** Another tool at the same place: a little cheaper than one missing and one extra. */
const COST_NAME = 1.8;
/** More cells than this are not filled in (2,000 x 2,000 steps, 70 ms): beyond it names alone are aligned. */
const MAX_CELLS = 4_000_000;
/** Edits after which two sequences of names have so little in common that no alignment explains anything. */
const MAX_NAME_EDITS = 2_000;

/**
 * Aligns two runs to explain their differences. Needleman-Wunsch on what is between the common prefix and suffix, with
 * a fixed tie-break; exchanging the sides exchanges the answer.
 */
export function align(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  if (isSecond(a, b)) return align(b, a).map((pair) => ({ a: pair.b, b: pair.a }));
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

/** A fixed order of the two sides, so that ties fall the same way whichever comes first. */
function isSecond(a: readonly KeyedStep[], b: readonly KeyedStep[]): boolean {
  if (a.length !== b.length) return a.length > b.length;
  const at = a.findIndex(({ exact }, index) => exact !== b[index]?.exact);
  return at !== -1 && byCodeUnit(a[at]?.exact ?? '', b[at]?.exact ?? '') > 0;
}

function alignMiddle(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  return (a.length + 1) * (b.length + 1) <= MAX_CELLS ? needlemanWunsch(a, b) : byNames(a, b);
}

function substitution(a: KeyedStep, b: KeyedStep): number {
  if (a.exact === b.exact) return 0;
  // A result in the place of an error is the same call that ended in another way.
  const sameKind = a.kind === b.kind || (isOutcome(a) && isOutcome(b));
  if (!sameKind) return Number.POSITIVE_INFINITY;
  if (a.name !== b.name) return a.kind === 'call' ? COST_NAME : Number.POSITIVE_INFINITY;
  return COST_VALUE;
}

function isOutcome({ kind, name }: KeyedStep): boolean {
  return (kind === 'result' || kind === 'error') && name !== undefined;
}

function needlemanWunsch(a: readonly KeyedStep[], b: readonly KeyedStep[]): AlignedPair[] {
  const width = b.length + 1;
  const cost = new Float64Array((a.length + 1) * width);
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        cost[i * width + j] = (i + j) * COST_GAP;
        continue;
      }
      const diagonal = at(cost, (i - 1) * width + j - 1) + substitution(a[i - 1] as KeyedStep, b[j - 1] as KeyedStep);
      const gap = Math.min(at(cost, (i - 1) * width + j), at(cost, i * width + j - 1)) + COST_GAP;
      cost[i * width + j] = Math.min(diagonal, gap);
    }
  }
  const pairs: AlignedPair[] = [];
  for (let i = a.length, j = b.length; i > 0 || j > 0; ) {
    const here = at(cost, i * width + j);
    const diagonal =
      i > 0 && j > 0
        ? at(cost, (i - 1) * width + j - 1) + substitution(a[i - 1] as KeyedStep, b[j - 1] as KeyedStep)
        : Number.POSITIVE_INFINITY;
    if (isSame(here, diagonal)) pairs.push({ a: --i, b: --j });
    else if (i > 0 && isSame(here, at(cost, (i - 1) * width + j) + COST_GAP)) pairs.push({ a: --i, b: -1 });
    else pairs.push({ a: -1, b: --j });
  }
  return pairs.reverse();
}

function at(cells: Float64Array, index: number): number {
  return cells[index] as number;
}

/** Sums of 0.6, 1 and 1.8 in another order differ in the last bits. */
function isSame(x: number, y: number): boolean {
  return Math.abs(x - y) < 1e-6;
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
