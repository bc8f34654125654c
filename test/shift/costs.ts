import type { CostUnit } from '../../src/shift/cost-test.ts';
import type { Spent } from '../../src/shift/index.ts';
import { type Random, randomFrom } from '../../src/shift/random.ts';

/** @param prices of runs, in tokens */
export function unit(
  id: string,
  recordings: readonly number[],
  replays: readonly number[],
  over: Partial<Spent> = {},
): CostUnit {
  const runs = (of: readonly number[]) => of.map((price) => ({ calls: 1, tokens: price, price }));
  return {
    id,
    spent: { unit: 'tokens', recordings: runs(recordings), replays: runs(replays), asked: replays.length, ...over },
  };
}

/** A live agent's runs: their logarithms differ by `spread`. */
export function runs(count: number, random: Random, { times = 1, spread = 0.3 } = {}): number[] {
  const normal = () => Array.from({ length: 12 }, () => random(1_000) / 1_000).reduce((sum, each) => sum + each, -6);
  return Array.from({ length: count }, () => Math.round(1_000 * times * Math.exp(spread * normal())));
}

export function suite(seed: string, { times = 1, recordings = 5, sessions = 20 } = {}): CostUnit[] {
  const random = randomFrom(seed);
  return Array.from({ length: sessions }, (_, index) =>
    unit(`s${index}`, runs(recordings, random), runs(5, random, { times })),
  );
}
