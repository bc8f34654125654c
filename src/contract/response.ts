import { z } from 'zod';
import { atPointer, isJsonObject, type Json } from '../json/index.ts';
import { PLAINLY } from '../mistakes.ts';
import { type Identifiers, wireNames } from './identifiers.ts';

/** Most specific first. The first one present wins. */
const OUTPUT_POINTERS = [
  '/output',
  '/response',
  '/answer',
  '/reply',
  '/message/content',
  '/message',
  '/content',
  '/text',
  '/result',
  '/choices/0/message/content',
] as const;

/**
 * Undefined if the body has none of the usual names. Ids in it are never compared.
 * @param options.outputPointer JSON pointer, for an agent with another shape
 * @throws z.ZodError when the body is not an object or an id is not a string
 */
export function outputOfResponse(
  body: Json,
  options: { outputPointer?: string | undefined; identifiers?: Identifiers } = {},
): Json | undefined {
  const ids = ['session_id', 'run_id', wireNames(options.identifiers).keys.replayRunId];
  // Checked by hand, because each replay has one; the shape puts the mistakes in words.
  if (!isJsonObject(body) || !ids.every((name) => isId(body[name]))) shapeOf(ids).parse(body, PLAINLY);
  const pointers = options.outputPointer === undefined ? OUTPUT_POINTERS : [options.outputPointer];
  return pointers.map((pointer) => atPointer(body, pointer)).find((value) => value !== undefined);
}

function isId(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string' || typeof value === 'number';
}

function shapeOf(ids: readonly string[]): z.ZodType {
  const id = z.union([z.string(), z.number()]).nullish();
  return z.looseObject(Object.fromEntries(ids.map((name) => [name, id])));
}
