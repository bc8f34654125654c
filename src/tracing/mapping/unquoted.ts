import { type Json, jsonIn } from '../../json/index.ts';

/** A text that was written as JSON; any other value as it is. */
export function unquoted(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !value.startsWith('"')) return value;
  const text = jsonIn(value);
  return typeof text === 'string' ? text : value;
}
