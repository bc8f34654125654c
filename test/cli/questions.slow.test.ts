import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { demoProject } from './demo-project.ts';
import { CTRL_C, CTRL_D, ENTER, hasTerminal, onTerminal, type Typed } from './on-terminal.ts';
import { fixture, type Project, projectWith } from './project.ts';

const COMMAND = 'Command that starts your agent (npm start)';
const ADDRESS = 'URL of its replay endpoint (http://127.0.0.1:3000/replay)';
const AGENTS = 'Tell coding agents how to replay, in AGENTS.md and a skill?';
const WRITE = 'Write ';
const MANIFEST = JSON.stringify({ name: 'desk', scripts: { start: 'node server.js' }, dependencies: { express: '5' } });

/** Enter for each question before this one. */
function upTo(question: string, typed: string): Typed[] {
  const all = [COMMAND, ADDRESS, AGENTS, WRITE];
  const before = all.slice(0, all.indexOf(question)).map((asked) => ({ asked, typed: ENTER }));
  return [...before, { asked: question, typed }];
}

const filesIn = async (folder: string) => (await readdir(folder)).sort();

test.runIf(hasTerminal)('init asks four questions, and what is typed is what it writes', async () => {
  await using project = await folderWith({ 'package.json': MANIFEST });
  const { shown, code } = await onTerminal(['init'], project.path, [
    { asked: COMMAND, typed: `node desk.js${ENTER}` },
    { asked: ADDRESS, typed: `http://127.0.0.1:4321/replay${ENTER}` },
    { asked: AGENTS, typed: `n${ENTER}` },
    { asked: WRITE, typed: `yes${ENTER}` },
  ]);
  expect([code, shown]).toEqual([0, expect.stringContaining('Left for you:')]);
  const config = await readFile(path.join(project.path, 'agent-replay.config.mjs'), 'utf8');
  expect(config).toContain("command: 'node desk.js'");
  expect(config).toContain("url: 'http://127.0.0.1:4321/replay'");
  expect(await filesIn(project.path)).not.toContain('AGENTS.md');
});

test.runIf(hasTerminal)('Enter takes what each question of init offers', async () => {
  await using project = await folderWith({ 'package.json': MANIFEST });
  const { code } = await onTerminal(['init'], project.path, upTo(WRITE, ENTER));
  expect(code).toBe(0);
  expect(await readFile(path.join(project.path, 'agent-replay.config.mjs'), 'utf8')).toContain("command: 'npm start'");
  expect(await filesIn(project.path)).toContain('AGENTS.md');
});

test.runIf(hasTerminal)('a no to the last question of init writes nothing', async () => {
  await using project = await folderWith({ 'package.json': MANIFEST });
  const { shown, code } = await onTerminal(['init'], project.path, upTo(WRITE, `n${ENTER}`));
  expect([code, shown]).toEqual([0, expect.stringContaining('Nothing was written.')]);
  expect(await filesIn(project.path)).toEqual(['package.json']);
});

test.runIf(hasTerminal).for([COMMAND, ADDRESS, AGENTS, WRITE])(
  'Ctrl-D at "%s" ends init, and writes nothing: exit 0',
  async (question) => {
    await using project = await folderWith({ 'package.json': MANIFEST });
    const { shown, code } = await onTerminal(['init'], project.path, upTo(question, CTRL_D));
    expect([code, shown]).toEqual([0, expect.stringContaining('Nothing was written.')]);
    expect(await filesIn(project.path)).toEqual(['package.json']);
  },
);

test.runIf(hasTerminal).for([COMMAND, ADDRESS, AGENTS, WRITE])(
  'Ctrl-C at "%s" is an interruption, and writes nothing: exit 130',
  async (question) => {
    await using project = await folderWith({ 'package.json': MANIFEST });
    const { shown, code } = await onTerminal(['init'], project.path, upTo(question, CTRL_C));
    expect([code, shown]).toEqual([130, expect.stringContaining('Nothing was written.')]);
    expect(shown).not.toContain('INTERNAL');
    expect(await filesIn(project.path)).toEqual(['package.json']);
  },
);

