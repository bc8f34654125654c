import { z } from 'zod';
import { type JsonObject, jsonObject } from '../json/index.ts';
import { PLAINLY } from '../mistakes.ts';
import { type Identifiers, type WireNames, wireNames } from './identifiers.ts';

/** Most replays of one session in a run. */
export const MAX_RUNS = 1_000;

/** Unknown keys are passed through. */
export const message = jsonObject.refine((value) => typeof value.role === 'string', {
  error: 'a message needs a role',
});
export type SentMessage = JsonObject;

/** What the recording gives to the payload of a turn. */
export const turnRequest = z
  .strictObject({
    /** The original chat messages (the LLM path). Preferred when both are present. */
    messages: z.array(message).min(1).optional(),
    /** The original user message (the user path). */
    input: z.string().optional(),
    model: z.string().optional(),
    /** Whether `messages` carry the earlier turns of the session. */
    includesPriorContext: z.boolean().optional(),
    /** OpenAI's chat form. Absent: as recorded, as in older pins. */
    shape: z.literal('chat').optional(),
  })
  .refine((request) => request.messages !== undefined || request.input !== undefined, {
    error: 'messages or input is required',
  });
export type TurnRequest = z.infer<typeof turnRequest>;

/** What tells one replay from another and from the original. The same keys go on the replay trace. */
export interface ReplayMetadata {
  readonly replayRunId?: string | undefined;
  readonly originalSessionId?: string | undefined;
  readonly turnTraceId?: string | undefined;
  readonly includePriorContext?: boolean | undefined;
}

/** A replay request as an endpoint sees it, whether the metadata came in the body or in headers. */
export interface ReplayRequest extends ReplayMetadata, Pick<TurnRequest, 'messages' | 'input' | 'model'> {
  readonly isReplay: boolean;
}

/** Where the metadata travels. */
export const carrier = z.enum(['both', 'body', 'headers']);
export type Carrier = z.infer<typeof carrier>;

/** `parseReplayRequest` is its inverse for every carrier. */
export function renderReplayRequest(
  request: Omit<ReplayRequest, 'isReplay'>,
  options: { carrier?: Carrier; identifiers?: Identifiers } = {},
): { readonly body: JsonObject; readonly headers: Readonly<Record<string, string>> } {
  const { keys, headers: names } = wireNames(options.identifiers);
  const where = options.carrier ?? 'both';
  const body: JsonObject = {};
  const headers: Record<string, string> = {};
  if (request.messages !== undefined) body.messages = [...request.messages];
  if (request.input !== undefined) body.input = request.input;
  if (request.model !== undefined) body.model = request.model;
  body[keys.isReplay] = true;
  if (where !== 'headers') {
    for (const key of METADATA) if (request[key] !== undefined) body[keys[key]] = request[key];
  }
  if (where !== 'body') {
    headers[names.isReplay] = 'true';
    for (const key of METADATA) if (request[key] !== undefined) headers[names[key]] = String(request[key]);
  }
  return { body, headers };
}

const METADATA = ['replayRunId', 'originalSessionId', 'turnTraceId', 'includePriorContext'] as const;

const booleanText = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['true', 'false', '1', '0']))
  .transform((text) => text === 'true' || text === '1');
const lenientBoolean = z.union([z.boolean(), booleanText], { error: 'expected true or false' });

/**
 * The body wins where both carry a value.
 * @param headers by their names in lower case
 * @throws z.ZodError with the path of each mistake
 */
export function parseReplayRequest(
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
  options: { identifiers?: Identifiers } = {},
): ReplayRequest {
  const wire = wireNames(options.identifiers);
  const parsed = bodySchema(wire).parse(body, PLAINLY);
  const fromHeaders = headerSchema(wire).parse(headers, PLAINLY);
  const request: Record<string, unknown> = {};
  for (const key of ['messages', 'input', 'model'] as const) {
    if (parsed[key] != null) request[key] = parsed[key];
  }
  for (const key of METADATA) {
    const value = parsed[wire.keys[key]] ?? fromHeaders[wire.headers[key].toLowerCase()];
    if (value !== undefined) request[key] = value;
  }
  request.isReplay = parsed[wire.keys.isReplay] ?? fromHeaders[wire.headers.isReplay.toLowerCase()] ?? false;
  return request as unknown as ReplayRequest;
}

function bodySchema({ keys }: WireNames): z.ZodType<Record<string, unknown>> {
  return z
    .looseObject({
      // Many clients send null for a value that they do not have.
      messages: z.array(message).nullish(),
      input: z.string().nullish(),
      model: z.string().nullish(),
      [keys.isReplay]: lenientBoolean.nullish(),
      [keys.replayRunId]: z.string().nullish(),
      [keys.originalSessionId]: z.string().nullish(),
      [keys.turnTraceId]: z.string().nullish(),
      [keys.includePriorContext]: lenientBoolean.nullish(),
    })
    .refine(({ messages, input }) => (messages ?? input ?? undefined) !== undefined, {
      error: 'messages or input is required',
    });
}

function headerSchema({ headers }: WireNames): z.ZodType<Record<string, unknown>> {
  return z.looseObject({
    [headers.isReplay.toLowerCase()]: booleanText.optional(),
    [headers.replayRunId.toLowerCase()]: z.string().optional(),
    [headers.originalSessionId.toLowerCase()]: z.string().optional(),
    [headers.turnTraceId.toLowerCase()]: z.string().optional(),
    [headers.includePriorContext.toLowerCase()]: booleanText.optional(),
  });
}
