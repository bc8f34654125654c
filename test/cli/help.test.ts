import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sampler } from '../sample.ts';
import { command } from './command.ts';

const ROOT = path.join(import.meta.dirname, '../..');

test('help TOPIC shows each page that help lists, as it ships with the package', async () => {
  const { stdout: listed } = await command(['help'], { cwd: ROOT });
  const topics = [...listed.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, topic = '']) => topic);
  expect(topics).toEqual(expect.arrayContaining(['action', 'gate', 'getting-started', 'python', 'vitest']));
  const some = topics.filter(sampler());
  const shown = await Promise.all(some.map((topic) => command(['help', topic], { cwd: ROOT })));
  expect(shown.map(({ code }) => code)).toEqual(some.map(() => 0));
  expect(shown.map(({ stdout }) => stdout)).toEqual(
    some.map((topic) => readFileSync(path.join(ROOT, `docs/${topic}.md`), 'utf8')),
  );
});

test('help lists the topics with their titles, but none about the project itself', async () => {
  const { stdout } = await command(['help'], { cwd: ROOT });
  expect(stdout).toMatch(/^ {2}endpoint +The replay endpoint/m);
  expect(stdout).not.toContain('architecture');
});

test('of words the section that has them best is shown, and others are named, each to be shown by its heading', async () => {
  const { code, stdout } = await command(['help', 'sandbox', 'tools'], { cwd: ROOT });
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toBe('## A sandbox for tools');
  expect(stdout).toContain('"sandbox tools" is also in these; agent-replay help HEADING shows one:');
  const [, heading = ''] = /^ {2}tools +(\S.*)$/m.exec(stdout) ?? [];
  const shown = await command(['help', ...heading.split(' ')], { cwd: ROOT });
  expect(shown.stdout.split('\n')[0]).toMatch(new RegExp(`^#+ ${heading.replace(/\W/g, '.')}$`));
});

test('where no section has all of the words, the one with most of them is shown', async () => {
  const { code, stdout } = await command(['help', 'fastify', 'session', 'memory', 'xyzzy'], { cwd: ROOT });
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toBe('## The memory of a session');
});

test.for([
  ['Tracing', /^#+ Tracing$/],
  ['Request', /^#+ Request$/],
  ['OpenAI SDK', /^#+ OpenAI SDK$/],
  ['a', /^#+ /],
] as const)(
  'help %s shows the section of that heading first, and a word that every page has is found',
  async ([text, heading]) => {
    const { code, stdout } = await command(['help', ...text.split(' ')], { cwd: ROOT });
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(heading)]);
    expect(stdout.slice(0, stdout.indexOf('(agent-replay help')).split(/^```/m).length % 2).toBe(1);
  },
);

test('a key of the configuration is found by its path', async () => {
  const { code, stdout } = await command(['help', 'agent.baseFiles'], { cwd: ROOT });
  expect(code).toBe(0);
  expect(stdout).toContain('baseFiles:');
});

test('a topic that is not there is named with those that are: exit 2', async () => {
  expect(await command(['help', '../package'], { cwd: ROOT })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/No page has "\.\.\/package" in it[\s\S]*endpoint/),
  });
});
