import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { command } from './command.ts';
import { pinOf, projectWith } from './project.ts';

const pin = (id: string, inputs: readonly string[]) => JSON.stringify(pinOf(id, inputs));

test('two pins that behave alike: exit 0, the steps that both share folded', async () => {
  await using folder = await folderWith({ 'a.session.json': pin('a', ['x']), 'b.session.json': pin('b', ['x']) });
  const { code, stdout } = await command(['diff', 'a.session.json', 'b.session.json'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toContain('steps 1-3: the same');
  expect(stdout).toContain('no meaningful difference');
});

test('two pins that differ: exit 1, both sides in one line, what differs and the sentence of a run', async () => {
  await using folder = await folderWith({ 'a.session.json': pin('a', ['x']), 'b.session.json': pin('b', ['y']) });
  const { code, stdout } = await command(['diff', 'a.session.json', 'b.session.json'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^1 call lookup {"text":"x"} +│ 1 call lookup {"text":"y"}$/m);
  expect(stdout).toContain('≠ lookup.text: x → y');
  expect(stdout).toContain('step 2: the same');
  expect(stdout).toContain('step 1: lookup.text: x → y');
});

test('a turn is chosen with #', async () => {
  await using folder = await folderWith({
    'a.session.json': pin('a', ['x', 'y']),
    'b.session.json': pin('b', ['x', 'z']),
  });
  const diff = (...args: string[]) => command(['diff', ...args], { cwd: folder.path });
  expect(await diff('a.session.json', 'b.session.json')).toMatchObject({ code: 1 });
  expect(await diff('a.session.json#1', 'b.session.json#1')).toMatchObject({ code: 0 });
  expect(await diff('a.session.json#1', 'a.session.json#2')).toMatchObject({ code: 1 });
  const none = await diff('a.session.json#3', 'b.session.json');
  expect(none).toMatchObject({ code: 2 });
  expect(none.stderr).toContain('USAGE');
});

test('a pin is compared with what a run has left, by folder and by file', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'b' }, agent: { env: { PREFIX: 'new ' } } });
  const env = ['--set', `agent.env.PORT=${project.port}`, '--set', 'agent.env.PREFIX=new '];
  expect(await command(['run', ...env], { cwd: project.path })).toMatchObject({ code: 1 });
  const diff = (...args: string[]) => command(['diff', ...args, '--json'], { cwd: project.path });
  const byFolder = await diff('replays/two.session.json', '.agent-replay');
  expect(byFolder.code).toBe(1);
  const [turn] = JSON.parse(byFolder.stdout).turns;
  expect(turn.replayed).toBe('.agent-replay#1 behaviour 1');
  expect(turn.comparison.divergence).toMatchObject({ kind: 'argument', recorded: 'b', replayed: 'new b' });
  const byFile = await diff('replays/two.session.json', '.agent-replay/traces/two.1.1.json');
  expect(JSON.parse(byFile.stdout).turns[0].comparison).toEqual(turn.comparison);
  const ambiguous = await diff('.agent-replay', '.agent-replay');
  expect(ambiguous.code).toBe(2);
  expect(ambiguous.stderr).toContain('holds several sessions');
});

test('an answer in other words, which nobody judged, is neither the same nor different: exit 2', async () => {
  await using folder = await folderWith({
    'a.session.json': pin('a', ['x']),
    'b.session.json': pin('b', ['x']).replace('"answer to x"', '"Answer  to x"'),
  });
  const { code, stdout } = await command(['diff', 'a.session.json', 'b.session.json'], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stdout).toContain('could not tell: other words, the same facts');
});

test('the rules of the configuration apply, and --set wins', async () => {
  const other = pin('b', ['x']).replace('"answer to x"', '"answer  to x"');
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ compare: { ignore: ['tool:lookup/args'] } }),
    'a.session.json': pin('a', ['x']),
    'b.session.json': other.replace('"text":"x"', '"text":"?"'),
  });
  const diff = (...args: string[]) =>
    command(['diff', 'a.session.json', 'b.session.json', ...args], { cwd: folder.path });
  expect(await diff()).toMatchObject({ code: 0 });
  expect(await diff('--set', 'compare.strictness=exact')).toMatchObject({ code: 1 });
});

test('what cannot be read is told: exit 2', async () => {
  await using folder = await folderWith({ 'a.session.json': pin('a', ['x']), 'b.json': '{"no": "trace"}' });
  const diff = (b: string) => command(['diff', 'a.session.json', b], { cwd: folder.path });
  expect((await diff('missing.json')).stderr).toContain('There is no missing.json. (INPUT_INVALID)');
  expect((await diff('0af7651916cd43dd8448eb211c80319c')).stderr).toContain('PLATFORM_NOT_CONFIGURED');
  expect(await diff('b.json')).toMatchObject({ code: 2 });
});
