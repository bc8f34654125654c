import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/patience.ts';

/** What takes as long as it takes: kills, long fuzzing, many builds, installs of foreign frameworks. One at a time. */
export default defineConfig({
  test: {
    reporters: ['verbose', './test/counting-reporter.ts'],
    include: [
      'test/**/*.soak.test.ts',
      'test/action/comment.slow.test.ts',
      'test/faults/kills.slow.test.ts',
      'test/plugin/*.slow.test.ts',
      'test/faults/fuzz.test.ts',
      'test/shift/{planted,unchanged}.slow.test.ts',
    ],
    // Fewer can be asked for: `FUZZ_SECONDS=60 npm run test:soak -- test/faults/runs`.
    env: {
      KILLS: process.env.KILLS ?? '200',
      FUZZ_SECONDS: process.env.FUZZ_SECONDS ?? '600',
      SECOND_START: '1',
      SUITES: process.env.SUITES ?? '200',
      ORDERS: process.env.ORDERS ?? '400',
    },
    fileParallelism: false,
    testTimeout: 3 * 3_600_000,
    hookTimeout: 3_600_000,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
});
