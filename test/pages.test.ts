import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { llmsText } from '../scripts/llms.ts';
import { command } from './cli/command.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PAGES = globSync(['*.md', 'docs/*.md', 'bench/*.md', 'examples/*/README.md'], { cwd: ROOT }).sort();
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');
const proseOf = (page: string) => read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The names under which GitHub finds headings. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(PAGES)('every link in %s leads somewhere', (page) => {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(ROOT, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test('every option that a page gives a command is one that it has', async () => {
  const shown = PAGES.flatMap((page) =>
    [...read(page).matchAll(/agent-replay (\w+)((?: [^\n`#|]*)?)/g)].flatMap(([, name = '', rest = '']) =>
      [...rest.matchAll(/ (--[\w-]+)/g)].map(([, option = '']) => ({ name, option, page })),
    ),
  );
  expect(shown.length).toBeGreaterThan(20);
  const helps = new Map<string, string>();
  await Promise.all(
    [...new Set(shown.map(({ name }) => name))].map(async (name) => {
      helps.set(name, (await command([name, '--help'], { cwd: ROOT })).stdout);
    }),
  );
  const has = (help: string, option: string) => new RegExp(`(^| )${option}(?![\\w-])`, 'm').test(help);
  expect(shown.filter(({ name, option }) => !has(helps.get(name) ?? '', option))).toEqual([]);
});

/** Words that docs/glossary.md gives another one for, and that are not part of a name. */
const RETIRED =
  /(?<![-\w`.])(baselines?|goldens?|cassettes?|flakiness|test cases?|scenarios?|drift(?:s|ed)?|bless(?:ed)?|trajector(?:y|ies))(?![-\w`])/gi;

test.each(PAGES.filter((page) => /^(README|docs\/(?!glossary))/.test(page)))(
  '%s uses the words of the glossary',
  (page) => {
    const prose = proseOf(page).replaceAll(/`[^`]*`/g, '');
    expect(prose.match(RETIRED) ?? []).toEqual([]);
  },
);

test('llms.txt lists the documents as they are: npm run build:llms', () => {
  expect(read('llms.txt')).toBe(llmsText());
});
