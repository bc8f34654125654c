import { expect, test } from 'vitest';
import { CouldNotTell, divergencesIn } from '../../plugin/failures.ts';
import type { Replayed } from '../../plugin/wire.ts';
import { outcomes } from '../outcomes.ts';
import { report, session, turn } from '../report/fixtures/reports.ts';

test('where a prompt was edited, the message of a failed test begins with its line', () => {
  const detail = 'its system prompt differs at line 2: recorded "Be kind.", replayed "Be brief."';
  const line = { of: 'system prompt', number: 2, recorded: 'Be kind.', replayed: 'Be brief.' };
  const failed = (cause: object) => {
    const divergence = { runs: 5, cause: { kind: 'agent', detail, ...cause } } as const;
    const [told] = report([
      session('one', { turns: [turn({ verdict: outcomes.changed, clusters: [0, 5], divergence })] }),
    ]).results.sessions;
    return divergencesIn({ session: told, lesser: {}, divergences: { 1: 'step 4: other.' } } as unknown as Replayed);
  };
  expect(failed({ changed: ['system prompt'], line })).toEqual([`${detail}. changed: turn 1, step 4: other.`]);
  expect(failed({})).toEqual(['changed: turn 1, step 4: other.']);
});

test('an error of a matcher shows where the test asked, and no line of the plugin', () => {
  const problem = { code: 'TRACE_MISSING', message: 'No trace came.', evidence: [] };
  const { stack = '' } = CouldNotTell.because(problem);
  expect(stack).toContain('test/plugin/failures.test.ts');
  expect(stack).not.toMatch(/\/plugin\/failures\.ts/);
});

test('of several problems each is told with what was seen of it alone, and the lines of a log once', () => {
  const problem = { code: 'AGENT_FAILED', evidence: ['agent: no model'], runs: [1] };
  const [told] = report([session('one', { turns: [turn({ verdict: outcomes.couldNotTell })] })]).results.sessions;
  const turns = [1, 2].map((number) => ({
    ...told!.turns[0]!,
    turn: number,
    problems: [
      { ...problem, evidence: [...problem.evidence, `missing: span ${number}`], message: 'The agent failed.' },
    ],
  }));
  const { message } = CouldNotTell.of({
    session: { ...told, turns },
    lesser: {},
    divergences: {},
  } as unknown as Replayed);
  expect(message.match(/no model/g)).toHaveLength(1);
  expect(message).toMatch(/span 1.*turn 2, 1 run: The agent failed\..*span 2/s);
});
