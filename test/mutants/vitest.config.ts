import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { MUTANTS } from './mutants.ts';
import { mutate } from './mutate.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const SRC = path.join(ROOT, 'src');

/** Puts the mutant named by `MUTANT` in the place of its file, in memory: no file is changed. */
function mutation(): Plugin {
  const name = process.env.MUTANT;
  const mutant = MUTANTS.find((each) => each.name === name);
  if (name !== undefined && mutant === undefined) throw new Error(`there is no mutant "${name}"`);
  const file = mutant && path.join(SRC, mutant.file);
  return {
    name: 'mutation',
    enforce: 'pre',
    load(id) {
      if (mutant === undefined || file === undefined || path.normalize(id) !== file) return null;
      return mutate(readFileSync(file, 'utf8'), mutant.of, mutant.change);
    },
  };
}

/** What says most about the comparison in the least time. */
export default defineConfig({
  root: ROOT,
  plugins: [mutation()],
  test: {
    include: [
      'test/verdicts/*.test.ts',
      'test/compare/*.test.ts',
      'test/report/status.test.ts',
      'test/tau/tau.test.ts',
    ],
    exclude: ['**/*.slow.test.ts', '**/*.soak.test.ts'],
    isolate: false,
    bail: 1,
    // What is kept of a file knows nothing of the mutant in it.
    fsModuleCache: false,
    env: { FC_RUNS: '60' },
    testTimeout: 120_000,
  },
});
