import { atPointer, isJsonObject, type Json, plain, pointerPart, pointerParts, present } from '../../json/index.ts';
import type { Change } from '../shapes/result.ts';
import type { CompareRules } from '../shapes/rules.ts';
import type { Step } from '../shapes/step.ts';
import { entriesOfBoth, sameValue } from './canonical.ts';

/** The place that a user's rule names: the part of a step, and the keys of the pointer, `*` for any. */
interface Path {
  readonly tool: string | undefined;
  readonly part: 'args' | 'result' | 'output';
  readonly keys: readonly string[];
}

/** The user's rules about places in values, compiled. */
export interface PathRules {
  /** The step without ignored values. */
  strip<S extends Step>(step: S): S;
  /** How much two numbers at this pointer may differ. */
  tolerance(step: Step, pointer: string): number;
}

export function pathRules(rules: Pick<CompareRules, 'ignore' | 'tolerance'>): PathRules {
  const ignored = rules.ignore.map(parsePath);
  const tolerances = Object.entries(rules.tolerance).map(([path, by]) => ({ path: parsePath(path), by }));
  return {
    strip(step) {
      let { value } = step;
      for (const path of ignored) if (appliesTo(path, step)) value = without(value, path.keys);
      return value === step.value ? step : { ...step, value };
    },
    tolerance(step, pointer) {
      const keys = pointerParts(pointer);
      const matching = tolerances.filter(({ path }) => appliesTo(path, step) && matches(path.keys, keys));
      return Math.max(0, ...matching.map(({ by }) => by));
    },
  };
}

/** The path of a place in a step, as a user would write it in a rule; indexes become `*`. */
export function pathOf(step: Pick<Step, 'kind' | 'name'>, pointer: string): string {
  const generic = pointerParts(pointer).map((key) => pointerPart(/^\d+$/.test(key) ? '*' : key));
  const prefix = step.kind === 'final' ? 'output' : `tool:${step.name}/${step.kind === 'call' ? 'args' : 'result'}`;
  return prefix + generic.join('');
}

export interface LeafDifference {
  readonly pointer: string;
  readonly change: Change;
  readonly recorded?: Json;
  readonly replayed?: Json;
}

/**
 * The leaves at which two values differ, in the order of their pointers.
 * @param options.limit largest number of them
 * @param options.isTolerated numbers at a pointer that are close enough
 */
export function leafDifferences(
  recorded: Json | undefined,
  replayed: Json | undefined,
  { limit, isTolerated }: { limit: number; isTolerated?: (pointer: string, a: number, b: number) => boolean },
): LeafDifference[] {
  const found: LeafDifference[] = [];
  const compare = (a: Json | undefined, b: Json | undefined, pointer: string): void => {
    if (found.length >= limit || a === b) return;
    if (a === undefined || b === undefined) {
      found.push({ pointer, change: a === undefined ? 'added' : 'removed', ...values(a, b) });
    } else if (Array.isArray(a) && Array.isArray(b)) {
      for (let i = 0; i < Math.max(a.length, b.length) && found.length < limit; i++) {
        compare(a[i], b[i], pointer + pointerPart(i));
      }
    } else if (isJsonObject(a) && isJsonObject(b)) {
      for (const [key, left, right] of entriesOfBoth(a, b)) {
        if (found.length >= limit) return;
        if (left !== right) compare(left, right, pointer + pointerPart(key));
      }
    } else if (typeof a === 'number' && typeof b === 'number' && isTolerated?.(pointer, a, b)) {
      return;
    } else if (!sameValue(a, b)) {
      found.push({ pointer, change: typeOf(a) === typeOf(b) ? 'value' : 'type', recorded: a, replayed: b });
    }
  };
  compare(recorded, replayed, '');
  return found;
}

/** Further places in which two values differ make neither of them nearer. */
const MAX_PLACES = 50;

/** Number of places in which two values differ. */
export function placesApart(a: Json | undefined, b: Json | undefined): number {
  return leafDifferences(a, b, { limit: MAX_PLACES }).length;
}

/** The values of a difference on each side, where there is one. */
export function values(
  recorded: Json | undefined,
  replayed: Json | undefined,
): Pick<LeafDifference, 'recorded' | 'replayed'> {
  return { ...present({ recorded, replayed }) };
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isJsonObject(value) || typeof value !== 'object' ? typeof value : 'number';
}

/** Tool names contain no slash; see the pattern in rules.ts. */
function parsePath(path: string): Path {
  const match = /^(?:tool:(?<tool>[^/]+)\/(?<part>args|result)|output)(?<pointer>\/.*)?$/.exec(path);
  const { tool, part = 'output', pointer = '' } = match?.groups ?? {};
  return { tool, part: part as Path['part'], keys: pointerParts(plain(pointer)) };
}

function appliesTo({ tool, part }: Path, step: Step): boolean {
  if (part === 'output') return step.kind === 'final';
  if (tool !== '*' && tool !== step.name) return false;
  return part === 'args' ? step.kind === 'call' : step.kind === 'result';
}

function matches(pattern: readonly string[], keys: readonly string[]): boolean {
  return pattern.length <= keys.length && pattern.every((key, index) => key === '*' || key === keys[index]);
}

/** The value without what is at the keys; unchanged if nothing is there. */
function without(value: Json | undefined, keys: readonly string[]): Json | undefined {
  const [key, ...rest] = keys;
  if (key === undefined || value === undefined) return key === undefined ? undefined : value;
  if (Array.isArray(value)) {
    if (key !== '*' && atPointer(value, pointerPart(key)) === undefined) return value;
    const left = value.map((item, index) => (key === '*' || key === String(index) ? without(item, rest) : item));
    while (left.length > 0 && left.at(-1) === undefined) left.pop();
    // An ignored item before others leaves a hole, so that their indexes stay.
    return left.map((item) => item ?? null);
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]) => {
    if (key !== '*' && key !== plain(name)) return [[name, item] as const];
    const left = without(item, rest);
    return left === undefined ? [] : [[name, left] as const];
  });
  return Object.fromEntries(entries);
}