test.runIf(hasTerminal)(
  'an edit that comes while init asks is not overwritten, nor is a file that comes up',
  async () => {
    for (const [file, edited] of [
      ['AGENTS.md', 'Use tabs, and two blank lines.\n'],
      ['agent-replay.config.mjs', 'export default {};\n'],
    ] as const) {
      await using project = await folderWith({ 'package.json': MANIFEST, 'AGENTS.md': 'Use tabs.\n' });
      const meanwhile = () => writeFile(path.join(project.path, file), edited);
      const answers = upTo(WRITE, ENTER).map((each) => (each.asked === WRITE ? { ...each, meanwhile } : each));
      const { shown, code } = await onTerminal(['init'], project.path, answers);
      expect([code, shown]).toEqual([
        2,
        expect.stringContaining(`${file} could not be written. (OUTPUT_NOT_WRITABLE)`),
      ]);
      expect(await readFile(path.join(project.path, file), 'utf8')).toBe(edited);
    }
  },
);

const PIN = 'replays/small-refund.session.json';
const PIN_RUNS = ['pin', '--runs', '2', PIN];

/** One pin whose tools nobody has declared. */
async function pinned() {
  const folder = await demoProject();
  for (const name of await readdir(path.join(folder.path, 'replays'))) {
    if (name !== path.basename(PIN)) await rm(path.join(folder.path, 'replays', name));
  }
  const read = () => readFile(path.join(folder.path, PIN), 'utf8');
  return { ...folder, read, before: await read() };
}

test.runIf(hasTerminal).for([
  ['n and Enter', `n${ENTER}`, 0, 'Nothing was called or written.'],
  ['Ctrl-D', CTRL_D, 0, 'Nothing was called or written.'],
  ['Ctrl-C', CTRL_C, 130, 'Go on?'],
] as const)('pin --runs asks before tools act for real, and %s calls nothing', async ([, typed, ends, says]) => {
  await using project = await pinned();
  const { shown, code } = await onTerminal(PIN_RUNS, project.path, [{ asked: 'Go on?', typed }]);
  expect([code, shown]).toEqual([ends, expect.stringContaining(says)]);
  expect(shown).not.toContain('recorded replays/');
  expect(await project.read()).toBe(project.before);
});

test.runIf(hasTerminal).for([
  ['Enter', ENTER],
  ['y and Enter', `y${ENTER}`],
] as const)('pin --runs goes on with %s, and keeps the recordings', async ([, typed]) => {
  await using project = await pinned();
  const { shown, code } = await onTerminal(PIN_RUNS, project.path, [{ asked: 'Go on?', typed }]);
  expect([code, shown]).toEqual([0, expect.stringContaining(`recorded ${PIN}: 2 recordings beside the original`)]);
  expect(await project.read()).not.toBe(project.before);
});

test.runIf(hasTerminal)(
  'record asks before it replays what it has pinned, and Enter keeps five recordings',
  async () => {
    await using project = await recordable();
    const { shown, code } = await recordOnTerminal(project, 1, [{ asked: 'Go on?', typed: ENTER }]);
    expect([code, shown]).toEqual([0, expect.stringContaining('5 recordings beside the original')]);
  },
);

test.runIf(hasTerminal)(
  'of many pins a sample is replayed, unasked where tools only read, and the others are named',
  async () => {
    await using project = await recordable({ tools: { search: { readOnly: true } } });
    const { shown, code } = await recordOnTerminal(project, 11, []);
    expect(code).toBe(0);
    expect(shown.split('5 recordings beside the original')).toHaveLength(11);
    expect(shown.replace(/\s+/g, ' ')).toContain(
      'the other 1: npx agent-replay pin --runs 5 replays/where-is-order-11.session.json',
    );
  },
);

test.runIf(hasTerminal)('without a command that starts the agent nothing is replayed, and that is said', async () => {
  await using project = await recordable({}, { command: undefined });
  const { shown, code } = await recordOnTerminal(project, 1, [], ['--', RECORDED]);
  expect([code, shown.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining('no agent.command is configured')]);
});

const RECORDED = fixture('bare-agent.ts');

const recordable = (config: object = {}, agent: object = {}) =>
  projectWith({ agent: { command: RECORDED, ...agent }, config });

/** Asks the agent so many things while it is recorded on a terminal. */
async function recordOnTerminal(
  { path: folder, port }: Project,
  count: number,
  answers: readonly Typed[],
  args: readonly string[] = [],
) {
  const done = onTerminal(['record', '--turns', String(count), '--port', String(port), ...args], folder, answers);
  for (let order = 1; order <= count; order++) await asked(port, `Where is order ${order}?`);
  return done;
}

/** As soon as the agent listens. */
async function asked(port: number, message: string): Promise<void> {
  const body = JSON.stringify({ message });
  const answered = () =>
    fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', body }).then(
      (response) => response.text(),
      () => undefined,
    );
  await expect.poll(answered).toBeDefined();
}
