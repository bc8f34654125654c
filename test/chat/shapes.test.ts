import { expect, test } from 'vitest';
import { answerIn, converterFor, generationOf, type Message, sendable, userTextIn } from '../../src/chat/index.ts';
import { compareRules } from '../../src/compare/index.ts';
import { inputDiffers } from '../../src/compare/steps/input.ts';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import { wireNames } from '../../src/contract/index.ts';
import * as endpoint from '../../src/endpoint/index.ts';
import { createTurn } from '../../src/endpoint/turn.ts';
import { type Json, spelledOut } from '../../src/json/index.ts';
import { Conversation } from '../../src/replay/conversation.ts';
import { recordingOf, type Session, sessionsFromTraces } from '../../src/session/index.ts';
import type { Observation, Recording, Trace } from '../../src/trace/index.ts';
import { progressOf } from '../../src/tracing/waiting/whole.ts';
import { recordedTurns } from '../../src/ui/recorded.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { ARGS, SCHEMA, SHAPES, type Shape, STATE } from './shapes.ts';

const NAMES = Object.keys(SHAPES);

function shapeOf(name: string): Shape {
  return SHAPES[name] as Shape;
}

const at = (milliseconds: number) => new Date(Date.UTC(2026, 10, 20, 10) + milliseconds).toISOString();

function generation({ input, output }: Pick<Shape, 'input' | 'output'>): Observation {
  return { id: 'g', parentId: 'r', type: 'generation', name: 'model', startTime: at(1), endTime: at(2), input, output };
}

function recordingWith(shape: Shape): Recording {
  const root: Observation = { id: 'r', parentId: null, type: 'span', name: 'turn', startTime: at(0), endTime: at(9) };
  const tool: Observation = {
    id: 't',
    parentId: 'r',
    type: 'tool',
    name: 'refund',
    startTime: at(3),
    endTime: at(4),
    input: { amount: 17 },
    output: { refunded: 17 },
  };
  return { output: shape.answer, observations: [root, generation(shape), tool] };
}

test.each(NAMES)('%s: roles, texts, calls and results are read into the one shape', (name) => {
  const { noIds, noSystem, input } = shapeOf(name);
  const { messages, system, results } = generationOf({ input });
  expect(system).toBe(noSystem ? '' : 'Be kind.');
  const id = noIds ? 'call_1' : 'c1';
  const said = messages.filter(({ role }) => role !== 'system');
  expect(said.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(userTextIn(said as Json)).toBe('Refund it.');
  const [asked, looked, result] = said;
  expect(userTextIn([asked] as Json)).toBe('Where is order 7?');
  expect(looked).toMatchObject({
    tool_calls: [{ id, type: 'function', function: { name: 'lookup', arguments: ARGS } }],
  });
  expect(result).toMatchObject({ tool_call_id: id, content: STATE });
  expect(results).toMatchObject([{ id, isError: false }]);
});

test.each(NAMES)('%s: what the model put out is read: text, calls, reasoning', (name) => {
  const { noIds, noReasoning, output } = shapeOf(name);
  const { said, calls, reasoning, cutShort } = generationOf({ output });
  expect(said).toEqual(['One moment.']);
  expect(calls).toEqual([{ id: noIds ? undefined : 'c2', name: 'refund', args: { amount: 17 } }]);
  expect(reasoning).toEqual(noReasoning ? [] : ['They paid.']);
  expect(cutShort).toBeUndefined();
});

test.each(NAMES.filter((name) => JSON.stringify(SHAPES[name]).includes('Looks up')))(
  '%s: tool definitions are read',
  (name) => {
    expect(generationOf(shapeOf(name)).tools).toMatchObject([
      { name: 'lookup', description: 'Looks up', parameters: SCHEMA },
    ]);
  },
);

test.each(NAMES.filter((name) => SHAPES[name]?.failed !== undefined))(
  '%s: a result that is an error says so',
  (name) => {
    const { failed } = shapeOf(name);
    const role = JSON.stringify(shapeOf(name).input).includes('"role":"tool"') ? 'tool' : 'user';
    const { messages, results } = generationOf({
      input: [
        { role: 'user', content: 'x' },
        { role, content: [failed as Json] },
      ],
    });
    expect(results).toMatchObject([{ id: 'c1', value: 'no', isError: true }]);
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'no', is_error: true });
  },
);

test.each(NAMES)('%s: the steps are the same as in every other shape', (name) => {
  const steps = trajectoryOf(recordingWith(shapeOf(name))).steps.map(({ kind, name, value }) => ({
    kind,
    name,
    value,
  }));
  expect(steps).toEqual([
    { kind: 'text', name: undefined, value: 'One moment.' },
    { kind: 'call', name: 'refund', value: { amount: 17 } },
    { kind: 'result', name: 'refund', value: { refunded: 17 } },
    { kind: 'final', name: undefined, value: 'Done.' },
  ]);
});

test.each(NAMES)('%s: a call that has come to nothing yet is waited for', (name) => {
  const shape = shapeOf(name);
  const record = (observation: Observation) => ({
    traceId: 't',
    observation,
    trace: { metadata: {} },
    isRoot: observation.parentId === null,
    isModelCall: observation.type === 'generation',
  });
  const [root] = recordingWith(shape).observations as [Observation];
  const records = [record(root), record(generation(shape))];
  expect(progressOf(records).open).toEqual([expect.stringContaining('"refund"')]);
});

