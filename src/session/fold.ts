import { atPointer, isJsonObject, isRawNumber, type Json, type JsonObject, pointerPart } from '../json/index.ts';

/**
 * Each turn of a conversation is recorded together with the turns before it, so their text is repeated in every later turn.
 * In a large pin, a list that contains part of an earlier one refers to it: `{ "$items": [0, 12], "of":
 * "/turns/3/request/messages" }` stands for its items 0 to 11. Pointers lead through the unfolded pin, so a reference may
 * lead to another one.
 */
interface Reference extends JsonObject {
  $items: [number, number];
  of: string;
}

/** Smaller pins (in characters of JSON) stay whole, because they are easier to read. */
const FOLDED_FROM = 256 * 1024;
/** A reference must save this many characters to be worth its line. */
const MIN_SAVED = 400;

/** Undefined if references would save too little, or if the value contains something that looks like one. */
export function folded(value: JsonObject): JsonObject | undefined {
  const sizes = new Sizes();
  if (sizes.of(value) < FOLDED_FROM || holdsReference(value)) return undefined;
  return new Folding(sizes).object(value, '');
}

/** Numbers each distinct value, and knows its length as JSON. */
class Sizes {
  readonly #ids = new Map<string, number>();
  readonly #sizes: number[] = [];
  readonly #known = new Map<object, number>();

  of(value: Json): number {
    return this.#sizes[this.id(value)] as number;
  }

  id(value: Json): number {
    if (typeof value !== 'object' || value === null) return this.#numbered(JSON.stringify(value), 0);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const parts = isRawNumber(value) ? [] : entriesOf(value);
    const text = isRawNumber(value)
      ? JSON.stringify(value)
      : parts.map(([key, part]) => `${Array.isArray(value) ? '' : JSON.stringify(key)}#${this.id(part)}`).join();
    const inner = parts.reduce((sum, [key, part]) => sum + key.length + this.of(part), 0);
    const id = this.#numbered(`${Array.isArray(value) ? '[' : '{'}${text}`, inner);
    this.#known.set(value, id);
    return id;
  }

  #numbered(text: string, inner: number): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#sizes.length;
    this.#ids.set(text, id);
    this.#sizes.push(inner === 0 ? text.length : inner + 2);
    return id;
  }
}

/** Starts of earlier lists, item by item. */
interface Beginning {
  readonly next: Map<number, Beginning>;
  /** The first list that starts so. */
  readonly of: string;
}

class Folding {
  readonly #sizes: Sizes;
  /** By the index at which comparing starts: a first item such as a prompt with the time may differ in each turn. */
  readonly #beginnings: readonly Beginning[] = [0, 1].map(() => ({ next: new Map(), of: '' }));

  constructor(sizes: Sizes) {
    this.#sizes = sizes;
  }

  object(value: JsonObject, pointer: string): JsonObject {
    const entries = entriesOf(value).map(([key, item]) => [key, this.#value(item, pointer + pointerPart(key))]);
    return Object.fromEntries(entries) as JsonObject;
  }

  #value(value: Json, pointer: string): Json {
    if (Array.isArray(value)) return this.#list(value, pointer);
    return isJsonObject(value) ? this.object(value, pointer) : value;
  }

