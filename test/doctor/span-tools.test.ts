import { expect, test } from 'vitest';
import type { AgentEvidence } from '../../src/doctor/evidence/evidence.ts';
import { toolsIn } from '../../src/doctor/evidence/reading.ts';
import { CONTENT_RULES } from '../../src/doctor/rules/content.ts';
import type { Observation } from '../../src/trace/index.ts';

test('a tool that is traced as a plain span under a call’s id counts as a tool, as it does in run', () => {
  const span: Observation = {
    id: 's',
    parentId: null,
    type: 'span',
    name: 'lookup',
    startTime: '2026-11-22T10:00:00.000Z',
    endTime: '2026-11-22T10:00:01.000Z',
    callId: 'call_1',
    input: { order: 7 },
    output: { state: 'lost' },
  };
  const trace = { id: 't', timestamp: span.startTime, metadata: {}, observations: [span] };
  const rule = CONTENT_RULES.find(({ id }) => id === 'tools');
  const judged = (each: Observation) =>
    rule?.judge({ calls: [{ trace: { ...trace, observations: [each] } }] } as unknown as AgentEvidence);
  expect(judged(span)).toMatchObject({ state: 'pass' });
  const { callId: _, ...nameless } = span;
  expect(judged(nameless)).toMatchObject({ state: 'skip' });
  expect(toolsIn(trace)).toEqual(['lookup']);
});
