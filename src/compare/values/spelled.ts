import { type Json, JsonError, parseJson } from '../../contract/index.ts';

/** Arguments and results that arrive as JSON text are the value that they spell. */
export function spelledOut(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  const first = value.trimStart()[0];
  if (first !== '{' && first !== '[') return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof JsonError) return value;
    throw error;
  }
}

const FENCED = /^```\w*\s*([{[][\s\S]*)```$/;

/** As {@link spelledOut}, also of JSON that is put into a Markdown fence, as models like to. */
export function spelledInFence(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  const inner = spelledOut(FENCED.exec(value.trim())?.[1] ?? value);
  return typeof inner === 'string' ? value : inner;
}