  #list(items: Json[], pointer: string): Json[] {
    const found = this.#beginnings.map((_, from) => this.#known(items, from));
    const best = longest(found);
    const own = (from: number, to: number) =>
      items.slice(from, to).map((item, at) => this.#value(item, pointer + pointerPart(from + at)));
    const list =
      best === undefined
        ? own(0, items.length)
        : [...own(0, best.$items[0]), best, ...own(best.$items[1], items.length)];
    for (const from of this.#beginnings.keys()) this.#remember(items, from, pointer);
    return list;
  }

  /** The longest part of an earlier list that this one contains from here on. */
  #known(items: readonly Json[], from: number): Reference | undefined {
    let [at, to, saved] = [this.#beginnings[from] as Beginning, from, 0];
    for (; to < items.length; to++) {
      const next = at.next.get(this.#sizes.id(items[to] as Json));
      if (next === undefined) break;
      at = next;
      saved += this.#sizes.of(items[to] as Json);
    }
    return saved < MIN_SAVED ? undefined : { $items: [from, to], of: at.of };
  }

  #remember(items: readonly Json[], from: number, of: string): void {
    let at = this.#beginnings[from] as Beginning;
    for (const item of items.slice(from)) {
      const id = this.#sizes.id(item);
      const next = at.next.get(id) ?? { next: new Map(), of };
      at.next.set(id, next);
      at = next;
    }
  }
}

function longest(references: readonly (Reference | undefined)[]): Reference | undefined {
  const length = (each: Reference | undefined) => (each === undefined ? 0 : each.$items[1] - each.$items[0]);
  return references.reduce((best, each) => (length(each) > length(best) ? each : best));
}

export class FoldError extends Error {
  readonly pointer: string;

  constructor(message: string, pointer: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** Far above any recording. A few lines must not unfold to more than the memory. */
const MAX_VALUES = 50_000_000;

/**
 * Replaces references by the items they stand for, which are shared, not copied.
 * @throws FoldError
 */
export function unfolded(value: JsonObject): JsonObject {
  const root: JsonObject = {};
  fill(root, value, '', root);
  if (countOf(root, new Map()) > MAX_VALUES) throw new FoldError(`unfolds to more than ${MAX_VALUES} values`, '');
  return root;
}

function fill(target: JsonObject, value: JsonObject, pointer: string, root: JsonObject): void {
  for (const [key, item] of Object.entries(value)) {
    const place = { value: emptyOf(item), writable: true, enumerable: true, configurable: true };
    Object.defineProperty(target, key, place);
    fillItem(place.value, item, pointer + pointerPart(key), root);
  }
}

/** An empty container for an item, filled later: a reference may lead into a list that is still being read. */
function emptyOf(item: Json): Json {
  if (Array.isArray(item)) return [];
  return isJsonObject(item) ? {} : item;
}

function fillItem(target: Json, item: Json, pointer: string, root: JsonObject): void {
  if (isJsonObject(item)) fill(target as JsonObject, item, pointer, root);
  if (!Array.isArray(item)) return;
  const list = target as Json[];
  for (const each of item) {
    const at = pointer + pointerPart(list.length);
    if (isReference(each)) list.push(...referred(each, at, root));
    else {
      const empty = emptyOf(each);
      list.push(empty);
      fillItem(empty, each, at, root);
    }
  }
}

function referred({ $items: [from, to], of }: Reference, pointer: string, root: JsonObject): Json[] {
  const value = atPointer(root, of);
  if (!Array.isArray(value) || value.length < to) {
    throw new FoldError(`refers to ${of}, which holds no ${to} items further up`, pointer);
  }
  return value.slice(from, to);
}

function isReference(value: Json | undefined): value is Reference {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return false;
  const { $items, of } = value;
  if (!Array.isArray($items) || typeof of !== 'string' || $items.length !== 2) return false;
  const [from, to] = $items as [Json, Json];
  return Number.isInteger(from) && Number.isInteger(to) && (from as number) >= 0 && (from as number) <= (to as number);
}

/** Undefined values are not written. */
export function entriesOf(value: Json[] | JsonObject): [string, Json][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}

function holdsReference(value: Json, seen = new Set<object>()): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value) || seen.has(value)) return false;
  seen.add(value);
  return isReference(value) || Object.values(value).some((item) => holdsReference(item, seen));
}

/** The number of all values below; a shared value counts at each of its places. */
function countOf(value: Json, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 1;
  const before = known.get(value);
  if (before !== undefined) return before;
  const count = Object.values(value).reduce<number>((sum, item) => sum + countOf(item, known), 1);
  known.set(value, count);
  return count;
}
