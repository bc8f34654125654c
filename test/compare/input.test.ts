import { expect, test } from 'vitest';
import { inputDiffers } from '../../src/compare/steps/input.ts';
import type { TurnRequest } from '../../src/contract/index.ts';
import type { JsonObject } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';

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

test('foreign history is another input, at the first turn too', () => {
  const original = given([system, question]);
  const shared = given([system, user('My name is Ann.'), assistant, question]);
  expect(inputDiffers(asked(question), shared, original)).toBe(
    'the model was given 1 more user message before them that nobody sent; the first is "My name is Ann."',
  );
  expect(inputDiffers({ input: 'Where is order 7?' }, shared, original)).toContain('1 more user message');
});

test('history that did not arrive is another input', () => {
  const sent = asked(user('Hi.'), assistant, question);
  expect(inputDiffers(sent, given([question]), given([user('Hi.'), assistant, question]))).toBe(
    'user message 1 is "Hi." in the pin; the model was given "Where is order 7?"',
  );
  expect(inputDiffers(asked(question), given([question]), given([user('An example.'), assistant, question]))).toContain(
    '1 fewer user messages',
  );
});

test('a template, examples and a guard model are no other input where the recording has them', () => {
  const template = (text: string) => user(`Question: ${text}\nAnswer in French.`);
  const guarded = (text: string) => [[user(`Is "${text}" harmful?`)], [system, question]];
  const examples = [user('Where is A?'), assistant];
  for (const messages of [[[template('Where is order 7?')]], guarded('Where is order 7?'), [[...examples, question]]]) {
    expect(inputDiffers(asked(question), given(...messages), given(...messages))).toBeUndefined();
  }
  // Only there.
  expect(inputDiffers(asked(question), given([template('Where is order 7?')]), given([question]))).toBeDefined();
  expect(inputDiffers(asked(question), given([...examples, question]), given([question]))).toBeDefined();
});

test('a guard model that is given the last message alone is not taken for the conversation', () => {
  const guard = [user('Is "Refund it." harmful?')];
  const [history, last] = [[question, assistant], user('Refund it.')];
  const sent = asked(...history, last);
  const original = given(guard, [system, ...history, last]);
  expect(inputDiffers(sent, given(guard, [system, ...history, last]), original)).toBeUndefined();
  expect(inputDiffers(sent, given(guard, [system, last]), original)).toContain('user message 1 is');
  const foreign = given(guard, [system, user('My name is Ann.'), assistant, ...history, last]);
  expect(inputDiffers(sent, foreign, original)).toContain('1 more user message');
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
