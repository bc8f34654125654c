import { canonical, isRawNumber, type Json, type JsonObject, pointerPart } from '../../json/index.ts';
import type { StepKind } from '../rules.ts';
import { isContainer } from '../values/canonical.ts';
import type { PathRules } from '../values/paths.ts';

export interface Changed {
  readonly value: Json;
  readonly pointer: string;
}

/** Quoted text is not a claim of the answer. */
export const QUOTED = /```[\s\S]*?```|`[^`]*`|"[^"]*"|“[^“”]*”/g;

/** The text with blanks in place of some parts, so that indexes stay valid. */
export function blanked(text: string, parts: RegExp): string {
  return text.replace(parts, (part) => ' '.repeat(part.length));
}

/** Leaves that are tried, which bounds the cost of huge values. */
const MAX_LEAVES = 100;

/** The value with one scalar changed: the first one, from a place on, that can be changed and is compared. */
export function changedLeaf(
  value: Json | undefined,
  place: number,
  isSeen: (value: Json) => boolean,
  change: (leaf: Json, pointer: string) => Json | undefined,
): Changed | undefined {
  if (value === undefined) return undefined;
  for (const keys of rotated(scalarsIn(value), place)) {
    const pointer = keys.map(pointerPart).join('');
    const leaf = keys.reduce<Json>((at, key) => (at as JsonObject)[key] as Json, value);
    const other = change(leaf, pointer);
    if (other === undefined) continue;
    const changed = replacedAt(value, keys, other);
    if (isSeen(changed)) return { value: changed, pointer };
  }
  return undefined;
}

function scalarsIn(value: Json): string[][] {
  const found: string[][] = [];
  const visit = (at: Json, keys: string[]): void => {
    if (found.length >= MAX_LEAVES) return;
    if (!isContainer(at)) found.push(keys);
    else for (const [key, item] of Object.entries(at)) visit(item, [...keys, key]);
  };
  visit(value, []);
  return found;
}

function replacedAt(value: Json, [key, ...rest]: readonly string[], by: Json): Json {
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? replacedAt(item, rest, by) : item));
  }
  // `fromEntries` makes own keys of all names, including `__proto__`.
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, item]) => [name, name === key ? replacedAt(item, rest, by) : item]),
  );
}

/** A user who ignores a place does not expect reports about it. */
export function isSeenBy(
  { strip }: PathRules,
  step: { kind: StepKind; name?: string; value: Json | undefined },
  value: Json | undefined,
): boolean {
  return canonical(strip({ ...step, value }).value) !== canonical(strip(step).value);
}

/** Another value of the same type. Numbers become negative, which no clock writes, and change by more than the tolerance. */
export function otherScalar(value: Json, tolerance: number, only?: 'number'): Json | undefined {
  if (typeof value === 'number') return value >= 0 ? -value - 1 - tolerance : value - 1 - tolerance;
  if (only !== undefined) return undefined;
  if (typeof value === 'string') return `${value}~changed`;
  return typeof value === 'boolean' ? !value : undefined;
}

/** Seconds since 1970; such a number may already be renamed to a text. */
const MAY_BE_TIME = 1e9;

export function otherType(value: Json): Json | undefined {
  if (isRawNumber(value)) return undefined;
  if (typeof value === 'boolean' || (typeof value === 'number' && value < MAY_BE_TIME)) return String(value);
  return value === null ? '' : [value];
}

export function rotated<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
