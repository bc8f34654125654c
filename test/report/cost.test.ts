import { expect, test } from 'vitest';
import type { Report } from '../../src/report/index.ts';
import { costLines } from '../../src/report/words/cost-words.ts';
import { usageLine } from '../../src/report/words/words.ts';
import { outcomes } from '../outcomes.ts';
import { report, STRICT, session, turn } from './fixtures/reports.ts';

type Run = readonly [calls: number, tokens: number];

/** A session whose recordings and replays used so much. */
function used(name: string, recorded: Run, replayed: Run, over: Parameters<typeof session>[1] = {}) {
  const runs = ([calls, tokens]: Run) => [{ calls, tokens, price: tokens }];
  const spent = { unit: 'tokens' as const, recordings: runs(recorded), replays: runs(replayed), asked: 1 };
  return session(name, { spent, turns: [turn({ verdict: outcomes.asRecorded })], ...over });
}
const ofCost = ({ results: { status, title } }: Report) => ({ status, title });

test('a dearer run says how many times, and whether the model was called more often or longer', () => {
  const often = report([used('a', [3, 57], [9, 570])]);
  expect(costLines(often.results)).toEqual([
    "Cost: tokens 10.0 x the recordings' (570 / 57), calls of the model 3.0 x (9 / 3).",
  ]);
  const longer = report([used('a', [3, 57], [3, 70])]);
  expect(costLines(longer.results)).toEqual(["Cost: tokens 1.23 x the recordings' (70 / 57)."]);
});

test('what costs more is told and passes; it fails by the setting of all sessions, or by one of its own', () => {
  const sessions = (own?: Parameters<typeof session>[1]) => [
    used('a', [3, 57], [3, 570], own),
    used('b', [3, 570], [3, 57]),
  ];
  const failOn = { ...STRICT.failOn, cost: ['changed' as const] };
  const title = '2 of 2 sessions as recorded, costs more than recorded';
  expect(ofCost(report(sessions()))).toEqual({ status: 'passed', title });
  expect(ofCost(report(sessions({ own: { failOn } })))).toEqual({ status: 'failed', title });
  expect(ofCost(report(sessions(), {}, { ...STRICT, failOn }))).toEqual({ status: 'failed', title });
  const without = sessions({ own: { failOn: STRICT.failOn } });
  expect(ofCost(report(without, {}, { ...STRICT, failOn }))).toEqual({ status: 'passed', title });
});

test('the price of a verdict comes first: money, then replays', () => {
  const usage = { calls: 47, retries: 0, inputTokens: 12_345, outputTokens: 678, cost: 0.31 };
  const shift = { varying: 4, recordings: 5, reach: null, suites: [] };
  const made = report([used('a', [1, 1], [1, 1])], { shift });
  const tag = (over: Partial<Report['evidence']['usage']>, results = made.results) =>
    usageLine({ ...made, results, evidence: { ...made.evidence, usage: { ...usage, ...over } } });
  const replays = `${made.evidence.runs.length} replays`;
  expect(tag({}).indexOf(`$0.3100, ${replays}, 12,345 tokens in, 678 tokens out`)).toBe(0);
  expect(tag({ cost: null })).toMatch(/^\d+ replays, 12,345 tokens in/);
  expect(tag({}, { ...made.results, shift: undefined })).toContain(
    '47 calls, 12,345 tokens in, 678 tokens out, $0.3100',
  );
  const judge = { calls: 2, cost: 0.002 };
  expect(tag({ judge })).toMatch(/^\$0\.3120 \(\$0\.0020 of it the judge\), .* tokens out, 2 questions to the judge/);
  expect(tag({ judge: { ...judge, cost: null } })).toMatch(/^\$0\.3100 without the judge, /);
  expect(tag({ cost: null, judge })).toMatch(/^\$0\.0020 the judge alone, /);
});
