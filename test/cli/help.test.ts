import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from './command.ts';

const ROOT = path.join(import.meta.dirname, '../..');

test('help TOPIC shows a page that ships with the package', async () => {
  const { code, stdout } = await command(['help', 'gate'], { cwd: ROOT });
  expect(code).toBe(0);
  expect(stdout).toBe(readFileSync(path.join(ROOT, 'docs/gate.md'), 'utf8'));
});

test('help lists the topics with their titles, but none about the project itself', async () => {
  const { stdout } = await command(['help'], { cwd: ROOT });
  expect(stdout).toMatch(/^ {2}endpoint +The replay endpoint/m);
  expect(stdout).not.toContain('architecture');
});

test('a topic that is not there is named with those that are: exit 2', async () => {
  expect(await command(['help', '../package'], { cwd: ROOT })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There is no page about "\.\.\/package"[\s\S]*endpoint/),
  });
});
