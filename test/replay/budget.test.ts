import { expect, test } from 'vitest';
import { Budget } from '../../src/replay/budget.ts';
import { wholeMessage } from '../whole-message.ts';

const call = { session: 's', turn: 1, run: 1 };
const trace = (id: string) => ({ id, timestamp: '2026-01-01T00:00:00.000Z', metadata: {}, observations: [] });
const meter = { estimate: () => 1, costOf: ({ id }: { id: string }) => (id === '' ? undefined : Number(id)) };

test('calls in flight count with their estimates, those that are over with what they cost', () => {
  const budget = new Budget({ maxCost: 3 }, meter);
  for (let made = 0; made < 3; made++) {
    expect(budget.refusal(call)).toBeUndefined();
    budget.take(call);
  }
  expect(budget.refusal(call)).toMatchObject({ code: 'COST_LIMIT' });
  budget.settle(call, trace('0.5'));
  expect(budget.refusal(call)).toMatchObject({ code: 'COST_LIMIT' });
  budget.settle(call, trace('0.5'));
  expect(budget.refusal(call)).toBeUndefined();
  budget.settle(call, null);
  expect(budget.refusal(call)).toBeUndefined();
  budget.take(call);
  budget.settle(call, trace('1.5'));
  expect(wholeMessage(budget.refusal(call)!)).toMatchInlineSnapshot(`
    "With this call the run would cost more than $3. (COST_LIMIT)
      maxCost: 3
      -> Raise maxCost, or replay fewer sessions or runs; --dry-run says what it takes."
  `);
});

test('the number of calls is kept to, whatever they cost', () => {
  const budget = new Budget({ maxCalls: 1, maxCost: 100 }, meter);
  budget.take(call);
  budget.settle(call, trace('0'));
  expect(wholeMessage(budget.refusal(call)!)).toMatchInlineSnapshot(`
    "All 1 calls that maxCalls allows have been made. (CALLS_EXCEEDED)
      -> Raise maxCalls, or replay fewer sessions or runs; --dry-run says how many calls it takes."
  `);
});

test("a shard's limits are said to be its part", () => {
  const calls = new Budget({ maxCalls: 0, shard: {} }, meter);
  expect(calls.refusal(call)?.message).toBe(
    'All 0 calls that maxCalls allows this shard, its part of all, have been made.',
  );
  const cost = new Budget({ maxCost: 0, shard: {} }, meter);
  expect(cost.refusal(call)?.evidence).toEqual(["this shard's part of maxCost: 0"]);
});

test('tenths add up to the limit that they are', () => {
  const budget = new Budget({ maxCost: 0.3 }, { estimate: () => 0.1, costOf: () => 0.1 });
  for (let made = 0; made < 3; made++) {
    expect(budget.refusal(call)).toBeUndefined();
    budget.take(call);
    budget.settle(call, trace('x'));
  }
  expect(budget.refusal(call)).toMatchObject({ code: 'COST_LIMIT' });
});
