import { expect, test } from 'vitest';
import { buildsOf, SDKS } from './builds.ts';

/** Twenty builds of 75 replays or of large ones; the whole table is in `builds.soak`. */
const SHAPES = [
  { payload: 1_000, workers: 16, builds: 1 },
  { payload: 100_000, workers: 16, builds: 3 },
  { payload: 1_000_000, workers: 4, sessions: 2, runs: 5, builds: 1 },
];
const agents = SDKS.flatMap((sdk) => SHAPES.map((shape) => ({ sdk, ...shape })));

test.each(agents)(
  'an agent that does the same each time is never red: $sdk, $payload characters, $workers workers',
  async ({ builds, ...agent }) => {
    await using project = await buildsOf(agent);
    for (let build = 1; build <= builds; build++) {
      const { results } = await project.build();
      expect([results.status, results.title]).toEqual(['passed', expect.stringContaining('reproduced')]);
    }
  },
  120_000,
);
