import { chmod, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/index.ts';
import { fileNameFor, formatJson, loadPins, savePin } from '../../src/session/index.ts';
import fc from '../fast-check.ts';
import { wholeMessage } from '../whole-message.ts';
import { aSession, projectFolder } from './folder.ts';

const json = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<Json>;

test('what is saved is loaded as it was', async () => {
  await using project = await projectFolder();
  const session = aSession('refund-1', {
    agentId: 'support',
    title: 'A refund',
    recordedAt: '2026-11-20T10:00:00.000Z',
    notes: { __why: 'a customer called', big: parseJson('[12345678901234567890, 1e999, -0.5]') },
  });
  const path = await savePin(session, { dir: 'replays', root: project.root, overwrite: false });
  expect(path).toBe('replays/refund-1.session.json');
  const { pins, problems } = await loadPins(path, { root: project.root });
  expect(problems).toEqual([]);
  expect(pins[0]?.session).toEqual(session);
});

test('known keys stand in a fixed order with the versions at the top, free values as they were recorded', async () => {
  await using project = await projectFolder();
  const recorded = { observations: [], output: { z: 1, a: 2 } };
  const session = aSession('a', { turns: [{ recorded, request: { model: 'm', input: 'hi' } }] });
  await savePin(session, { dir: '.', root: project.root, overwrite: false });
  expect(await readFile(project.at('a.session.json'), 'utf8')).toBe(`{
  "version": 1,
  "stepsVersion": 1,
  "id": "a",
  "turns": [
    { "request": { "input": "hi", "model": "m" }, "recorded": { "output": { "z": 1, "a": 2 }, "observations": [] } }
  ]
}
`);
});

test('printing is a fixed point and keeps the value', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = formatJson(value);
      expect(formatJson(parseJson(text))).toBe(text);
      expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(value));
    }),
  );
});

test('numbers that a double cannot hold are printed as they were written', () => {
  const text = '[12345678901234567890, 1e999]\n';
  expect(formatJson(parseJson(text))).toBe(text);
});

test('marks that make a text look other than it is are printed as escapes', () => {
  expect(formatJson('pay \u202e001\u202c to\u2028you\u0085')).toBe('"pay \\u202e001\\u202c to\\u2028you\\u0085"\n');
});

test('a line that is as long as the limit stays, one longer is broken', () => {
  const entry = (length: number) => ({ a: 'x'.repeat(length) });
  expect(formatJson(entry(109))).toHaveLength(120 + 1);
  expect(formatJson(entry(110)).split('\n')).toHaveLength(4);
});

test('the schema is referred to from where the pin lies, when the package is in the project', async () => {
  const schema = 'node_modules/agent-replay/schema/session.schema.json';
  await using project = await projectFolder({ [schema]: '{}' });
  const path = await savePin(aSession('a'), { dir: 'replays/deep', root: project.root, overwrite: false });
  expect(JSON.parse(await readFile(project.at(path), 'utf8')).$schema).toBe(`../../${schema}`);
});

test('a pin that is there is kept without overwrite, and replaced with it', async () => {
  await using project = await projectFolder();
  const save = (title: string, overwrite: boolean) =>
    savePin(aSession('a', { title }), { dir: '.', root: project.root, overwrite });
  await save('first', false);
  expect(await save('second', false).catch(wholeMessage)).toMatchInlineSnapshot(`
    "a.session.json already exists. (PIN_EXISTS)
      at a.session.json
      -> Use --update to replace it."
  `);
  expect(await readFile(project.at('a.session.json'), 'utf8')).toContain('first');
  await save('second', true);
  expect(await readFile(project.at('a.session.json'), 'utf8')).toContain('second');
});

test('fault 51: a pin of a newer version is never rewritten', async () => {
  const newer = '{"version": 3}';
  await using project = await projectFolder({ 'a.session.json': newer });
  const saving = savePin(aSession('a'), { dir: '.', root: project.root, overwrite: true });
  await expect(saving).rejects.toMatchObject({ code: 'PIN_NEWER_VERSION' });
  expect(await readFile(project.at('a.session.json'), 'utf8')).toBe(newer);
});

test('fault 53: nothing is written outside of the root or through a link', async () => {
  await using outside = await projectFolder({ 'target.json': 'untouched' });
  await using project = await projectFolder();
  await symlink(outside.root, project.at('linked'));
  await symlink(outside.at('target.json'), project.at('a.session.json'));
  const save = (dir: string) => savePin(aSession('a'), { dir, root: project.root, overwrite: true });
  for (const dir of ['..', '../x', outside.root, 'linked', 'linked/new']) {
    await expect(save(dir)).rejects.toMatchObject({ code: 'PIN_OUTSIDE_ROOT' });
  }
  await expect(save('.')).rejects.toMatchObject({ code: 'PIN_NOT_A_FILE' });
  expect(await readdir(outside.root)).toEqual(['target.json']);
  expect(await readFile(outside.at('target.json'), 'utf8')).toBe('untouched');
});

