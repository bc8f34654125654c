import { execFileSync } from 'node:child_process';
import { glob, mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadPins } from '../../src/session/index.ts';
import { wholeMessage } from '../whole-message.ts';
import { aSession, projectFolder } from './folder.ts';

const ALL = '**/*.session.json';

test('pins come in the order of their paths, each with its turns and places', async () => {
  await using project = await projectFolder({
    'replays/b.session.json': aSession('b'),
    'replays/deep/a.session.json': JSON.stringify(aSession('a'), null, 2),
    'replays/other.json': '{}',
  });
  const { pins, problems } = await loadPins(ALL, { root: project.root });
  expect(problems).toEqual([]);
  expect(pins.map(({ path, session }) => [path, session.id])).toEqual([
    ['replays/b.session.json', 'b'],
    ['replays/deep/a.session.json', 'a'],
  ]);
  expect(pins[1]?.turns).toEqual([{ ok: true }]);
  expect(pins[1]?.locate('/turns/0/request/input')).toEqual({ line: 8, column: 9 });
  expect(pins[1]?.locate('/nowhere')).toBeUndefined();
});

test('a turn without a request says why it cannot be replayed', async () => {
  await using project = await projectFolder({
    'a.session.json': aSession('a', {
      turns: [{ recorded: { observations: [] } }, { request: { input: ' ' }, recorded: { observations: [] } }],
    }),
  });
  const { pins } = await loadPins(ALL, { root: project.root });
  expect(pins[0]?.turns).toEqual([
    { ok: false, reason: 'it holds no message of a user' },
    { ok: false, reason: 'the recorded user message is empty' },
  ]);
});

test('fault 49: no session at all is an error, unless that is allowed', async () => {
  await using project = await projectFolder({ 'pins/a.session.json': aSession('a') });
  const { pins, problems } = await loadPins('replays/**/*.session.json', { root: project.root });
  expect(pins).toEqual([]);
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "No pinned session matches "replays/**/*.session.json". (NO_SESSIONS)
      root: <folder>
      there is: pins/a.session.json
      -> Correct the pattern."
  `);
  const allowed = await loadPins('replays/**', { root: project.root, allowEmpty: true });
  expect(allowed).toEqual({ pins: [], all: [], problems: [] });
});

test('fault 49: a file that was named and is not there is an error, whatever else matches', async () => {
  await using project = await projectFolder({ 'a.session.json': aSession('a') });
  const { pins, problems } = await loadPins(['a.session.json', 'typo.session.json'], { root: project.root });
  expect(pins).toHaveLength(1);
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "There is no file typo.session.json. (NO_SESSIONS)
      at typo.session.json
      -> Check the name; patterns such as replays/**/*.session.json work too."
  `);
});

test('grep keeps what holds the text in id, title or path, and says what there was when that is nothing', async () => {
  await using project = await projectFolder({
    'refunds/x.session.json': aSession('one'),
    'b.session.json': aSession('two', { title: 'A REFUND' }),
    'c.session.json': aSession('three'),
  });
  const found = await loadPins(ALL, { root: project.root, grep: 'refund' });
  expect(found.pins.map(({ session }) => session.id)).toEqual(['two', 'one']);
  const none = await loadPins(ALL, { root: project.root, grep: 'nothing' });
  expect(none.problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "None of 3 pinned sessions contains "nothing". (NO_SESSIONS)
      two (b.session.json)
      three (c.session.json)
      one (refunds/x.session.json)
      -> Correct --grep: it looks for a text in id, title and path."
  `);
});

const MISTAKES: [name: string, text: string, problem: object][] = [
  ['an empty file', '', { code: 'PIN_EMPTY', location: { line: 1, column: 1 } }],
  ['blanks only', ' \n ', { code: 'PIN_EMPTY' }],
  ['text that is cut off', '{\n  "version": 1', { code: 'PIN_INVALID', location: { line: 2, column: 15 } }],
  ['a comma too much', '{\n  "version": 1,\n}', { code: 'PIN_INVALID', location: { line: 3, column: 1 } }],
  ['two documents', '{}\n{}', { code: 'PIN_INVALID', location: { line: 2, column: 1 } }],
  ['NaN', '{"id": NaN}', { code: 'PIN_INVALID', location: { line: 1, column: 8 } }],
  ['not an object', '[]', { code: 'PIN_INVALID', location: { line: 1, column: 1, pointer: '' } }],
  [
    'no turns',
    '{"version": 1, "id": "a",\n "turns": []}',
    { code: 'PIN_EMPTY', location: { line: 2, column: 2, pointer: '/turns' } },
  ],
  [
    'a mistyped key',
    '{"version": 1, "id": "a",\n "turns": [{"recorded": {"observations": []}, "reqest": {}}]}',
    { code: 'PIN_INVALID', location: { line: 2, column: 47, pointer: '/turns/0/reqest' } },
  ],
  [
    'a missing key, located at its parent',
    '{"version": 1, "id": "a", "turns": [\n  {}]}',
    { code: 'PIN_INVALID', location: { line: 2, column: 3, pointer: '/turns/0/recorded' } },
  ],
  [
    'the same key twice',
    '{"version": 1, "id": "a", "turns": [\n {"recorded": {"observations": [], "output": {"a/b": 1, "a/b": 2}}}]}',
    { code: 'PIN_INVALID', location: { line: 2, column: 57, pointer: '/turns/0/recorded/output/a~1b' } },
  ],
];

test.each(MISTAKES)(
  'fault 50: %s is an error with its place, and the other pins are still read',
  async (_, text, problem) => {
    await using project = await projectFolder({ 'a.session.json': text, 'b.session.json': aSession('b') });
    const { pins, problems } = await loadPins(ALL, { root: project.root });
    expect(pins.map(({ session }) => session.id)).toEqual(['b']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject(problem);
    expect(problems[0]?.location?.file).toBe('a.session.json');
  },
);

test('a pin without a turn says how it is empty', async () => {
  await using project = await projectFolder({
    'a.session.json': '',
    'b.session.json': '{"version": 1, "id": "b",\n "turns": []}',
  });
  const { problems } = await loadPins(ALL, { root: project.root });
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "a.session.json is empty. (PIN_EMPTY)
      at a.session.json:1:1
      -> Pin the session again, or delete the file.
    b.session.json holds no turn. (PIN_EMPTY)
      at b.session.json:2:2
      -> Pin the session again, or delete the file."
  `);
});

