import type { Json } from '../../json/index.ts';
import { leavesIn, mapLeaves } from '../values/canonical.ts';
import type { Call, Message, Part, Script } from './script.ts';

/** A value somewhere in a script, and how to replace it. */
export interface Place {
  readonly value: Json;
  readonly kind: 'prose' | 'args' | 'result' | 'error';
  readonly set: (value: Json) => unknown;
}

/** It came from a tool or a failure, not from the model. */
function isGiven({ kind }: Place): boolean {
  return kind === 'result' || kind === 'error';
}

/** Every value of a script, in the order in which it came about. */
function valuesOf(script: Script): Place[] {
  const { final } = script;
  const places = placesIn(script.parts);
  if (final !== undefined) {
    places.push({ value: final.value, kind: 'prose', set: (value) => Object.assign(final, { value }) });
  }
  return places;
}

function placesIn(parts: readonly Part[]): Place[] {
  const places: Place[] = [];
  for (let start = 0, end = 0; start < parts.length; start = end) {
    const part = parts[start] as Part;
    end = start + 1;
    if (part.kind === 'failure') {
      places.push({ value: part.value, kind: 'error', set: (value) => Object.assign(part, { value }) });
    } else if (part.kind === 'message') {
      places.push(...saidIn(part), ...placesInCalls(part.calls));
    } else {
      const isAtOnce = (other: Part | undefined) =>
        other?.kind === 'call' && part.group !== undefined && other.group === part.group;
      while (isAtOnce(parts[end])) end++;
      places.push(...placesInCalls(parts.slice(start, end) as Call[]));
    }
  }
  return places;
}

function saidIn(message: Message): Place[] {
  const { texts, error } = message;
  const said = texts.map((value, index): Place => {
    return { value, kind: 'prose', set: (text) => texts.splice(index, 1, text) };
  });
  if (error === undefined) return said;
  return [...said, { value: error, kind: 'error', set: (changed) => Object.assign(message, { error: changed }) }];
}

/** Parallel calls: all arguments are written before the first outcome. */
function placesInCalls(calls: readonly Call[]): Place[] {
  const asked = calls.flatMap((call): Place[] =>
    call.args === undefined
      ? []
      : [{ value: call.args, kind: 'args', set: (changed) => Object.assign(call, { args: changed }) }],
  );
  const came = calls.flatMap(({ inner, outcome }): Place[] => {
    const own: Place[] =
      outcome?.value === undefined
        ? []
        : [{ value: outcome.value, kind: outcome.kind, set: (value) => Object.assign(outcome, { value }) }];
    return [...placesIn(inner), ...own];
  });
  return [...asked, ...came];
}

/** @returns whether any value changed */
export function mapValues(script: Script, change: (value: Json, kind: Place['kind']) => Json): boolean {
  let isChanged = false;
  for (const { value, kind, set } of valuesOf(script)) {
    const changed = change(value, kind);
    if (changed === value) continue;
    set(changed);
    isChanged = true;
  }
  return isChanged;
}

/** Tokens of a shape, each with whether something other than the model wrote it first. */
export function tokensIn(script: Script, shape: RegExp): Map<string, boolean> {
  const everywhere = new RegExp(shape.source, `${shape.flags}g`);
  return firstPlaces(script, (leaf) => (typeof leaf === 'string' ? (leaf.match(everywhere) ?? []) : []));
}

/** Numbers, each with whether something other than the model wrote it first. */
export function numbersIn(script: Script): Map<number, boolean> {
  return firstPlaces(script, (leaf) => (typeof leaf === 'number' ? [leaf] : []));
}

function firstPlaces<T>(script: Script, partsOf: (leaf: string | number) => readonly T[]): Map<T, boolean> {
  const found = new Map<T, boolean>();
  for (const place of valuesOf(script)) {
    for (const part of leavesIn(place.value).flatMap(partsOf)) if (!found.has(part)) found.set(part, isGiven(place));
  }
  return found;
}

export function replaceTokens(script: Script, shape: RegExp, by: ReadonlyMap<string, string>): void {
  mapValues(script, (value) => mapLeaves(value, (text) => text.replace(shape, (token) => by.get(token) ?? token)));
}
