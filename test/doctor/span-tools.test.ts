import { expect, test } from 'vitest';
import type { AgentEvidence } from '../../src/doctor/evidence/evidence.ts';
import { toolsIn } from '../../src/doctor/evidence/reading.ts';
import { AGENT_RULES } from '../../src/doctor/rules/all.ts';
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
  const rule = AGENT_RULES.find(({ id }) => id === 'tools');
  const judged = (each: Observation) =>
    rule?.judge({ calls: [{ trace: { ...trace, observations: [each] } }] } as unknown as AgentEvidence);
  expect(judged(span)).toMatchObject({ state: 'pass' });
  const { callId: _, ...nameless } = span;
  expect(judged(nameless)).toMatchObject({ state: 'skip' });
  expect(toolsIn(trace)).toEqual(['lookup']);
});

const START = '2026-11-22T10:00:00.000Z';

/** Of calls with these questions and answers, whose traces hold these steps. */
function judgedOf(
  id: string,
  calls: readonly { asked: string; output: string; observations: readonly Observation[] }[],
) {
  const evidence = calls.map(({ asked, output, observations }, index) => {
    const trace = { id: `t${index}`, timestamp: START, metadata: {}, observations };
    return { number: index + 1, asked, trace, outcome: { kind: 'replayed', response: { output }, trace } };
  });
  return AGENT_RULES.find((rule) => rule.id === id)?.judge({ calls: evidence } as unknown as AgentEvidence);
}

test('two answers show that the agent worked, where its traces show nothing of it', () => {
  const observations: Observation[] = [
    { id: 's', parentId: null, type: 'span', name: 'POST', startTime: START, endTime: START },
  ];
  const calls = ['17 EUR are on their way', 'A colleague looks at it'].map((output, index) => {
    return { asked: `question ${index}`, output, observations };
  });
  expect(judgedOf('same-path', calls)).toMatchObject({ state: 'pass' });
  expect(
    judgedOf(
      'same-path',
      calls.map((call) => ({ ...call, output: 'Hello!' })),
    ),
  ).toMatchObject({ state: 'fail' });
});

test('a tool that the model called and that no observation shows is not taken for none', () => {
  const said = [{ role: 'assistant', tool_calls: [{ id: '1', function: { name: 'refund', arguments: '{}' } }] }];
  const chat: Observation = {
    id: 'g',
    parentId: null,
    type: 'generation',
    name: 'chat',
    startTime: START,
    endTime: START,
    input: { messages: [{ role: 'user', content: 'Refund my 17 EUR' }] },
    output: said,
  };
  const judged = judgedOf('tools', [{ asked: 'a', output: 'b', observations: [chat] }]);
  expect(judged).toEqual({
    state: 'warn',
    seen: ['the model called refund, and no observation shows what came of it'],
  });
});

test('an answer without an output is told the names that it has', () => {
  const evidence = {
    source: 'receiver',
    calls: [{ outcome: { kind: 'replayed', response: {} }, body: { said: 'a', messages: [] } }],
  };
  const rule = AGENT_RULES.find(({ id }) => id === 'output');
  expect(rule?.judge(evidence as unknown as AgentEvidence)).toMatchObject({
    state: 'warn',
    seen: ['the output is under no usual name; the answer has said, messages'],
  });
});
