import { execFile } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';

const FOLDER = path.join(import.meta.dirname, '../../examples/vitest-agent');
const VITEST = path.join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');

test('the example of Vitest passes: its pins, every matcher, every option', async () => {
  const { PATH, HOME } = process.env;
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [VITEST, 'run'], { cwd: FOLDER, env: { PATH, HOME } }, (_, ...streams) =>
      resolve(stripVTControlCharacters(streams.join(''))),
    );
  });
  expect(output).toMatch(/Tests +9 passed \(9\)/);
  expect(output).toContain('passed: 2 of 2 sessions as recorded');
});
