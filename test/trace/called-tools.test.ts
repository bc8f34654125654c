import { expect, test } from 'vitest';
import { calledTools, echoesIn, type Observation } from '../../src/trace/index.ts';

function observation(id: string, more: Partial<Observation>): Observation {
  const at = { startTime: '2026-11-22T10:00:00.000Z', endTime: '2026-11-22T10:00:01.000Z' };
  return { id, parentId: null, type: 'span', name: 'lookup', ...at, ...more };
}

test('tools are what is traced as one, retrievers, and plain spans under a call’s id', () => {
  const observations = [
    observation('a', { type: 'tool', name: 'refund' }),
    observation('b', { type: 'retriever', name: 'docs' }),
    observation('c', { callId: 'call_1' }),
    observation('d', { name: 'only a span' }),
    observation('e', { type: 'generation', name: 'chat' }),
  ];
  expect(calledTools(observations)).toEqual(['refund', 'docs', 'lookup']);
});

test('a tool that is traced as a plain span around the same tool’s own span is one call', () => {
  const input = { order: 7 };
  const outer = observation('outer', { callId: 'call_1', input });
  const inner = observation('inner', { type: 'tool', parentId: 'outer', input });
  expect([...echoesIn([outer, inner])]).toEqual([inner]);
});
