import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { llmsText } from '../scripts/llms.ts';
import { programFor } from '../src/cli/main.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PAGES = globSync(['*.md', 'docs/*.md', 'bench/*.md', 'examples/*/README.md', 'python/README.md'], {
  cwd: ROOT,
}).sort();
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

/** A command as a page shows it, in a block or in its prose. */
interface Shown {
  readonly page: string;
  readonly text: string;
}

/** Where the page only names a command or an option, what belongs to it may be missing. */
const ONLY_NAMED = ['commander.missingArgument', 'commander.optionMissingArgument'];

async function commandsIn(page: string): Promise<Shown[]> {
  const names = (await programFor([])).commands.map((each) => each.name()).join('|');
  const ofOurs = new RegExp(`^(?:(?:\\w+=\\S+ )?(?:npx )?agent-replay (?!COMMAND)\\w|(?:${names}) )`);
  const blocks = [...read(page).matchAll(/^```sh[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const inline = [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replaceAll(/\s+/g, ' '));
  return [...blocks, ...inline].filter((text) => ofOurs.test(text)).map((text) => ({ page, text }));
}

/** What is typed for what a page leaves open: `--runs N` -> `--runs 2`, `pin [ids]` -> `pin`. */
function argumentsIn(text: string): string[] {
  const line = text
    .replace(/^(?:\w+=\S+ )?(?:npx )?(?:agent-replay )?/, '')
    .replace(/\s+(?:#|& |\|\|?|>).*$/, '')
    .replaceAll(/ \[[^\]]+\]/g, '');
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, one, other, word]) => one ?? other ?? word ?? '',
  );
  return words.map((word) => (/^[A-Z]$/.test(word) ? '2' : word));
}

/** Asks the parser of the command line; nothing is done. */
async function mistakeIn({ page, text }: Shown): Promise<string | undefined> {
  const args = argumentsIn(text);
  const program = await programFor(args);
  for (const each of [program, ...program.commands]) {
    each.configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    if (each !== program) each.action(() => undefined);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const { code, message, exitCode } = error as { code: string; message: string; exitCode: number };
    if (exitCode !== 0 && !ONLY_NAMED.includes(code)) return `${page}: ${text}: ${message}`;
  }
  return undefined;
}

test('every command that a page shows or names is one that the command line takes, with each of its options', async () => {
  const shown = (await Promise.all(PAGES.map(commandsIn))).flat();
  expect(shown.length).toBeGreaterThan(100);
  const mistakes = await Promise.all([{ page: 'here', text: 'agent-replay run --bogus' }, ...shown].map(mistakeIn));
  expect(mistakes.filter((each) => each !== undefined)).toEqual([
    "here: agent-replay run --bogus: error: unknown option '--bogus'",
  ]);
});

/** Words that docs/glossary.md gives another one for, and that are not part of a name. */
const RETIRED =
  /(?<![-\w`.])(baselines?|goldens?|cassettes?|flakiness|test cases?|scenarios?|bless(?:ed)?|trajector(?:y|ies))(?![-\w`])/gi;

test.each(PAGES.filter((page) => /^(README|docs\/(?!glossary))/.test(page)))(
  '%s uses the words of the glossary',
  (page) => {
    const prose = proseOf(page).replaceAll(/`[^`]*`/g, '');
    expect(prose.match(RETIRED) ?? []).toEqual([]);
  },
);

test('docs/llms.txt lists the documents as they are: npm run build:llms', () => {
  expect(read('docs/llms.txt')).toBe(llmsText());
});
