import type { Json } from '../contract/index.ts';
import { mapLeaves } from './canonical.ts';
import type { Part, Script } from './script.ts';

/** A value somewhere in a script, and how to put another one there. */
export interface Place {
  readonly value: Json;
  readonly kind: 'prose' | 'args' | 'result' | 'error';
  readonly set: (value: Json) => unknown;
}

/** It came from a tool or from whatever failed, and not from the model. */
function isGiven({ kind }: Place): boolean {
  return kind === 'result' || kind === 'error';
}

/** Every value of a script, in the order of its steps. */
function valuesOf(script: Script): Place[] {
  const { final } = script;
  const places = script.parts.flatMap(placesIn);
  if (final !== undefined) {
    places.push({ value: final.value, kind: 'prose', set: (value) => Object.assign(final, { value }) });
  }
  return places;
}

function placesIn(part: Part): Place[] {
  if (part.kind === 'failure') {
    return [{ value: part.value, kind: 'error', set: (value) => Object.assign(part, { value }) }];
  }
  if (part.kind === 'message') {
    const { texts, error, calls } = part;
    const said = texts.map((value, index): Place => {
      return { value, kind: 'prose', set: (text) => texts.splice(index, 1, text) };
    });
    const failure: Place[] =
      error === undefined
        ? []
        : [{ value: error, kind: 'error', set: (changed) => Object.assign(part, { error: changed }) }];
    return [...said, ...failure, ...calls.flatMap(placesIn)];
  }
  const { args, inner, outcome } = part;
  const asked: Place[] =
    args === undefined ? [] : [{ value: args, kind: 'args', set: (changed) => Object.assign(part, { args: changed }) }];
  const came: Place[] =
    outcome?.value === undefined
      ? []
      : [{ value: outcome.value, kind: outcome.kind, set: (value) => Object.assign(outcome, { value }) }];
  return [...asked, ...inner.flatMap(placesIn), ...came];
}

/** @returns whether any value has become another */
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
  const tokens = new Map<string, boolean>();
  const everywhere = new RegExp(shape.source, `${shape.flags}g`);
  for (const place of valuesOf(script)) {
    mapLeaves(
      place.value,
      (text) => {
        for (const [token] of text.matchAll(everywhere)) if (!tokens.has(token)) tokens.set(token, isGiven(place));
        return text;
      },
      (number) => number,
    );
  }
  return tokens;
}

/** Numbers, each with whether something other than the model wrote it first. */
export function numbersIn(script: Script): Map<number, boolean> {
  const numbers = new Map<number, boolean>();
  for (const place of valuesOf(script)) {
    mapLeaves(
      place.value,
      (text) => text,
      (number) => {
        if (!numbers.has(number)) numbers.set(number, isGiven(place));
        return number;
      },
    );
  }
  return numbers;
}

export function replaceTokens(script: Script, shape: RegExp, by: ReadonlyMap<string, string>): void {
  mapValues(script, (value) =>
    mapLeaves(
      value,
      (text) => text.replace(shape, (token) => by.get(token) ?? token),
      (number) => number,
    ),
  );
}
