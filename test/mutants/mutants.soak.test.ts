import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const ROOT = path.join(import.meta.dirname, '../..');

interface Outcome {
  readonly numTotalTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly success: boolean;
}

/**
 * What the tests of the comparison say with a mutant in it, up to the first that fails.
 * @param files words of the test files that are run, or else all of them
 */
function outcomeWith(mutant: string | undefined, files: readonly string[] = []): Outcome {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutant-'));
  const file = path.join(folder, 'outcome.json');
  const { MUTANT: _, ...env } = process.env;
  const { stderr } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...files,
      '--config',
      'test/mutants/vitest.config.ts',
      '--reporter=json',
      `--outputFile=${file}`,
    ],
    { cwd: ROOT, encoding: 'utf8', env: mutant === undefined ? env : { ...env, MUTANT: mutant } },
  );
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`the tests did not run: ${stderr}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('without a mutant the tests are green', () => {
  expect(outcomeWith(undefined)).toMatchObject({ success: true, numFailedTests: 0, numFailedTestSuites: 0 });
});

// A file that cannot be loaded fails no test: only a promise that is broken counts.
test.each(MUTANTS)('a comparison where $name is caught', ({ name }) => {
  // The labelled pairs take seconds and catch most.
  const failed = outcomeWith(name, ['test/verdicts']).numFailedTests || outcomeWith(name).numFailedTests;
  expect(failed).toBeGreaterThan(0);
});
