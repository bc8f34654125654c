import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from './config/folder.ts';

const LIB = path.join(import.meta.dirname, '../lib');

function textOf(file: string): string {
  return readFileSync(path.join(LIB, file), 'utf8');
}

/** What a file loads with itself, and what it loads when that is needed. */
function importsOf(file: string): { now: string[]; later: string[] } {
  const matches = (pattern: RegExp) => [...textOf(file).matchAll(pattern)].map(([, specifier = '']) => specifier);
  return {
    now: matches(/^(?:import|export) (?:[^;'"]* from )?"([^"]+)";$/gm),
    later: matches(/\bimport\("([^"]+)"\)/g),
  };
}

/** A file and all that is loaded with it. */
function loadedWith(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const specifier of importsOf(file).now) {
    if (specifier.startsWith('./')) loadedWith(path.basename(specifier), known);
    else known.add(specifier);
  }
  return known;
}

const files = readdirSync(LIB).filter((file) => file.endsWith('.js'));

/** The agent of `agent-replay demo` runs by itself. */
const demo = readdirSync(path.join(LIB, 'demo'))
  .filter((file) => file.endsWith('.js'))
  .map((file) => path.join('demo', file));

test('the package brings all that it loads', () => {
  const loaded = files.flatMap((file) => Object.values(importsOf(file)).flat());
  const others = new Set(
    loaded.filter((specifier) => !/^(\.\/|node:)/.test(specifier) && !builtinModules.includes(specifier)),
  );
  expect([...others].toSorted()).toEqual(['#pages/page', '#pages/report', 'vitest']);
  const ofDemo = demo.flatMap((file) => Object.values(importsOf(file)).flat());
  expect(ofDemo.filter((name) => !/^(\.\/|node:)/.test(name) && !builtinModules.includes(name))).toEqual([]);
});

test('installing it runs no script', async () => {
  await using folder = await folderWith({});
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder.path];
  execFileSync('npm', pack, { cwd: path.join(LIB, '..') });
  const [archive = ''] = readdirSync(folder.path);
  const manifest = execFileSync('tar', ['-xzOf', path.join(folder.path, archive), 'package/package.json']);
  const { scripts } = JSON.parse(manifest.toString()) as { scripts: Readonly<Record<string, string>> };
  // Those of npm's install; the last three also without a registry.
  const installing = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];
  expect(Object.keys(scripts).filter((name) => installing.includes(name))).toEqual([]);
});

test('it names each package that is bundled, with its licence, and in the bill of materials', () => {
  const bundled = new Set(
    [...files, ...demo].flatMap((file) =>
      [...textOf(file).matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name = '']) => name),
    ),
  );
  const { components } = JSON.parse(textOf('sbom.cdx.json')) as { components: { name: string; version: string }[] };
  expect(bundled).toContain('undici');
  // The pages are text in the bundle, and rules no package of npm: they are named all the same.
  expect(new Set(components.map(({ name }) => name))).toEqual(new Set([...bundled, 'gitleaks', 'preact']));
  for (const { name, version } of components) expect(textOf('licenses.txt')).toContain(`${name} ${version}\n`);
});

test("neither an agent's endpoint nor the processes of tests load the core", () => {
  const parts = ['endpoint.js', 'vitest.js', 'matchers.js', 'pinned.js'].flatMap((entry) => [...loadedWith(entry)]);
  expect(parts).toContain('plugin-core.js');
  expect(parts).toContain('endpoint-core.js');
  expect(parts.filter((part) => /^(core|undici|index)\.js$/.test(part))).toEqual([]);
});

test('the version is told before anything else is loaded', () => {
  // Node's own start has loaded these of its modules.
  const loaded = ['node:module', 'node:path', 'node:url'];
  expect([...loadedWith('command.js')].filter((name) => !loaded.includes(name))).toEqual(['command.js', 'start.js']);
});

test('nothing imports node:http, which would load a second undici', () => {
  expect(files.filter((file) => importsOf(file).now.includes('node:http'))).toEqual([]);
  expect(loadedWith('core.js')).toContain('http.js');
});

test('TypeScript that reads no `exports` (moduleResolution: node10) finds the same types', () => {
  const { exports, types, typesVersions } = JSON.parse(readFileSync(path.join(LIB, '../package.json'), 'utf8'));
  const found = { '.': [types], ...typesVersions['*'] };
  const entries = Object.entries<{ types?: string }>(exports).filter(([, entry]) => entry.types !== undefined);
  expect(Object.fromEntries(entries.map(([name, entry]) => [name.replace(/^\.\//, ''), [entry.types]]))).toEqual(found);
});
