import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/patience.ts';

/** Tests that leave nothing behind in their process: they share it, which spares half of their time. */
const SHARED = [
  'action',
  'chat',
  'cli',
  'compare',
  'config',
  'contract',
  'faults',
  'init',
  'job',
  'json',
  'replay',
  'report',
  'session',
  'shift',
  'tau',
  'trace',
  'verdicts',
];

// Hundreds of processes load the same modules: the workers of Vitest, and what they start.
process.env.NODE_COMPILE_CACHE ??= path.join(tmpdir(), 'agent-replay-test-cache');

/** Every promise once: all tests but those that run for as long as they like. */
export default defineConfig({
  test: {
    reporters: ['default', './test/counting-reporter.ts'],
    // Most of a test's time is waiting for processes of its own.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // No promise is kept by a clock: these only end what hangs, on a machine that does much else besides.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    exclude: [...configDefaults.exclude, '**/*.soak.test.ts'],
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
