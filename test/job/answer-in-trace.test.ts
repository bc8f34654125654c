import { describe, expect, test } from 'vitest';
import { isInTrace } from '../../src/job/judging/answer-in-trace.ts';
import type { Json } from '../../src/json/index.ts';
import type { Observation, Trace } from '../../src/trace/index.ts';

const SENTENCE = 'Your order **1042** has been shipped and arrives on Friday.';

function traceOf(output: Json | undefined, ...observations: Partial<Observation>[]): Trace {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const of = (fields: Partial<Observation>, index: number): Observation => ({
    id: String(index),
    parentId: null,
    type: 'span',
    name: 'x',
    startTime: timestamp,
    endTime: timestamp,
    ...fields,
  });
  return {
    id: 't',
    timestamp,
    metadata: {},
    ...(output !== undefined && { output }),
    observations: observations.map(of),
  };
}

describe('an answer stands in the trace', () => {
  test.each<[string, Json, Trace]>([
    ['as the output of its root', SENTENCE, traceOf(SENTENCE)],
    ['in an object', SENTENCE, traceOf({ result: { text: SENTENCE, cost: 2 } })],
    ['as an object around the text', { text: SENTENCE, session: 'abc', at: 17 }, traceOf(SENTENCE)],
    ['as the output of a generation alone', SENTENCE, traceOf(undefined, { type: 'generation', output: SENTENCE })],
    ['in pieces', SENTENCE, traceOf(undefined, { output: SENTENCE.match(/.{1,7}/gs) as Json })],
    ['as the input of a tool that answers', SENTENCE, traceOf('', { type: 'tool', input: { message: SENTENCE } })],
    [
      'in another layout',
      '<p>Your order <strong>1042</strong> has been shipped\nand arrives on Friday.</p>',
      traceOf(SENTENCE),
    ],
    ['with something put around it', `Hello Jo! ${SENTENCE} Yours, the shop`, traceOf(SENTENCE)],
    ['as a number', 42, traceOf({ answer: 42 })],
    ['with nothing in it', '', traceOf(SENTENCE)],
  ])('%s', (_, answer, trace) => {
    expect(isInTrace(answer, trace)).toBe(true);
  });
});

describe('an answer does not stand in the trace', () => {
  test.each<[string, Json, Trace]>([
    ['that says something else', 'Sorry, I cannot help right now.', traceOf(SENTENCE)],
    ['of which only words stand there', 'Your order was not shipped on Friday.', traceOf(SENTENCE)],
    ['of which only an id does', { id: 'abc-123', text: 'Sorry, something failed.' }, traceOf({ id: 'abc-123' })],
    [
      'that only the user said',
      'say exactly this to me',
      traceOf('no', { type: 'generation', input: ['say exactly this to me'] }),
    ],
    ['of a trace without outputs', SENTENCE, traceOf(undefined, { type: 'agent' })],
  ])('%s', (_, answer, trace) => {
    expect(isInTrace(answer, trace)).toBe(false);
  });
});
