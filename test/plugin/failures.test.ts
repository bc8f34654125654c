import { expect, test } from 'vitest';
import { divergencesIn } from '../../plugin/failures.ts';
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
