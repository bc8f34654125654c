import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that leave nothing behind in their process: they share it, which spares half of their time. */
const SHARED = [
  'action',
  'cli',
  'compare',
  'config',
  'contract',
  'faults',
  'init',
  'job',
  'replay',
  'report',
  'session',
  'tau',
];

/** All tests, the slow ones too. */
export default defineConfig({
  test: {
    reporters: ['default', './test/counting-reporter.ts'],
    // Most of a test's time is waiting for processes of its own.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // Hundreds of processes load the same modules.
    env: { NODE_COMPILE_CACHE: path.join(tmpdir(), 'agent-replay-test-cache') },
    // Real processes on a busy machine with two cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: [`test/{${SHARED}}/**/*.test.ts`] },
      },
      {
        extends: true,
        test: { name: 'isolated', include: ['test/*.test.ts', `test/!(${SHARED.join('|')})/**/*.test.ts`] },
      },
    ],
  },
});
