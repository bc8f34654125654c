import { expect, test } from 'vitest';
import { apart } from '../../src/compare/shapes/excerpt.ts';
import { renderTerminal } from '../../src/report/index.ts';
import { behaviourLabels, divergenceWords } from '../../src/report/words/pages.ts';
import { type Play, played } from './fixtures/played.ts';
import { report, session } from './fixtures/reports.ts';

const asking = (page: number, size: number): Play => ({
  acts: [
    {
      tool: 'list_orders',
      args: {
        account: 'northern-europe/retail/shops/berlin-mitte',
        filters: { open: true, paid: true, year: 2026 },
        page,
        size,
      },
      result: 'found',
    },
  ],
  answer: 'Here it is.',
});
const calling = (...tools: string[]): Play => ({
  acts: tools.map((tool) => ({ tool, args: {}, result: 'done' })),
  answer: 'Done.',
});
const CRM = 'customer_relationship_management_account_record_of_';

test.each([
  [
    'values that begin alike, two of them alike beside the third',
    asking(1, 10),
    [asking(2, 10), asking(2, 50), asking(3, 10)],
  ],
  [
    'names of tools that begin alike',
    calling('lookup'),
    ['invoice', 'invoices', 'order'].map((end) => calling(`${CRM}${end}`)),
  ],
  [
    'behaviours that begin alike and part later',
    calling('lookup', 'refund', 'mail'),
    [calling('lookup'), calling('lookup', 'mail'), calling('lookup', 'mail', 'ticket')],
  ],
  [
    'calls that are missing of tools that begin alike',
    calling(`${CRM}order`, `${CRM}orders`),
    [calling(`${CRM}order`), calling(`${CRM}orders`)],
  ],
])('branches never look alike, on the page and wherever a turn is told: %s', (_, recorded, replays) => {
  const turn = played([recorded], [recorded, ...replays]);
  const made = report([session('s', { turns: [turn] })]);
  const columns = behaviourLabels(made.results.sessions[0]!.turns[0]!.comparison.clusters, false);
  expect(columns).toHaveLength(replays.length + 1);
  expect(new Set(columns).size, columns.join('\n')).toBe(columns.length);
  // What is longer is cut by the column.
  for (const label of columns) expect(label.length, label).toBeLessThanOrEqual(44);

  const { forks } = made.results.sessions[0]!.turns[0]!.comparison;
  expect(forks.length).toBeGreaterThan(0);
  const terminal = renderTerminal(made, { columns: 10_000, isVerbose: true });
  for (const { branches } of forks) {
    const labels = branches.map(({ label }) => label);
    expect(new Set(labels).size, labels.join('\n')).toBe(labels.length);
    for (const label of labels) expect(terminal).toContain(label);
  }
});

test('a label that fits stays whole beside a longer one that begins alike, and equal ones are told as ways', () => {
  const short = 'refund_order: no call';
  const [first, second, third] = apart([short, `${short} ${'and more '.repeat(9)}`, short], 44);
  expect([first, third]).toEqual([short, `${short}, way 2`]);
  expect(second).toMatch(/^.{24,44}$/);
});

test('where some replays make another call and others none, the head says what is not called in any', () => {
  const recorded = calling('lookup', 'check_policy', 'refund');
  const turn = played([recorded], [recorded, calling('lookup', 'get_customer', 'refund'), calling('lookup', 'refund')]);
  expect(divergenceWords(turn.comparison)).toContain('check_policy is not called in 2 of 3 runs');
});
