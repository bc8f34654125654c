import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from './cli/project.ts';

const CHECKOUT = path.join(import.meta.dirname, '..');
const PAGE = readFileSync(path.join(CHECKOUT, 'docs/api.md'), 'utf8');
const SCRIPTS = Object.fromEntries(
  [...PAGE.matchAll(/^```js (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', text = '']) => [file, text]),
);

function run(file: string, cwd: string): Promise<{ code: number | string; stdout: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file], { cwd }, (error, stdout) => resolve({ code: error?.code ?? 0, stdout }));
  });
}

test('the scripts of docs/api.md do what they say', async () => {
  await using project = await projectWith({ sessions: { a: 'a', b: 'varies' }, files: SCRIPTS, config: { runs: 3 } });
  await mkdir(path.join(project.path, 'node_modules'));
  await symlink(CHECKOUT, path.join(project.path, 'node_modules/agent-replay'));
  const first = await run('replay.mjs', project.path);
  expect(first.stdout.split('\n').toSorted().filter(Boolean)).toEqual([
    '1 of 2 sessions varies, 1 as recorded',
    'done: a',
    'done: b',
  ]);
  expect(first.code).toBe(1);
  const { stdout } = await run('failing.mjs', project.path);
  expect(stdout).toMatch(/^a: as-recorded\nb: \w+\n {2}turn 1, step \d+: .* in \d of \d runs/);
});

test('docs/api.md names all that the public door holds', async () => {
  const door = readFileSync(path.join(CHECKOUT, 'src/index.ts'), 'utf8');
  const names = [...door.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').flatMap((name) => name.replace('type ', '').trim() || []),
  );
  expect(names.length).toBeLessThan(20);
  expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(PAGE))).toEqual([]);
});
