import { expect, test } from 'vitest';
import type { CompareRules, TurnComparison } from '../../src/compare/index.ts';
import { divergenceWords, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';
import { report, session } from '../report/fixtures/reports.ts';
import { renderJunit } from '../report/rendered.ts';
import { type Act, PLAIN, record, rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const call = (tool: string, value: string): Act => ({
  thought: '',
  calls: [{ tool, args: { value }, result: { found: `${value} of ${tool}` } }],
});
const policy = call('get_policy', 'refunds');
const order = call('get_order', 'A-7');
const refund = call('refund', 'A-7');

const run = (...acts: Act[]): Recording =>
  record({ request: { messages: [{ role: 'user', content: 'refund it' }] }, acts, answer: { refunded: true } }, PLAIN);

const READS = { tools: { get_policy: { readOnly: true }, get_order: { readOnly: true } } };

function compared(
  recordings: readonly Recording[],
  replays: readonly Recording[],
  given: Partial<CompareRules> = READS,
) {
  return compareTurn(
    recordings,
    replays.map((recording, index) => ({ run: index + 1, recording })),
    rules(given),
  );
}

function reportOf(comparison: TurnComparison) {
  return report([session('s', { turns: [{ turn: 1, comparison, failures: [] }] })]);
}

const [full, unchecked] = [run(policy, order, refund), run(order, refund)];

test('a check that is left out before a write is minor, counted with its runs, and told by every output', () => {
  const comparison = compared([full], [full, unchecked, unchecked]);
  expect(comparison).toMatchObject({
    verdict: outcomes.asRecorded,
    note: '3 of 3 as recorded, 2 with minor differences',
    figures: { asRecorded: 3, minor: 2 },
  });
  expect(comparison.clusters[0]?.minor).toMatchObject([
    { kind: 'call-missing', tool: 'get_policy', severity: 'minor', runs: [2, 3] },
  ]);
  const made = reportOf(comparison);
  for (const text of [renderTerminal(made), renderMarkdown(made), renderJunit(made)])
    expect(text).toContain('get_policy is not called in runs 2-3 (minor)');
  expect(renderTerminal(made)).toMatch(/as recorded .+ \(minor\) {2}2 of 3/);
  expect(made.results.title).toBe('1 of 1 session as recorded, 1 with minor differences');
});

test('"as recorded in every run" is said only where all that was compared is equal, with what that was', () => {
  const messageOf = (comparison: TurnComparison) => reportOf(comparison).results.message;
  expect(messageOf(compared([full], [full, full]))).toContain('The agent behaved as recorded in every run.');
  const messages = [
    compared([full], [full, unchecked]),
    // The same under a recording that is not the original.
    compared([run(refund), full], [unchecked]),
    compared([full], [run(order, policy, refund)]),
    compared([full], [run(policy, order, order, refund)]),
  ].map(messageOf);
  for (const message of messages) {
    expect(message).toContain('minor differences');
    expect(message).not.toContain('every run');
  }
});

test('where other runs diverge, the sentence says how many of those as recorded have minor differences', () => {
  const comparison = compared([full], [full, unchecked, run(policy, order)]);
  expect(divergenceWords(comparison)).toContain('in 1 of 3 runs (2 as recorded, 1 of them with minor differences)');
});

test('minor differences are those of the recording that a run belongs to', () => {
  const { clusters, figures } = compared([full, run(policy, policy, order)], [run(policy, order)]);
  expect(figures.minor).toBe(1);
  expect(clusters.flatMap(({ minor }) => minor)).toMatchObject([{ kind: 'call-retry', tool: 'get_policy', runs: [1] }]);
});

test('where minor differences count they are divergences, and where calls are not compared they are none', () => {
  const strict = compared([full], [unchecked], { ...READS, strictness: 'steps' });
  expect([strict.verdict, strict.figures.minor]).toEqual([outcomes.changed, 0]);
  const loose = compared([full], [unchecked], {
    tools: { ...READS.tools, refund: { mutating: true } },
    strictness: 'outcome',
  });
  expect([loose.verdict, loose.figures.minor]).toEqual([outcomes.asRecorded, 0]);
});
