import type { ModelMessage } from 'ai';
import { modelMessageSchema } from 'ai';
import type { ModelMessage as ModelMessage6 } from 'ai-v6';
import { modelMessageSchema as modelMessageSchema6 } from 'ai-v6';
import type OpenAI from 'openai';
import { expect, expectTypeOf, test } from 'vitest';
import { given, type Message } from '../../src/chat/index.ts';
import {
  type AiSdkMessage,
  type Message as EndpointMessage,
  type ResponsesItem,
  replayEndpoint,
  toAgentsInput,
  toAnthropicMessages,
  toGeminiContents,
  toGenkitMessages,
  toLangChainMessages,
  toModelMessages,
  toResponsesInput,
} from '../../src/endpoint/index.ts';
import type { Json } from '../../src/json/index.ts';
import fc from '../fast-check.ts';
import { conversations } from './conversations.ts';

/** Each converter, and where its result lies in a recorded input. */
const CONVERTERS: Readonly<Record<string, (messages: Message[]) => unknown>> = {
  toModelMessages,
  toResponsesInput: (messages) => ({ input: toResponsesInput(messages) }),
  toAgentsInput,
  toLangChainMessages: (messages) => ({ messages: toLangChainMessages(messages) }),
  toAnthropicMessages,
  toGeminiContents,
  toGenkitMessages: (messages) => ({ messages: toGenkitMessages(messages) }),
};

/** Without what a shape has no place for: the name of a tool at its result. */
function comparable(messages: readonly Message[]): unknown {
  return messages.map((message) => {
    if (message.role !== 'tool') return message;
    const { name: _, ...rest } = message;
    return rest;
  });
}

test.each(Object.keys(CONVERTERS))('%s: what is converted reads as what it was made of', (name) => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const { messages: read, system } = given(CONVERTERS[name]?.(messages) as Json);
      const asked = messages.filter(({ role }) => role !== 'system');
      expect(comparable(read.filter(({ role }) => role !== 'system'))).toEqual(comparable(asked));
      expect(system).toBe(given(messages as Json).system);
    }),
  );
});

test.each(Object.keys(CONVERTERS))(
  '%s: messages of a pin that was recorded in another shape are taken, too',
  (name) => {
    const recorded = [
      { role: 'user', parts: [{ type: 'text', content: 'Where is order 7?' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'lookup', arguments: { order: 7 } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: { state: 'lost' } }] },
    ];
    const read = given(CONVERTERS[name]?.(recorded as unknown as Message[]) as Json);
    expect(read.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(read.results).toMatchObject([{ id: 'c' }]);
  },
);

test("the AI SDK's own validators take what is made for it, of version 6 and 7", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const made = toModelMessages(messages);
      for (const schema of [modelMessageSchema, modelMessageSchema6]) {
        expect(schema.array().safeParse(made).error).toBeUndefined();
      }
    }),
  );
});

test('a result that is an error says so where there is a place for it', () => {
  const messages: Message[] = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'lookup', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'no', is_error: true },
  ];
  for (const name of ['toModelMessages', 'toAnthropicMessages', 'toGeminiContents', 'toLangChainMessages']) {
    expect(given(CONVERTERS[name]?.(messages) as Json).results).toMatchObject([{ value: 'no', isError: true }]);
  }
});

test('ids of items at the provider are never sent back', () => {
  const items = [
    { type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', id: 'fc_1', callId: 'c', name: 'lookup', arguments: '{}' },
    { type: 'function_call_result', id: 'fc_2', callId: 'c', name: 'lookup', output: 'x' },
  ] as unknown as EndpointMessage[];
  expect(JSON.stringify([toResponsesInput(items), toAgentsInput(items)])).not.toMatch(/rs_|fc_|msg_/);
});

test('what a provider cannot take is an error that says so', () => {
  const sound: Message[] = [
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
  ];
  expect(() => toAnthropicMessages(sound)).toThrow('Anthropic takes no sound in a message.');
  expect(() => toResponsesInput(sound)).toThrow("OpenAI's Responses API takes no sound in a message.");
});

test('the line of the documentation compiles against each framework', () => {
  const generate = async (_: { messages: ModelMessage[] }) => ({ text: '' });
  const create = async (_: { input: OpenAI.Responses.ResponseInput }) => ({ output_text: '' });
  replayEndpoint(async ({ messages }) => (await generate({ messages: toModelMessages(messages) })).text);
  replayEndpoint(async ({ messages }) => (await create({ input: toResponsesInput(messages) })).output_text);
  expectTypeOf<AiSdkMessage>().toExtend<ModelMessage>();
  expectTypeOf<AiSdkMessage>().toExtend<ModelMessage6>();
  expectTypeOf<ResponsesItem>().toExtend<OpenAI.Responses.ResponseInputItem>();
});