test.each(NAMES)('%s: the request is derived, and the replay that is given it was given the same', (name) => {
  const shape = shapeOf(name);
  const trace: Trace = { id: 't', timestamp: at(0), metadata: {}, observations: recordingWith(shape).observations };
  const { sessions } = sessionsFromTraces([trace]);
  const request = sessions[0]?.turns[0]?.request;
  expect(request).toMatchObject({ includesPriorContext: true });
  expect(request && inputDiffers(request, recordingOf(trace))).toBeUndefined();
  const turn = createTurn(
    { isReplay: true, messages: request?.messages },
    { names: wireNames(), agentId: undefined, signal: AbortSignal.abort() },
  );
  expect(turn.input).toBe('Refund it.');
});

function sessionWith(name: string): Session {
  const { observations } = recordingWith(shapeOf(name));
  return sessionsFromTraces([{ id: 't', timestamp: at(0), metadata: {}, observations }]).sessions[0] as Session;
}

test.each(NAMES)('%s: nothing is lost in the one shape that is sent', (name) => {
  const sent = sessionWith(name).turns[0]?.request?.messages;
  const id = shapeOf(name).noIds ? expect.any(String) : 'c1';
  expect(sent).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name: 'lookup', arguments: ARGS } }] },
    { role: 'tool', tool_call_id: id, content: STATE },
    { role: 'user' },
  ]);
  // What is in the one shape stays as it is.
  expect(sendable(generationOf({ input: sent as Json }).messages.map(asRead)).sent).toEqual(sent);
});

function asRead(message: Message) {
  return { role: message.role, raw: message as never, items: [], name: undefined, isContinued: false };
}

const CONVERTERS = {
  toModelMessages: endpoint.toModelMessages,
  toResponsesInput: (messages: Message[]) => ({ input: endpoint.toResponsesInput(messages) }),
  toAgentsInput: endpoint.toAgentsInput,
  toLangChainMessages: (messages: Message[]) => ({ messages: endpoint.toLangChainMessages(messages) }),
  toAnthropicMessages: endpoint.toAnthropicMessages,
  toGeminiContents: endpoint.toGeminiContents,
  toGenkitMessages: (messages: Message[]) => ({ messages: endpoint.toGenkitMessages(messages) }),
} as const;

test.each(NAMES)('%s: what is sent can be converted for every framework, and says the same there', (name) => {
  const sent = sessionWith(name).turns[0]?.request?.messages as Message[];
  for (const convert of Object.values(CONVERTERS)) {
    const { messages, results } = generationOf({ input: convert(sent) as Json });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(userTextIn([...messages] as Json)).toBe('Refund it.');
    expect(results.map(({ value }) => spelledOut(value))).toEqual([{ state: 'lost' }]);
  }
});

/** Shapes that one framework alone takes; the others are taken by several. */
const CONVERTED: Readonly<Record<string, string>> = {
  'OpenAI Responses': 'toResponsesInput',
  'OpenAI Agents SDK': 'toAgentsInput',
  Anthropic: 'toAnthropicMessages',
  'AI SDK 5 to 7: model messages': 'toModelMessages',
  'AI SDK 4': 'toModelMessages',
  'AI SDK: messages for the screen': 'toModelMessages',
  'LangChain: constructors': 'toLangChainMessages',
  'Gemini, ADK': 'toGeminiContents',
  Genkit: 'toGenkitMessages',
  'OpenTelemetry GenAI': 'toModelMessages',
  // Its items are those of the Responses API.
  'LiveKit: a chat context': 'toResponsesInput',
};

test.each(NAMES)('%s: the converter is named for an agent that works in this shape', (name) => {
  expect(converterFor(shapeOf(name).input)).toBe(CONVERTED[name]);
});

test.each(NAMES)('%s: a run in which each turn is given the answers of the replay goes on from it', (name) => {
  const request = sessionWith(name).turns[0]?.request as NonNullable<Session['turns'][0]['request']>;
  const conversation = new Conversation();
  expect(conversation.request(request)).toEqual(request);
  conversation.answered(answerIn(shapeOf(name).answer));
  const next = conversation.request({ ...request, input: 'Thanks.', messages: undefined });
  expect(next?.messages?.slice(-2)).toEqual([
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Thanks.' },
  ]);
});

test.each(NAMES)('%s: the page shows what was said, called and given back', (name) => {
  const [turn] = recordedTurns({ session: sessionWith(name), turns: [] });
  expect(turn?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: Where is order 7?',
    expect.stringMatching(/^assistant: (An order\.\n)?lookup\(\{"order":7\}\)$/),
    `tool: ${STATE}`,
    'user: Refund it.',
  ]);
});

function edited(shape: Shape, edit: (text: string) => string): Recording {
  return recordingWith({ ...shape, input: JSON.parse(edit(JSON.stringify(shape.input))) as Json });
}

test.each(NAMES)(
  '%s: the cause of another argument is the agent where its prompt was edited, else the model',
  (name) => {
    const shape = shapeOf(name);
    const causeOf = (edit: (text: string) => string) => {
      const changed = JSON.parse(JSON.stringify(edited(shape, edit)).replaceAll('17', '18')) as Recording;
      return compareTurn([recordingWith(shape)], [{ run: 1, recording: changed }], compareRules.parse({})).divergence;
    };
    expect(causeOf((text) => text)).toMatchObject({ kind: 'argument', cause: { kind: 'model' } });
    if (shape.noSystem) return;
    const byPrompt = causeOf((text) => text.replace('Be kind.', 'Be quick.'));
    expect(byPrompt).toMatchObject({ kind: 'argument', cause: { kind: 'agent', changed: ['system prompt'] } });
    expect(byPrompt?.cause.detail).toContain('replayed "Be quick."');
  },
);

test.each(NAMES)('%s: the answer is what is said to the user', (name) => {
  expect(answerIn(shapeOf(name).answer)).toBe('Done.');
});
