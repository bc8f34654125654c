import { expect, test } from 'vitest';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';

const at = (ms: number) => `2026-11-22T10:00:00.${String(ms).padStart(3, '0')}Z`;
const call = { type: 'tool_use', id: 'toolu_1', name: 'lookup', input: { order: 7 } };
const asked = [{ role: 'user', content: 'Where is order 7?' }];
const answered = [
  ...asked,
  { role: 'assistant', content: [call] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'lost' }] },
];

/** A model call as an instrumentation tells it, with the SDK's own span of the same call below it, which tells nothing. */
function model(id: string, [from, to]: readonly [number, number], told: Pick<Observation, 'input' | 'output'>) {
  const outer = { id, parentId: 'r', type: 'generation' as const, startTime: at(from), endTime: at(to), ...told };
  const inner = {
    id: `${id}-own`,
    parentId: id,
    type: 'generation' as const,
    startTime: at(from + 2),
    endTime: at(to),
  };
  return [
    { ...outer, name: 'Anthropic Messages' },
    { ...inner, name: 'anthropic.messages.create' },
  ];
}

/** The tool notes no id of its call, and starts in the millisecond of the model call that is given its result, or before. */
function recordingWith(toolAt: number): Recording {
  const tool = { id: 't', parentId: 'r', type: 'tool' as const, name: 'lookup', input: { order: 7 }, output: 'lost' };
  return {
    output: 'It is lost.',
    observations: [
      { id: 'r', parentId: null, type: 'span', name: 'shop', startTime: at(0), endTime: at(60) },
      ...model('g1', [1, 20], { input: asked, output: { role: 'assistant', content: [call] } }),
      { ...tool, startTime: at(toolAt), endTime: at(toolAt) },
      ...model('g2', [21, 40], { input: answered, output: { role: 'assistant', content: 'It is lost.' } }),
    ],
  };
}

test.each([20, 21])(
  'a tool without an id is the call of its model, whichever spans tell once more of models: at %i ms',
  (ms) => {
    expect(trajectoryOf(recordingWith(ms)).steps.map(({ kind, name }) => [kind, name])).toEqual([
      ['call', 'lookup'],
      ['result', 'lookup'],
      ['final', undefined],
    ]);
  },
);
