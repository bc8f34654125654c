import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles } from '../../scripts/action.ts';
import { bundleInto, staleFiles } from '../../scripts/build-action.ts';
import { releaseNotes } from '../../scripts/release-notes.ts';
import { configOptions } from '../../src/config/index.ts';
import { folderWith } from '../config/folder.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const definition = parse(read('action.yml'));

test('every setting of the configuration is an input, under its one name', () => {
  const settings = configOptions().map(({ flag }) => flag);
  expect(Object.keys(definition.inputs).slice(-settings.length)).toEqual(settings);
});

test('no setting has a default of its own, which would win over the configuration', () => {
  const presets = configOptions().filter(({ flag }) => definition.inputs[flag].default !== undefined);
  expect(presets).toEqual([]);
});

test('the generated files are what the schema of the configuration makes of them', async () => {
  for (const [file, text] of Object.entries(await generatedFiles())) expect(read(file), file).toBe(text);
});

test('action.yml names a file of the bundle, for Node 24', () => {
  expect(definition.runs).toEqual({ using: 'node24', main: 'dist/index.js', post: 'dist/index.js' });
  expect(readdirSync(path.join(ROOT, 'dist'))).toEqual(
    expect.arrayContaining(['index.js', 'licenses.txt', 'package.json']),
  );
});

test('the packages that CONTRIBUTING.md says are used are installed, and those that others stand for are not', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const [said = ''] = /`@actions\/core`, undici[\s\S]*? for ncc/.exec(read('CONTRIBUTING.md')) ?? [];
  const used = ['@actions/core', 'undici', 'zod', 'vitest', 'markdown-table', '@octokit/core', 'rolldown'];
  for (const name of [...used, '@actions/github', 'ncc']) expect(said).toContain(name);
  const installed = Object.keys({ ...dependencies, ...devDependencies });
  expect(installed).toEqual(expect.arrayContaining(used));
  expect(installed.filter((name) => /^@actions\/github$|ncc$/.test(name))).toEqual([]);
});

/** A step downloads the action before each job. The page of the HTML report in it holds the words of all outputs once more. */
const MAX_BUNDLE_BYTES = 1_658_000;

test('the bundle is small, and holds one copy of undici', () => {
  const files = readdirSync(path.join(ROOT, 'dist'));
  const scripts = files.filter((file) => file.endsWith('.js')).map((file) => read(`dist/${file}`));
  // A name in its own registry of symbols, which no minifier changes.
  const copies = scripts.filter((text) => text.includes('undici.globalDispatcher.'));
  expect({ licences: read('dist/licenses.txt').match(/^undici /gm), copies: copies.length }).toEqual({
    licences: ['undici '],
    copies: 1,
  });
});

test('the licences of what is inside the pages stand beside the bundle', () => {
  expect(read('dist/licenses.txt')).toMatch(/^preact \d[\s\S]*^MIT$/m);
});

test('fault 80: a bundle that is not what the sources build is found; the same sources build the same bytes', async () => {
  await using folder = await folderWith({});
  await bundleInto(folder.path);
  const scripts = readdirSync(folder.path).map((file) => readFileSync(path.join(folder.path, file)));
  expect(Buffer.concat(scripts).length).toBeLessThan(MAX_BUNDLE_BYTES);
  expect(readFileSync(path.join(folder.path, 'licenses.txt'), 'utf8')).toMatch(/^gitleaks \d+\.\d+\.\d+\nMIT$/m);
  expect(await staleFiles(folder.path)).toEqual([]);
  appendFileSync(path.join(folder.path, 'index.js'), '\n');
  expect(await staleFiles(folder.path)).toEqual(['index.js']);
});

test('fault 78: an old Node is told to be one, and nothing else is loaded', () => {
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })';
  const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, path.join(ROOT, 'dist/index.js')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
  expect({ status, stderr }).toEqual({ status: 2, stderr: '' });
  expect(stdout).toMatch(/^::error title=agent-replay::This action needs Node 24, [^\n]*\n$/);
});

test('the action enters the core through its public door', () => {
  const past = readdirSync(path.join(ROOT, 'action')).flatMap((file) =>
    [...read(`action/${file}`).matchAll(/from '(\.\.\/[^']+)'/g)].map(([, target]) => target),
  );
  // The exit codes are all that the entry knows of it before the inputs are checked; the waits load nothing of it.
  expect(new Set(past)).toEqual(new Set(['../src/exit.ts', '../src/rims.ts']));
});

test('the entry loads neither the core nor a library before the inputs are checked', () => {
  const imported = ['index.ts', 'inputs.ts', 'settings.ts'].flatMap((file) =>
    [...read(`action/${file}`).matchAll(/^import [^;]*from '([^']+)'/gm)].map(([, target]) => target),
  );
  expect(new Set(imported)).toEqual(
    new Set(['../src/exit.ts', './inputs.ts', './settings.ts', 'node:fs', 'node:path']),
  );
});

test('what is loaded before the inputs are checked, and to refuse one, is small', async () => {
  await using folder = await folderWith({});
  await bundleInto(folder.path);
  const loaded = new Set(['index.js', 'remember.js', 'refuse.js']);
  // A set grows while it is walked.
  for (const file of loaded) {
    const text = readFileSync(path.join(folder.path, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) loaded.add(name);
  }
  const bytes = [...loaded].reduce((sum, file) => sum + statSync(path.join(folder.path, file)).size, 0);
  expect(bytes).toBeLessThan(20_000);
});

test('the outputs that the documentation reads are there', () => {
  const text = read('docs/action.md') + read('README.md');
  const used = [...text.matchAll(/steps\.replay\.outputs\.([\w-]+)/g)].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(0);
  expect(Object.keys(definition.outputs)).toEqual(expect.arrayContaining(used));
});

test('a release has the notes of its version, and a tag that is not of the package is refused', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.3 (2026-11-21)\n\n- this\n\n## 1.2.2\n\n- before\n';
  expect(releaseNotes('v1.2.3', '1.2.3', changelog)).toBe('- this\n');
  expect(() => releaseNotes('v1.2.4', '1.2.3', changelog)).toThrow('package.json says 1.2.3');
  expect(() => releaseNotes('v1.3.0', '1.3.0', changelog)).toThrow('says nothing of 1.3.0');
});
