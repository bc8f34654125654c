import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';
import full from './vitest.full.config.ts';

/** What is tried at every change: all tests but those that take longer than a few seconds, properties in fewer cases. */
export default mergeConfig(
  full,
  defineConfig({
    test: {
      exclude: [...configDefaults.exclude, '**/*.slow.test.ts'],
      env: { FC_RUNS: process.env.FC_RUNS ?? '100' },
    },
  }),
);
