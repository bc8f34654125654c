import { z } from 'zod';
import { atPointer, type Json, json } from '../json/index.ts';
import { PLAINLY } from '../mistakes.ts';
import { type Identifiers, wireNames } from './identifiers.ts';

/** What an endpoint answers. Every part is optional; ids are never compared. */
export interface ReplayResponse {
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly replayRunId?: string | undefined;
  /** Undefined if the body has none of the usual names. */
  readonly output?: Json | undefined;
}

/** Where agents put their answer, most specific first. The first one present wins. */
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
 * Reads a replay response.
 * @param options.outputPointer JSON pointer to the output, for an agent with another shape
 * @throws z.ZodError when the body is not an object or an id is not a string
 */
export function parseReplayResponse(
  body: Json,
  options: { outputPointer?: string | undefined; identifiers?: Identifiers } = {},
): ReplayResponse {
  const { replayRunId } = wireNames(options.identifiers).keys;
  const parsed = shapeWith(replayRunId).parse(body, PLAINLY) as Record<string, unknown>;
  const pointers = options.outputPointer === undefined ? OUTPUT_POINTERS : [options.outputPointer];
  const output = pointers.map((pointer) => atPointer(body, pointer)).find((value) => value !== undefined);
  return {
    sessionId: parsed.session_id as string | undefined,
    runId: parsed.run_id as string | undefined,
    replayRunId: parsed[replayRunId] as string | undefined,
    output,
  };
}

const id = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((value) => value ?? undefined);

/** By the name of the replay's id. Compiling a shape takes longer than reading a hundred responses with it. */
const shapes = new Map<string, z.ZodType>();

function shapeWith(replayRunId: string): z.ZodType {
  const shape =
    shapes.get(replayRunId) ??
    z.looseObject({ session_id: id, run_id: id, [replayRunId]: id, output: json.optional() });
  shapes.set(replayRunId, shape);
  return shape;
}
