import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inspectProject, plannedFiles } from '../../src/init/index.ts';

const page = readFileSync(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');
const snippets = [...page.matchAll(/^```(?:js|ts|python) (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, file = '', code = '']) => [file, code] as const,
);
const WALKS = path.join(import.meta.dirname, 'walks');

test.each(snippets)('the lines of %s are those that were tried', async (file, code) => {
  expect(code).toBe(await linesOf(file));
});

/** Of a file of the project, or of one that `init` writes there. */
async function linesOf(file: string): Promise<string | undefined> {
  if (existsSync(path.join(WALKS, file))) return readFileSync(path.join(WALKS, file), 'utf8');
  const [name = '', ...rest] = file.split('/');
  const project = await inspectProject(path.join(WALKS, name));
  const answers = { agentId: '', command: '', url: '', workflow: false };
  return plannedFiles(project, answers).find((planned) => planned.path === rest.join('/'))?.content;
}

test('each project that is led the whole way has lines of its own on the page, or the very lines of another', () => {
  const isShown = (project: string) =>
    snippets.some(([file, code]) => {
      if (file.startsWith(`${project}/`)) return true;
      const same = path.join(WALKS, project, path.basename(file));
      return existsSync(same) && readFileSync(same, 'utf8') === code;
    });
  expect(readdirSync(WALKS).filter((project) => !isShown(project))).toEqual([]);
});

/** What every Express agent and every schema has is no matter of the framework. */
const OTHERS = ['express', 'zod'];

test.each(readdirSync(WALKS).filter((name) => existsSync(path.join(WALKS, name, 'package.json'))))(
  'the page names the packages and versions that are installed together for %s',
  (name) => {
    const { dependencies } = JSON.parse(readFileSync(path.join(WALKS, name, 'package.json'), 'utf8'));
    const named = Object.entries(dependencies).filter(([each]) => !OTHERS.includes(each));
    expect(page).toContain(`\`npm i ${named.map((each) => each.join('@')).join(' ')}\``);
  },
);