test('fault 50: a file with very many mistakes names the first ten and counts the rest', async () => {
  const turns = Array.from({ length: 50 }, () => ({}));
  await using project = await projectFolder({ 'a.session.json': { version: 1, id: 'a', turns } });
  const { problems } = await loadPins(ALL, { root: project.root });
  expect(problems).toHaveLength(11);
  expect([problems[0]!, problems.at(-1)!].map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "a.session.json is not a valid pin at /turns/0/recorded: expected an object, found nothing. (PIN_INVALID)
      at a.session.json:1:32
      -> Correct the file, or record it again: \`agent-replay pin\`.
    a.session.json has 40 more mistakes. (PIN_INVALID)
      at a.session.json"
  `);
});

test('fault 50: two pins of the same session are an error that names both files', async () => {
  await using project = await projectFolder({ 'a.session.json': aSession('s'), 'b.session.json': aSession('s') });
  const { pins, problems } = await loadPins(ALL, { root: project.root });
  expect(pins.map(({ path }) => path)).toEqual(['a.session.json']);
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "b.session.json pins session "s" again. (PIN_DUPLICATE)
      at b.session.json:1:31
      first in a.session.json
      -> Delete one of the two files."
  `);
});

test.each([
  ['Refund', 'refund', 'upper and lower case'],
  ['caf\u00e9', 'cafe\u0301', 'the form of their Unicode characters'],
])('fault 91: ids that differ only in form are an error that names both files (%j, %j)', async (one, other, how) => {
  await using project = await projectFolder({ 'a.session.json': aSession(one), 'b.session.json': aSession(other) });
  const { pins, problems } = await loadPins(ALL, { root: project.root });
  expect(pins).toHaveLength(1);
  expect(problems).toMatchObject([
    {
      code: 'PIN_DUPLICATE',
      message: `b.session.json pins session "${other}", which differs from "${one}" only in ${how}.`,
      evidence: ['first in a.session.json'],
    },
  ]);
});

test('fault 51: a pin of a newer version is refused with its place', async () => {
  await using project = await projectFolder({ 'a.session.json': '{\n  "version": 3, "future": true }' });
  const { problems } = await loadPins(ALL, { root: project.root });
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "a.session.json was made by a newer version of agent-replay (format 3, this one reads 2). (PIN_NEWER_VERSION)
      at a.session.json:2:3
      -> Update agent-replay. The file has not been touched."
  `);
});

