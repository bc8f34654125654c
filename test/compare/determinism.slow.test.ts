import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = path.join(import.meta.dirname, 'fixtures/compare-pins.ts');
const PLACES = [
  { TZ: 'UTC', LANG: 'C' },
  { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
  { TZ: 'America/St_Johns', LANG: 'de_DE.UTF-8', LC_ALL: 'sv_SE.UTF-8' },
];

test('the same input gives the same bytes, in every time zone and language and whatever order the runs came in', async () => {
  const outputs = await Promise.all(
    PLACES.flatMap((env) =>
      [[], ['--reverse']].map(async (args) => {
        const run = promisify(execFile)(process.execPath, [PROGRAM, ...args], {
          env: { PATH: process.env.PATH, ...env },
          maxBuffer: 2 ** 26,
        });
        return (await run).stdout;
      }),
    ),
  );
  expect(outputs[0]?.split('\n').length).toBeGreaterThan(10);
  expect(new Set(outputs).size).toBe(1);
});
