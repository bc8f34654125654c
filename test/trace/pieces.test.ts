import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import { type Observation, type Trace, turnsOf } from '../../src/trace/index.ts';

const USER = { role: 'user', content: 'Where is order 7?' };
const asks = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'search', arguments: '{}' } }],
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '[1]' });

function traceOf(id: string, second: number, input: Json[], output: Json, more: Partial<Trace> = {}): Trace {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const model: Observation = {
    id: `g-${id}`,
    parentId: null,
    type: 'generation',
    name: 'chat',
    startTime: at,
    endTime: at,
  };
  const observations = [{ ...model, input: { messages: input }, output }];
  return { id, timestamp: at, metadata: {}, output, observations, ...more };
}

const asking = (id: string, second: number, call = 'c1') => traceOf(id, second, [USER], asks(call));
const answering = (id: string, second: number, call = 'c1', more: Partial<Trace> = {}) =>
  traceOf(id, second, [USER, asks(call), result(call)], { role: 'assistant', content: id }, more);

const made = (...traces: Trace[]) => turnsOf(traces).map(({ id, pieces }) => [id, pieces]);

test('a trace that goes on with the calls of another one is the same turn, whichever comes first, and its end is the output', () => {
  expect(made(answering('b', 2), asking('a', 1))).toEqual([['a', ['a', 'b']]]);
  expect(turnsOf([asking('a', 1), answering('b', 2)])).toMatchObject([
    { output: { content: 'b' }, observations: [{ id: 'g-a' }, { id: 'g-b' }] },
  ]);
});

test('requests that say the same are kept apart, by the ids of their calls or by their time', () => {
  const other = [asking('c', 3, 'c2'), answering('d', 4, 'c2')];
  expect(made(asking('a', 1), ...other, answering('b', 5))).toEqual([
    ['a', ['a', 'b']],
    ['c', ['c', 'd']],
  ]);
  expect(made(asking('a', 1), answering('b', 2), asking('c', 3), answering('d', 4))).toEqual([
    ['a', ['a', 'b']],
    ['c', ['c', 'd']],
  ]);
});

test('traces with a span around their turn, or of another session, are turns of their own', () => {
  const span: Observation = { ...(asking('x', 2).observations[0] as Observation), id: 'x', type: 'agent' };
  const [model] = answering('b', 2).observations as [Observation];
  const around = { ...answering('b', 2), observations: [span, { ...model, parentId: 'x' }] };
  expect(made(asking('a', 1), around)).toEqual([
    ['a', undefined],
    ['b', undefined],
  ]);
  expect(made(asking('a', 1), answering('b', 2, 'c1', { sessionId: 's' }))).toEqual([
    ['a', undefined],
    ['b', ['b']],
  ]);
});
