import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Move } from './policy.ts';

const toolCall = z.object({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]).nullish(),
  tool_calls: z.array(toolCall).optional(),
  tool_call_id: z.string().optional(),
});

/** The part of the chat-completions protocol that this server knows; the rest of a request is ignored. */
export const chatRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) })).default([]),
  tool_choice: z.unknown().optional(),
  temperature: z.number().min(0).max(2).default(1),
  seed: z.int().optional(),
  stream: z.boolean().default(false),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

/** A whole answer, for a request without `stream`. */
export function completion(request: ChatRequest, move: Move): object {
  return {
    ...envelope(request, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: move.text ?? null,
          ...(move.calls === undefined ? {} : { tool_calls: toolCalls(move) }),
        },
        finish_reason: finishReason(move),
      },
    ],
    usage: usage(request, move),
  };
}

/** The same answer in pieces, for a request with `stream: true`. */
export function* completionChunks(request: ChatRequest, move: Move): Generator<object> {
  const shared = envelope(request, 'chat.completion.chunk');
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...shared,
    choices: [{ index: 0, delta, finish_reason }],
  });
  yield chunk({ role: 'assistant', content: '' });
  for (const word of move.text?.match(/\S+\s*/g) ?? []) yield chunk({ content: word });
  for (const [index, call] of toolCalls(move).entries()) {
    const { name, arguments: args } = call.function;
    const middle = Math.ceil(args.length / 2);
    yield chunk({ tool_calls: [{ ...call, index, function: { name, arguments: '' } }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: args.slice(0, middle) } }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: args.slice(middle) } }] });
  }
  yield chunk({}, finishReason(move));
  if (request.stream_options?.include_usage) yield { ...shared, choices: [], usage: usage(request, move) };
}

/** The error body of the protocol. */
export function errorBody(message: string, type: 'invalid_request_error' | 'server_error', param?: string): object {
  return { error: { message, type, param: param ?? null, code: null } };
}

/** Tool names and arguments are what the policy decides; the ids are as random as those of a real server. */
function toolCalls(move: Move) {
  return (move.calls ?? []).map(({ name, args }) => ({
    id: `call_${randomId()}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
}

function envelope(request: ChatRequest, object: string) {
  return { id: `chatcmpl-${randomId()}`, object, created: Math.floor(Date.now() / 1000), model: request.model };
}

function finishReason(move: Move): string {
  return move.calls === undefined ? 'stop' : 'tool_calls';
}

/** The usual rule of thumb for English. */
const CHARACTERS_PER_TOKEN = 4;

function usage(request: ChatRequest, move: Move) {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
  const prompt_tokens = tokens([request.messages, request.tools]);
  const completion_tokens = tokens(move);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function randomId(): string {
  return randomBytes(12).toString('hex');
}
