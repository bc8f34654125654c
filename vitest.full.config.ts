import { defineConfig } from 'vitest/config';

/** All tests, the slow ones too. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/counting-reporter.ts'],
    // One worker a core: most of a test's time is waiting for processes of its own.
    maxWorkers: '100%',
    // Real processes on a busy machine with two cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
