import { expect, test } from 'vitest';
import { answerIn, generationOf, userTextIn } from '../../src/chat/index.ts';
import { inputDiffers } from '../../src/compare/index.ts';
import { trajectoryOf } from '../../src/compare/steps/trajectory.ts';
import type { Json, Observation, Recording, Trace } from '../../src/contract/index.ts';
import { wireNames } from '../../src/contract/index.ts';
import { createTurn } from '../../src/endpoint/turn.ts';
import { recordingOf, sessionsFromTraces } from '../../src/session/index.ts';
import { progressOf } from '../../src/tracing/complete.ts';
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

test.each(NAMES)('%s: the answer is what is said to the user', (name) => {
  expect(answerIn(shapeOf(name).answer)).toBe('Done.');
});
