import { type Json, jsonIn } from './json.ts';

const STRUCTURED = /^\s*[[{]/;

/** A text that holds a JSON object or array becomes what it spells; any other value stays as it is. */
export function spelledOut(value: Json): Json;
export function spelledOut(value: Json | undefined): Json | undefined;
export function spelledOut(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !STRUCTURED.test(value)) return value;
  return jsonIn(value) ?? value;
}

const FENCED = /^```\w*\s*([{[][\s\S]*)```$/;

/** As {@link spelledOut}, and also reads JSON in a Markdown fence, as models like to write it. */
export function spelledInFence(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  const inner = spelledOut(FENCED.exec(value.trim())?.[1] ?? value);
  return typeof inner === 'string' ? value : inner;
}

/** A text that was written as JSON; any other value as it is. */
export function unquoted(value: Json): Json;
export function unquoted(value: Json | undefined): Json | undefined;
export function unquoted(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !value.startsWith('"')) return value;
  const text = jsonIn(value);
  return typeof text === 'string' ? text : value;
}
