import { expect, test } from 'vitest';
import { endedInError, type Observation, type Recording } from '../../src/trace/index.ts';

function turn(output: Recording['output'], ...observations: Partial<Observation>[]): Recording {
  const at = '2026-01-01T00:00:00.000Z';
  const of = (fields: Partial<Observation>, index: number): Observation => ({
    id: String(index),
    parentId: index === 0 ? null : '0',
    type: 'span',
    name: 'x',
    startTime: at,
    endTime: at,
    ...fields,
  });
  return { ...(output !== undefined && { output }), observations: observations.map(of) };
}

test.each<[string, boolean, Recording]>([
  ['whose root failed', true, turn(undefined, { level: 'ERROR' })],
  ['whose root failed with an answer', true, turn('sorry', { level: 'ERROR' })],
  ['whose root hangs below a span that never came', true, turn('sorry', { level: 'ERROR', parentId: 'unseen' })],
  ['in which something failed, without an answer', true, turn(undefined, {}, { level: 'ERROR' })],
  ['in which a tool failed, with an answer', false, turn('done', {}, { level: 'ERROR' })],
  ['without an answer in which nothing failed', false, turn(undefined, {}, {})],
  ['of nothing', false, turn('done')],
])('a turn %s', (_, expected, recording) => {
  expect(endedInError(recording)).toBe(expected);
});
