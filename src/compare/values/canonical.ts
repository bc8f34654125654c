import {
  canonical,
  isJsonObject,
  isRawNumber,
  type Json,
  type JsonObject,
  keysInOrder,
  MAX_DEPTH,
  plain,
  tooDeep,
} from '../../json/index.ts';

/** The keys of two objects in the compared order, each with its value on both sides. */
export function* entriesOfBoth(
  a: JsonObject,
  b: JsonObject,
): Generator<[key: string, Json | undefined, Json | undefined]> {
  const [ours, theirs] = [keysInOrder(a), keysInOrder(b)];
  for (let i = 0, j = 0; i < ours.length || j < theirs.length; ) {
    const [left, right] = [ours[i], theirs[j]];
    const [x, y] = [left === undefined ? undefined : plain(left), right === undefined ? undefined : plain(right)];
    const isOurs = x !== undefined && (y === undefined || x <= y);
    const isTheirs = y !== undefined && (x === undefined || y <= x);
    yield [
      (isOurs ? x : y) as string,
      isOurs ? a[left as string] : undefined,
      isTheirs ? b[right as string] : undefined,
    ];
    if (isOurs) i++;
    if (isTheirs) j++;
  }
}

/** A text as a reader sees it: trimmed, blanks joined, code unchanged. */
export function readable(text: string): string {
  return plain(text)
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\s{2,}|[^\S ]/g, ' ')))
    .join('')
    .trim();
}

/**
 * The same value with every string and number mapped, in the order of the canonical text. Unchanged parts are not copied.
 * @throws AgentReplayError INPUT_INVALID as {@link canonical} does
 */
export function mapLeaves(
  value: Json,
  text: (text: string) => Json,
  number: (number: number) => Json = (same) => same,
): Json {
  const mapped = (of: Json, depth: number): Json => {
    if (typeof of === 'string') return text(of);
    if (typeof of === 'number') return number(of);
    if (typeof of !== 'object' || of === null || isRawNumber(of)) return of;
    if (depth >= MAX_DEPTH) throw tooDeep();
    let isChanged = false;
    const through = (item: Json): Json => {
      const other = mapped(item, depth + 1);
      isChanged ||= other !== item;
      return other;
    };
    if (Array.isArray(of)) {
      const items = of.map(through);
      return isChanged ? items : of;
    }
    const names = keysInOrder(of);
    const items = names.map((name) => through(of[name] as Json));
    // fromEntries defines own properties, so a key like `__proto__` stays data.
    return isChanged ? Object.fromEntries(names.map((name, index) => [name, items[index] as Json])) : of;
  };
  return mapped(value, 0);
}

/** Strings and numbers, in the order of the canonical text. */
export function leavesIn(value: Json): (string | number)[] {
  const leaves: (string | number)[] = [];
  const add = <Leaf extends string | number>(leaf: Leaf): Leaf => {
    leaves.push(leaf);
    return leaf;
  };
  mapLeaves(value, add, add);
  return leaves;
}

export function sameValue(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonical(a) === canonical(b);
}

export function isContainer(value: Json | undefined): value is Json[] | { [key: string]: Json } {
  return Array.isArray(value) || isJsonObject(value);
}
