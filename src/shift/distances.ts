import { type Answer, type CallMade, leavesIn } from './run.ts';
import { pairsOf } from './word-pairs.ts';

/** Distances are counted in millionths. */
export const UNIT = 1_000_000;

/**
 * For each pair of runs, row by row above the diagonal, their distance from 0 to {@link UNIT}. Runs with equal keys have
 * distance 0, and each pair of kinds is measured once.
 */
export function pairwise<T>(
  runs: readonly { readonly key: string; readonly value: T }[],
  distance: (one: T, other: T) => number,
): Int32Array {
  const kinds = [...new Map(runs.map(({ key, value }) => [key, value]))];
  const kindOf = new Map(kinds.map(([key], index) => [key, index]));
  const known = kinds.map(([, one], index) =>
    kinds.slice(0, index).map(([, other]) => Math.round(distance(one, other) * UNIT)),
  );
  const numbers = runs.map(({ key }) => kindOf.get(key)!);
  return Int32Array.from(
    numbers.flatMap((one) => numbers.map((other) => known[Math.max(one, other)]?.[Math.min(one, other)] ?? 0)),
  );
}

/** Cells of one edit distance, for some 300 differing calls per side: keeps all pairs under a second. */
const MAX_CELLS = 100_000;

/** Calls of runs as numbers, equal calls with equal numbers, and the cost of replacing one by another. */
export class CallDistances {
  readonly #numbers = new Map<string, number>();
  readonly #calls: { readonly tool: string; readonly tokens: ReadonlySet<string> }[] = [];
  readonly #costs = new Map<number, number>();

  numbersOf(calls: readonly CallMade[]): readonly number[] {
    return calls.map(({ tool, tokens }) => {
      const key = JSON.stringify([tool, tokens]);
      const number = this.#numbers.get(key) ?? this.#calls.push({ tool, tokens: new Set(tokens) }) - 1;
      this.#numbers.set(key, number);
      return number;
    });
  }

  /**
   * Edit distance divided by the length of the longer run. A call that only one run makes costs 1, and so does another tool
   * in its place. The same tool with other arguments costs half of the arguments' difference. Beyond {@link MAX_CELLS}
   * shared calls are counted, in any order.
   */
  between(one: readonly number[], other: readonly number[]): number {
    const longer = Math.max(one.length, other.length);
    if (longer === 0) return 0;
    let [from, toOne, toOther] = [0, one.length, other.length];
    while (from < toOne && from < toOther && one[from] === other[from]) from++;
    while (from < toOne && from < toOther && one[toOne - 1] === other[toOther - 1]) {
      toOne--;
      toOther--;
    }
    const [a, b] = [one.slice(from, toOne), other.slice(from, toOther)];
    return (a.length * b.length > MAX_CELLS ? bagDistance(a, b) : this.#editDistance(a, b)) / longer;
  }

  #editDistance(a: readonly number[], b: readonly number[]): number {
    let row = Float64Array.from({ length: b.length + 1 }, (_, index) => index);
    let next = new Float64Array(b.length + 1);
    for (const [index, call] of a.entries()) {
      next[0] = index + 1;
      for (let at = 1; at <= b.length; at++) {
        const swapped = row[at - 1]! + this.#cost(call, b[at - 1]!);
        next[at] = Math.min(swapped, row[at]! + 1, next[at - 1]! + 1);
      }
      [row, next] = [next, row];
    }
    return row[b.length]!;
  }

  /** Computed once per pair. */
  #cost(one: number, other: number): number {
    if (one === other) return 0;
    const pair = Math.min(one, other) * 2 ** 26 + Math.max(one, other);
    const known = this.#costs.get(pair);
    if (known !== undefined) return known;
    const [a, b] = [this.#calls[one], this.#calls[other]];
    const cost = a === undefined || b === undefined || a.tool !== b.tool ? 1 : jaccard(a.tokens, b.tokens) / 2;
    this.#costs.set(pair, cost);
    return cost;
  }
}

function bagDistance(a: readonly number[], b: readonly number[]): number {
  const left = new Map<number, number>();
  for (const call of a) left.set(call, (left.get(call) ?? 0) + 1);
  let shared = 0;
  for (const call of b) {
    const count = left.get(call) ?? 0;
    if (count > 0) shared++;
    left.set(call, count - 1);
  }
  return Math.max(a.length, b.length) - shared;
}

type Parts = ReadonlySet<string>;

/** What each leaf of an answer says, and for prose its words with their pairs. */
type TakenApart = ReadonlyMap<string, { readonly value: string; readonly parts?: Parts }>;

export function takenApart(answer: Answer): TakenApart {
  return new Map(
    leavesIn(answer).map(({ pointer, value, words }) => [pointer, { value, ...(words && { parts: partsOf(words) }) }]),
  );
}

function partsOf(words: readonly string[]): Parts {
  const found = new Set(words);
  for (const [first, second] of pairsOf(words)) found.add(`${first} ${second}`);
  return found;
}

/** Distance of two runs' answers: the mean over their turns; a turn that only one answered counts 1. */
export function answerDistance(one: readonly TakenApart[], other: readonly TakenApart[]): number {
  const turns = Math.max(one.length, other.length);
  if (turns === 0) return 0;
  let sum = 0;
  for (let turn = 0; turn < turns; turn++) {
    const [a, b] = [one[turn], other[turn]];
    sum += a === undefined || b === undefined ? 1 : betweenAnswers(a, b);
  }
  return sum / turns;
}

/** The share of leaves that differ, prose by its words and pairs. */
function betweenAnswers(one: TakenApart, other: TakenApart): number {
  const pointers = new Set([...one.keys(), ...other.keys()]);
  let differing = 0;
  for (const pointer of pointers) {
    const [a, b] = [one.get(pointer), other.get(pointer)];
    if (a?.parts && b?.parts) differing += jaccard(a.parts, b.parts);
    else if (a?.value !== b?.value) differing++;
  }
  return pointers.size === 0 ? 0 : differing / pointers.size;
}

/** The share of elements that are not in both of two sets; 0 if both are empty. */
function jaccard(one: Parts, other: Parts): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const each of small) if (large.has(each)) shared++;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : 1 - shared / all;
}
