import { type Json, JsonError, parseJson } from '../../json/index.ts';

/** A text that was written as JSON; any other value as it is. */
export function unquoted(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !value.startsWith('"')) return value;
  try {
    const text = parseJson(value);
    return typeof text === 'string' ? text : value;
  } catch (error) {
    if (error instanceof JsonError) return value;
    throw error;
  }
}
