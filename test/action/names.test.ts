import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE } from '../../src/init/index.ts';
import { ACTION } from '../../src/init/published.ts';
import { workflowFile } from '../../src/init/workflow-file.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const FILES = globSync(['README.md', 'docs/**/*.{md,yml}', '.github/**/*.yml', 'examples/*/README.md'], { cwd: ROOT });
const SHOWN = [...FILES.map((file) => [file, read(file)]), ['init', workflowFile({ packageManager: 'npm' }).content]];

test('nothing that is shown uses an action that nobody owns', () => {
  const used = SHOWN.flatMap(([, text = '']) => [...text.matchAll(/uses: *(\S+)/g)].map(([, name = '']) => name));
  const own = used.filter((name) => name.includes('agent-replay'));
  expect(own.length).toBeGreaterThan(8);
  expect(new Set(own)).toEqual(new Set([ACTION]));
});

test('nothing that is shown installs a package that nobody owns', () => {
  const install = /(?:npm (?:install|i|add)|pnpm add|yarn add|bun add)((?: \S+)+)/g;
  const named = SHOWN.flatMap(([, text = '']) =>
    [...text.matchAll(install)].flatMap(([, words = '']) => words.split(' ')),
  );
  const own = named.map((word) => word.replace(/[`.,;:)]+$/, '')).filter((word) => /^agent-replay(@|$)/.test(word));
  expect(own).toEqual([]);
  expect(PACKAGE).toBe(`./agent-replay-${JSON.parse(read('package.json')).version}.tgz`);
});

test('what a runner downloads is the action, and little else', () => {
  const attributes = ['archive', '--format=tar', 'HEAD'];
  const { stdout } = spawnSync('git', attributes, { cwd: ROOT, maxBuffer: 64 * 1024 ** 2 });
  const names = spawnSync('tar', ['-tf', '-'], { input: stdout, encoding: 'utf8' }).stdout.trim().split('\n');
  const files = names.filter((name) => !name.endsWith('/'));
  expect(files).toEqual(expect.arrayContaining(['action.yml', 'dist/index.js', 'LICENSE']));
  expect(files.filter((name) => !/^(dist\/|action\.yml|package\.json|[A-Z]+(\.md)?$)/.test(name))).toEqual([]);
});
