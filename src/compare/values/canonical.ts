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
} from '../../contract/index.ts';

export { byCodeUnit, canonical, plain, tooDeep } from '../../contract/index.ts';

/** An object by the keys as they are compared, in that order. */
export function entriesInOrder(object: JsonObject): Map<string, Json> {
  return new Map(keysInOrder(object).map((key) => [plain(key), object[key] as Json]));
}

/** A text as a reader sees it: trimmed, runs of blanks joined, code left alone. */
export function readable(text: string): string {
  return plain(text)
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\s{2,}|[^\S ]/g, ' ')))
    .join('')
    .trim();
}

/**
 * The same value with every string and number passed through, in the order of the canonical text; what the mapping
 * leaves alone is not copied.
 * @throws AgentReplayError INPUT_INVALID as {@link canonical} does
 */
export function mapLeaves(value: Json, text: (text: string) => Json, number: (number: number) => Json): Json {
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
    // fromEntries defines own properties, so that a key like `__proto__` stays data.
    return isChanged ? Object.fromEntries(names.map((name, index) => [name, items[index] as Json])) : of;
  };
  return mapped(value, 0);
}

export function sameValue(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonical(a) === canonical(b);
}

export function isContainer(value: Json | undefined): value is Json[] | { [key: string]: Json } {
  return Array.isArray(value) || isJsonObject(value);
}
