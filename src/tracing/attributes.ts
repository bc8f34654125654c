import { type Json, JsonError, parseJson } from '../contract/index.ts';

/** Attributes by key. A map, so that no key from outside can reach a prototype. */
export type Attributes = Map<string, Json>;

/** The first of some attributes that is set to something. */
export function firstText(attributes: Attributes, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (value === undefined || value === null || value === '' || value === false) continue;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  return undefined;
}

const STRUCTURED = /^\s*[[{]/;

/** A value that holds a JSON object or array as text becomes that object or array; any other stays as it is. */
export function structured(value: Json): Json;
export function structured(value: Json | undefined): Json | undefined;
export function structured(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !STRUCTURED.test(value)) return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof JsonError) return value;
    throw error;
  }
}