test.each(['../x', '/x', 'C:\\x', 'a\0b', 'CON', 'nul.session.json', '', '.hidden', 'x'.repeat(256)])(
  'fault 53: the name %j is refused',
  async (name) => {
    await using project = await projectFolder();
    const saving = savePin(aSession('a'), { dir: '.', name, root: project.root, overwrite: false });
    await expect(saving).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  },
);

test('fault 53: every session id gives a plain file name of its own', () => {
  const odd = [
    '../x',
    '/etc/passwd',
    'C:\\x',
    'a\0b',
    'CON',
    'com1',
    '',
    '.',
    'x'.repeat(400),
    '🙂'.repeat(120),
    'é',
    'e\u0301',
  ];
  const id = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'binary', maxLength: 500 }));
  fc.assert(
    fc.property(id, id, (a, b) => {
      const name = fileNameFor(a);
      expect(name).not.toMatch(/[\\/:*?"<>|\0-\x1f]|^\.|^(con|prn|aux|nul|com\d|lpt\d)\./i);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(name).toBe(name.normalize('NFC'));
      if (a !== b) expect(name).not.toBe(fileNameFor(b));
    }),
  );
});

test('fault 56: of many writers at once exactly one wins, the file is whole, and nothing else is left', async () => {
  await using project = await projectFolder();
  const title = (i: number) => `${i}`.repeat(100_000);
  const save = (i: number, overwrite: boolean) =>
    savePin(aSession('a', { title: title(i) }), { dir: '.', root: project.root, overwrite });
  const first = await Promise.allSettled([1, 2, 3, 4, 5].map((i) => save(i, false)));
  expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of first) if (result.status === 'rejected') expect(result.reason.code).toBe('PIN_EXISTS');
  await Promise.all([1, 2, 3, 4, 5].map((i) => save(i, true)));
  const { pins } = await loadPins('*', { root: project.root });
  expect([1, 2, 3, 4, 5].map(title)).toContain(pins[0]?.session.title);
  expect(await readdir(project.root)).toEqual(['a.session.json']);
});

test.skipIf(process.getuid?.() === 0)(
  'fault 56: a folder that cannot be written to is an error that says so',
  async () => {
    await using project = await projectFolder();
    await mkdir(project.at('locked'), { mode: 0o500 });
    const saving = savePin(aSession('a'), { dir: 'locked', root: project.root, overwrite: false });
    await expect(saving).rejects.toMatchObject({
      code: 'OUTPUT_NOT_WRITABLE',
      location: { file: 'locked/a.session.json' },
    });
    await chmod(project.at('locked'), 0o700);
  },
);

test.runIf(process.platform === 'linux')(
  'fault 56: a file system that takes no files is an error that says so',
  async () => {
    const saving = savePin(aSession('a'), { dir: 'kernel', root: '/sys', overwrite: false });
    await expect(saving).rejects.toMatchObject({ code: 'OUTPUT_NOT_WRITABLE' });
  },
);

test('fault 56: a file where the folder should be is an error that says so', async () => {
  await using project = await projectFolder();
  await writeFile(project.at('replays'), '');
  const saving = savePin(aSession('a'), { dir: 'replays', root: project.root, overwrite: false });
  expect(await saving.catch(wholeMessage)).toMatchInlineSnapshot(`
    "replays/a.session.json could not be written: a file stands where its folder should be. (OUTPUT_NOT_WRITABLE)
      at replays/a.session.json
      -> Remove it, or name another folder."
  `);
});

test('a session that could not be loaded again is not written', async () => {
  await using project = await projectFolder();
  let output: Json = 1;
  for (let depth = 0; depth < 1_000; depth++) output = [output];
  const session = aSession('a', { turns: [{ recorded: { output, observations: [] } }] });
  const saving = savePin(session, { dir: '.', root: project.root, overwrite: false });
  await expect(saving).rejects.toMatchObject({ code: 'PIN_INVALID' });
  const long = savePin(aSession('a'.repeat(501)), { dir: '.', root: project.root, overwrite: false });
  await expect(long).rejects.toMatchObject({ code: 'PIN_INVALID', location: { pointer: '/id' } });
  expect(await readdir(project.root)).toEqual([]);
});

test('fault 85: what a process that was killed while it pinned has left is removed by the next pin, what is being written is not', async () => {
  await using project = await projectFolder();
  const [old, fresh] = ['a', 'b'].map((letter) => `.agent-replay-${letter.repeat(36)}.tmp`) as [string, string];
  for (const file of [old, fresh]) await writeFile(project.at(file), '{"half');
  await utimes(project.at(old), 0, 0);
  await savePin(aSession('s'), { dir: '.', root: project.root, overwrite: false });
  expect((await readdir(project.root)).filter((name) => !name.startsWith('.git')).sort()).toEqual([
    fresh,
    's.session.json',
  ]);
});
