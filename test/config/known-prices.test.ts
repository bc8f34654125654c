import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readKnownPrices } from '../../src/config/known-prices.ts';
import { moneyOf } from '../../src/job/records/cost.ts';

const used = (model: string) => [{ model, calls: 1, inputTokens: 1_000_000, outputTokens: 1_000_000 }];

test('the prices of well-known models come from the package, where it is installed', async () => {
  const prices = await readKnownPrices(process.cwd());
  expect(moneyOf(used('gpt-4o-2024-08-06'), prices)).toBeCloseTo(12.5);
  expect(moneyOf(used('claude-3-5-sonnet-20241022'), prices)).toBeCloseTo(18);
  expect(moneyOf(used('m-1'), prices)).toBeNull();
});

test('what the user says of a price wins, and so does a cost in the trace', async () => {
  const prices = { ...(await readKnownPrices(process.cwd())), 'gpt-*': { input: 1, output: 1 } };
  expect(moneyOf(used('gpt-4o-2024-08-06'), prices)).toBe(2);
  expect(moneyOf([{ ...used('claude-3-5-sonnet-20241022')[0]!, cost: 7 }], prices)).toBe(7);
});

test('without the package no price is known', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-prices-'));
  try {
    expect(await readKnownPrices(folder)).toEqual({});
  } finally {
    await rm(folder, { recursive: true });
  }
});
