import { expect, test } from 'vitest';
import { type RunTable, shiftRun, tableOf, turnTest } from '../../src/shift/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { agentOf } from './agents.ts';

const ROUNDS = 5;

/** The least CPU time of this thread over some rounds, in microseconds: what else the machine does is not in it. */
function cpuOf(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}

function runsOf(count: number) {
  const agent = agentOf('wild', 'speed');
  const random = randomFrom('speed');
  return Array.from({ length: count }, () => shiftRun(agent(random)));
}

function halves(count: number): RunTable {
  const runs = runsOf(count);
  return tableOf(runs.slice(0, count / 2), runs.slice(count / 2));
}

test('a turn takes time in proportion to the relabelings', () => {
  const table = halves(24);
  const [few, many] = [6_000, 60_000].map((limit) => cpuOf(() => turnTest(table, { limit }))) as [number, number];
  expect(many / few).toBeLessThan(10 * 2);
});

test('a turn takes time in proportion to the square of its runs, at most', () => {
  const [few, many] = [16, 64].map((count) => {
    const table = halves(count);
    return cpuOf(() => turnTest(table, { limit: 5_000 }));
  }) as [number, number];
  expect(many / few).toBeLessThan(16 * 2);
  const [small, large] = [16, 64].map((count) => {
    const runs = runsOf(count);
    return cpuOf(() => tableOf(runs.slice(0, count / 2), runs.slice(count / 2)));
  }) as [number, number];
  expect(large / small).toBeLessThan(16 * 2);
});