test('fault 53: nothing outside of the root is read, by whatever path', async () => {
  await using outside = await projectFolder({
    'x.session.json': aSession('outside'),
    'dir/y.session.json': aSession('y'),
  });
  await using project = await projectFolder({ 'a.session.json': aSession('a') });
  await symlink(outside.at('x.session.json'), project.at('link.session.json'));
  await symlink(outside.at('dir'), project.at('linked'));
  const patterns = [
    ALL,
    '../*.session.json',
    outside.at('x.session.json'),
    'linked/*.session.json',
    'C:\\x.session.json',
  ];
  const { pins, problems } = await loadPins(patterns, { root: project.root });
  expect(pins.map(({ session }) => session.id)).toEqual(['a']);
  expect(problems.map(({ code }) => code)).toEqual(Array(5).fill('PIN_OUTSIDE_ROOT'));
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "../*.session.json is outside the project. (PIN_OUTSIDE_ROOT)
      at ../*.session.json
      root: <folder>
      -> Keep pinned sessions in the project folder: they are read and written nowhere else.
    <folder>/x.session.json is outside the project. (PIN_OUTSIDE_ROOT)
      at <folder>/x.session.json
      root: <folder>
      -> Keep pinned sessions in the project folder: they are read and written nowhere else.
    C:\\x.session.json is outside the project. (PIN_OUTSIDE_ROOT)
      at C:\\x.session.json
      root: <folder>
      -> Keep pinned sessions in the project folder: they are read and written nowhere else.
    link.session.json is outside the project. (PIN_OUTSIDE_ROOT)
      at link.session.json
      root: <folder>
      -> Keep pinned sessions in the project folder: they are read and written nowhere else.
    linked/y.session.json is outside the project. (PIN_OUTSIDE_ROOT)
      at linked/y.session.json
      root: <folder>
      -> Keep pinned sessions in the project folder: they are read and written nowhere else."
  `);
});

test('fault 53: what is not a regular file is refused and hangs nothing', async () => {
  await using project = await projectFolder({ 'a.session.json': aSession('a') });
  await mkdir(project.at('folder.session.json'));
  await symlink('loop.session.json', project.at('loop.session.json'));
  await symlink('gone', project.at('gone.session.json'));
  await symlink('..', project.at('folder.session.json/up'));
  execFileSync('mkfifo', [project.at('fifo.session.json')]);
  const { pins, problems } = await loadPins(ALL, { root: project.root });
  expect(pins).toHaveLength(1);
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "fifo.session.json is not a regular file. (PIN_NOT_A_FILE)
      at fifo.session.json
      -> Take it out of the pattern.
    folder.session.json is a folder. (PIN_NOT_A_FILE)
      at folder.session.json
      -> Name the files in it: folder.session.json/**/*.session.json
    gone.session.json is a symbolic link that leads nowhere. (PIN_NOT_A_FILE)
      at gone.session.json
      -> Correct the link, or take it out of the pattern.
    loop.session.json is a loop of symbolic links. (PIN_NOT_A_FILE)
      at loop.session.json
      -> Correct the link, or take it out of the pattern."
  `);
});

test('the root and a file in it may be named through a link', async () => {
  await using project = await projectFolder({ 'real/a.session.json': aSession('a') });
  await symlink('real', project.at('linked'));
  const { pins, problems } = await loadPins(project.at('linked/a.session.json'), { root: project.at('linked') });
  expect(problems).toEqual([]);
  expect(pins).toHaveLength(1);
});

test('a symbolic link within the root is followed, an absolute path into it is taken', async () => {
  await using project = await projectFolder({ 'real/a.json': aSession('a'), 'b.session.json': aSession('b') });
  await symlink('real/a.json', project.at('a.session.json'));
  const { pins, problems } = await loadPins(['a.session.json', project.at('b.session.json')], { root: project.root });
  expect(problems).toEqual([]);
  expect(pins.map(({ path }) => path)).toEqual(['a.session.json', 'b.session.json']);
});

test('a name that looks like a pattern is taken as a name when it is there', async () => {
  await using project = await projectFolder({ 'a[1].session.json': aSession('a') });
  const { pins } = await loadPins('a[1].session.json', { root: project.root });
  expect(pins).toHaveLength(1);
});

test.each([
  '*/*.json',
  '*/sub/*.json',
  '*/linked/*.json',
  '*/linked/s*/*.json',
  '{a,real}/{linked,b}/*.json',
  '{a/b,real}/**/*.json',
  'a/**/*.json',
  '*/**/z.json',
  '[.]replays/*',
  '{.replays,a}/*.json',
  '?replays/*',
  'top/*.json',
])('a search for %s finds what Node finds by it', async (pattern) => {
  const files = ['real/x.json', 'real/sub/y.json', '.replays/d.json', 'a/b/z.json', 'a/x.json', 'a/deep/er/z.json'];
  await using project = await projectFolder(Object.fromEntries(files.map((file) => [file, aSession(file)])));
  await symlink('../real', project.at('a/linked'));
  await symlink('real', project.at('top'));
  const { pins } = await loadPins(pattern, { root: project.root, allowEmpty: true });
  expect(pins.map(({ path }) => path)).toEqual((await Array.fromAsync(glob(pattern, { cwd: project.root }))).sort());
});

test('a search looks into no folder that its pattern leaves out', async () => {
  await using project = await projectFolder({
    'a.session.json': aSession('a'),
    'replays/b.session.json': aSession('b'),
    'sources/deep/0.ts': '',
    'sources/1.ts': '',
    'sources/2.ts': '',
  });
  const ids = async (pattern: string, visited: number) => {
    const { pins, problems } = await loadPins(pattern, { root: project.root, limits: { visited } });
    return [...pins.map(({ session }) => session.id), ...problems.map(({ code }) => code)];
  };
  expect(await ids('*.session.json', 3)).toEqual(['a']);
  expect(await ids('r*/*.session.json', 4)).toEqual(['b']);
});

test('fault 54: a file over the limit is refused without being read', async () => {
  await using project = await projectFolder({ 'a.session.json': aSession('a') });
  const { problems } = await loadPins(ALL, { root: project.root, limits: { fileBytes: 10 } });
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "a.session.json is larger than 10 bytes. (PIN_TOO_LARGE)
      at a.session.json
      -> Pin fewer turns in one file."
  `);
});

