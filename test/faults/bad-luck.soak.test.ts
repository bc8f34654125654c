import { expect, test } from 'vitest';
import { MENDS } from '../simulated/mends.ts';
import { played } from '../simulated/played.ts';

const SEEDS = Number(process.env.SEEDS ?? 10_000);
const AT_ONCE = 500;
const RANGES = Array.from({ length: Math.ceil(SEEDS / AT_ONCE) }, (_, at) => [at * AT_ONCE, (at + 1) * AT_ONCE - 1]);

test.each(RANGES)('seeds %i to %i of simulated bad luck break no promise', (from, to) => {
  const { code, text } = played(`${from}-${to}`);
  expect([code, text.replace(/\{"[\s\S]*/, '')]).toEqual([0, '']);
});

test.each(MENDS)('it finds that this is taken out: $name', ({ name }) => {
  const { code, text } = played('0-999', '--first', '--without', name);
  expect([code, text]).toEqual([1, expect.stringMatching(/^seed \d+: /)]);
});
