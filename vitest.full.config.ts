import { defineConfig } from 'vitest/config';

/** All tests, the slow ones too. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/counting-reporter.ts'],
    // Real processes on a busy machine with two cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