test('fault 54: too many matches, or too many files to look at, end the search with a message', async () => {
  await using project = await projectFolder();
  for (let i = 0; i < 20; i++) await writeFile(project.at(`${i}.session.json`), JSON.stringify(aSession(String(i))));
  const many = await loadPins(ALL, { root: project.root, limits: { files: 5 } });
  expect(many.problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "More than 5 files match. (TOO_MANY_SESSIONS)
      pattern: **/*.session.json
      -> Narrow the pattern; if all of them are meant, raise maxPins (--set maxPins=...)."
  `);
  const names = Array.from({ length: 6 }, (_, i) => `${i}.session.json`);
  const named = await loadPins(names, { root: project.root, limits: { files: 5 } });
  expect(named).toMatchObject({ pins: [], problems: [{ code: 'TOO_MANY_SESSIONS' }] });
  const wide = await loadPins(ALL, { root: project.root, limits: { visited: 5 } });
  expect(wide.problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "The pattern "**/*.session.json" looks at more than 5 files. (TOO_MANY_SESSIONS)
      -> Begin the pattern with the folder that the pins are in."
  `);
});

const HOSTILE: [why: string, pattern: string][] = [
  ['many wildcards in a name', 'a*a*a*a*b'],
  ['extended groups', '+(a|aa)+(a|aa)*'],
  ['a range', '{1..100000}'],
  ['many groups', '{a,b}{a,b}{a,b}{a,b}'],
  ['many alternatives', `{${'a,'.repeat(40)}}`],
  ['many levels', '**/**/**/**/x'],
  ['great length', `${'a'.repeat(2000)}*`],
  ['blanks only', ' '],
  ['a NUL', 'a\0b'],
];
test.each(HOSTILE)('fault 54: a pattern with %s is refused', async (_, pattern) => {
  await using project = await projectFolder({ 'a.session.json': aSession('a') });
  const { problems } = await loadPins(pattern, { root: project.root });
  expect(problems).toMatchObject([{ code: 'USAGE' }]);
});

test('fault 58: prototype keys are data and pollute nothing', async () => {
  const output = '{"__proto__": {"polluted": 1}, "constructor": 2}';
  const text = `{"version":1,"id":"a","turns":[{"recorded":{"output":${output},"observations":[]}}]}`;
  await using project = await projectFolder({ 'a.session.json': text });
  const { pins, problems } = await loadPins(ALL, { root: project.root });
  expect(problems).toEqual([]);
  expect(Object.keys(pins[0]?.session.turns[0]?.recorded.output as object)).toEqual(['__proto__', 'constructor']);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('fault 59: a pin that is nested too deep is an error, not a crash', async () => {
  const depth = 100_000;
  await using project = await projectFolder({ 'a.session.json': `${'['.repeat(depth)}${']'.repeat(depth)}` });
  const { problems } = await loadPins(ALL, { root: project.root });
  expect(problems).toMatchObject([{ code: 'PIN_INVALID', location: { line: 1 } }]);
  expect(problems[0]?.message).toContain('nested deeper than');
});

test('fault 59: a pin is an error, not a crash, when an open quote hides how deep it is nested', async () => {
  await using project = await projectFolder({ 'a.session.json': `{\n"{\n"a":1,\n"b":${'{"a":'.repeat(100_000)}` });
  const { problems } = await loadPins(ALL, { root: project.root });
  expect(problems).toMatchObject([{ code: 'PIN_INVALID', location: { line: 2 } }]);
});
