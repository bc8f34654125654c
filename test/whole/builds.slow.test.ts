import { expect, test } from 'vitest';
import { buildsOf, SDKS } from './builds.ts';

/** A build of 75 replays, and one of large ones; what lies between is in `builds.soak`, with more builds of each. */
const SHAPES = [
  { payload: 1_000, workers: 16 },
  { payload: 1_000_000, workers: 4, sessions: 2, runs: 5 },
];
const agents = SDKS.flatMap((sdk) => SHAPES.map((shape) => ({ sdk, ...shape })));

test.each(agents)(
  'an agent that does the same each time is never red: $sdk, $payload characters, $workers workers',
  async (agent) => {
    await using project = await buildsOf(agent);
    const { results } = await project.build();
    expect([results.status, results.title]).toEqual(['passed', expect.stringContaining('as recorded')]);
  },
);

/** Longer than the 5 s after which the SDK gives an export up, and its spans with it. */
const STALL_MS = 6_500;

// Agents close connections that nothing is sent over for so long: a call that met one is sent again.
test('a runner that stands still for longer than an SDK waits for an export loses no span', async () => {
  await using project = await buildsOf({ sdk: 'langfuse-5', payload: 30_000, workers: 16, runs: 40, idempotent: true });
  let answers = 0;
  const { results } = await project.build({
    on: ({ kind }) => {
      if (kind === 'answered' && ++answers === 20) standStill(STALL_MS);
    },
  });
  expect(answers).toBe(200);
  expect(results).toMatchObject({ status: 'passed', problems: [] });
});

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
