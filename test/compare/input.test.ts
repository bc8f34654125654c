import { expect, test } from 'vitest';
import { compareRules } from '../../src/compare/index.ts';
import { inputDiffers } from '../../src/compare/steps/input.ts';
import { compareTurn } from '../../src/compare/turn.ts';
import type { TurnRequest } from '../../src/contract/index.ts';
import type { JsonObject } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';

const AT = new Date(0).toISOString();
const user = (content: string): JsonObject => ({ role: 'user', content });
const assistant: JsonObject = { role: 'assistant', content: 'Yes?' };
const system: JsonObject = { role: 'system', content: 'Be kind.' };

/** A turn whose model calls were given these messages, one call each. */
function given(...conversations: JsonObject[][]): Recording {
  const observations = conversations.map((input, index) => ({
    id: `g${index}`,
    parentId: null,
    type: 'generation' as const,
    name: 'model',
    startTime: new Date(index).toISOString(),
    endTime: AT,
    input,
  }));
  return { output: 'Done.', observations };
}

const asked = (...messages: JsonObject[]): TurnRequest => ({ messages, shape: 'chat' });
const question = user('Where is order 7?');

test('what was sent is what the model was given, whatever its system prompt and shape', () => {
  const original = given([system, question]);
  const parts = { role: 'user', parts: [{ type: 'text', content: 'Where is order 7?' }] };
  expect(inputDiffers(asked(question), given([{ ...system, content: 'Be terse.' }, parts]), original)).toBeUndefined();
});

test('another message is another input', () => {
  const difference = inputDiffers(asked(question), given([user('Where is order 8?')]), given([question]));
  expect(difference).toContain('order 8');
});

test('history that the run sent elsewhere is another input, at the first turn too', () => {
  const original = given([system, question]);
  const shared = given([system, user('My name is Ann.'), assistant, question]);
  const sent = new Set(['My name is Ann.', 'Where is order 7?']);
  expect(inputDiffers(asked(question), shared, original, sent)).toBe(
    'the model was given 1 more user message before them, which the run sent elsewhere; the first is "My name is Ann."',
  );
  expect(inputDiffers({ input: 'Where is order 7?' }, shared, original, sent)).toContain('1 more user message');
  const other = given([system, user('Example'), assistant, question]);
  expect(inputDiffers(asked(question), other, original, sent)).toBeUndefined();
});

test('a message of unknown shape that the recorded model was given, and the other was not, is another input', () => {
  const foreign = { kind: 'card', order: { id: 7 } };
  const original = given([system, foreign, question]);
  const sent = asked(foreign, question);
  expect(inputDiffers(sent, given([system, question]), original)).toContain('{"kind":"card","order":{"id":7}}');
  expect(inputDiffers(sent, given([system, foreign, question]), original)).toBeUndefined();
  // An agent that always converts it.
  expect(inputDiffers(sent, given([system, question]), given([system, question]))).toBeUndefined();
});

test('history that did not arrive is another input', () => {
  const sent = asked(user('Hi.'), assistant, question);
  expect(inputDiffers(sent, given([question]), given([user('Hi.'), assistant, question]))).toBe(
    'user message 1 is "Hi." in the pin; the model was given "Where is order 7?"',
  );
});

test('a template, examples and a guard model are no other input, whether the recording has them or not', () => {
  const template = (text: string) => user(`Question: ${text}\nAnswer in French.`);
  const guarded = (text: string) => [[user(`Is "${text}" harmful?`)], [system, question]];
  const examples = [user('Where is A?'), assistant];
  for (const messages of [[[template('Where is order 7?')]], guarded('Where is order 7?'), [[...examples, question]]]) {
    expect(inputDiffers(asked(question), given(...messages), given(...messages))).toBeUndefined();
  }
  const [plain, wrapped, shown] = [
    given([question]),
    given([template('Where is order 7?')]),
    given([...examples, question]),
  ];
  for (const [replay, original] of [
    [wrapped, plain],
    [plain, wrapped],
    [shown, plain],
    [plain, shown],
  ] as const)
    expect(inputDiffers(asked(question), replay, original)).toBeUndefined();
});

test('an agent that does something else after a change of its examples is the cause', () => {
  const answered = (output: string, ...messages: JsonObject[]): Recording => {
    const { observations } = given(messages);
    return { output, observations: observations.map((each) => ({ ...each, output })) };
  };
  const recorded = answered('Order 7 is in Bremen.', system, question);
  const replayed = answered('Order 7 is in Lisbon.', system, user('Where is A?'), assistant, question);
  const { verdict, divergence } = compareTurn([recorded], [{ run: 1, recording: replayed }], compareRules.parse({}), {
    request: asked(question),
  });
  expect(verdict).toBe(outcomes.changed);
  expect(divergence?.cause).toMatchObject({ kind: 'agent', changed: ['messages'] });
});

test('a question in other words is judged where the trace shows that the agent was given the words that were sent', () => {
  const rewritten = given([user('Tell me where order 7 is')]);
  const root = { id: 'r', parentId: null, type: 'span' as const, name: 'agent', startTime: AT, endTime: AT };
  const traced = (input: string): Recording => ({
    ...rewritten,
    observations: [{ ...root, input }, ...rewritten.observations.map((each) => ({ ...each, parentId: 'r' }))],
  });
  expect(inputDiffers(asked(question), traced('Where is order 7?'), given([question]))).toBeUndefined();
  expect(inputDiffers(asked(question), traced('Where is order 9?'), given([question]))).toContain('user message 1 is');
  expect(inputDiffers(asked(question), rewritten, given([question]))).toContain('user message 1 is');
});

test('a guard model that is given the last message alone is not taken for the conversation', () => {
  const guard = [user('Is "Refund it." harmful?')];
  const [history, last] = [[question, assistant], user('Refund it.')];
  const sent = asked(...history, last);
  const original = given(guard, [system, ...history, last]);
  expect(inputDiffers(sent, given(guard, [system, ...history, last]), original)).toBeUndefined();
  expect(inputDiffers(sent, given(guard, [system, last]), original)).toContain('user message 1 is');
  const foreign = given(guard, [system, user('My name is Ann.'), assistant, ...history, last]);
  expect(inputDiffers(sent, foreign, original, new Set(['My name is Ann.']))).toContain('1 more user message');
});

test('a simulated user may say more later', () => {
  const later = [question, assistant, user('Refund it.')];
  expect(inputDiffers(asked(question), given(later), given([question]))).toBeUndefined();
});

test('what was redacted in the recording is compared by its place', () => {
  const sent = asked(user('I am ann@example.com'), assistant, question);
  const original = given([user('Example.'), assistant, user('I am [email]'), assistant, question]);
  const replay = (mail: string) => given([user('Example.'), assistant, user(`I am ${mail}`), assistant, question]);
  expect(inputDiffers(sent, replay('ann@example.com'), original)).toBeUndefined();
  expect(inputDiffers(sent, replay('bob@example.com'), original)).toBeDefined();
});
