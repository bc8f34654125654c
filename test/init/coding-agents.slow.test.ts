import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { demoProject } from '../cli/demo-project.ts';
import { folderWith } from '../config/folder.ts';

const MANIFEST = JSON.stringify({ name: 'desk', type: 'module', scripts: { start: 'node server.js' } });
const SKILL = 'skills/agent-replay/SKILL.md';

async function projectWith(files: Readonly<Record<string, string>>) {
  const folder = await folderWith({ 'package.json': MANIFEST, ...files });
  return {
    path: folder.path,
    init: (...args: string[]) => command(['init', '--yes', ...args], { cwd: folder.path }),
    read: (file: string) => readFile(path.join(folder.path, file), 'utf8'),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const sectionIn = (text: string) => /<!-- agent-replay: begin[\s\S]*<!-- agent-replay: end -->/.exec(text)?.[0] ?? '';

test('a project gets a section in AGENTS.md and a skill, and none of them with --no-agents', async () => {
  await using project = await projectWith({});
  expect((await project.init()).code).toBe(0);
  expect(sectionIn(await project.read('AGENTS.md'))).toContain('npx agent-replay run --reporter agent,json');
  expect(await project.read(`.agents/${SKILL}`)).toMatch(/^---\nname: agent-replay\ndescription: .{50,1000}\n---\n/);
  await using other = await projectWith({});
  const { stdout } = await other.init('--no-agents');
  expect(stdout).not.toContain('AGENTS.md');
  await expect(other.read('AGENTS.md')).rejects.toThrow();
});

test('the text of the user stays as it is, and only the marked section is written anew', async () => {
  const mine = '# Rules\r\n\r\nUse tabs.\r\n';
  await using project = await projectWith({ 'AGENTS.md': mine });
  const { stdout } = await project.init();
  expect(stdout).toContain('update AGENTS.md');
  const first = await project.read('AGENTS.md');
  expect(first.startsWith(mine)).toBe(true);
  expect(first.replaceAll('\r\n', '')).not.toContain('\n');
  const edited = `${first.replace(/^## Recorded.*\r\n/m, '## An old title\r\n')}\r\nMore of mine.\r\n`;
  await writeFile(path.join(project.path, 'AGENTS.md'), edited);
  await project.init();
  expect(await project.read('AGENTS.md')).toBe(`${first}\r\nMore of mine.\r\n`);
});

test('a second time changes nothing, and says so', async () => {
  await using project = await projectWith({ 'AGENTS.md': 'Use tabs.' });
  await project.init();
  const [first, skill] = [await project.read('AGENTS.md'), await project.read(`.agents/${SKILL}`)];
  const { stdout } = await project.init();
  expect(stdout).toContain('keep   AGENTS.md');
  expect([await project.read('AGENTS.md'), await project.read(`.agents/${SKILL}`)]).toEqual([first, skill]);
});

test.each([
  ['a mark without the other', '<!-- agent-replay: begin -->\nmine\n'],
  ['the marks the wrong way round', '<!-- agent-replay: end -->\nmine\n<!-- agent-replay: begin -->\n'],
])('%s: the file stays as it is', async (_, text) => {
  await using project = await projectWith({ 'AGENTS.md': text });
  await project.init();
  expect(await project.read('AGENTS.md')).toBe(text);
});

test('files and folders that a coding agent has there already are used', async () => {
  await using project = await projectWith({ 'CLAUDE.md': 'Use tabs.\n' });
  await mkdir(path.join(project.path, '.claude'));
  await project.init();
  expect(sectionIn(await project.read('CLAUDE.md'))).not.toBe('');
  expect(await project.read(`.claude/${SKILL}`)).toContain('# From a red replay to its cause');
  await expect(project.read('AGENTS.md')).rejects.toThrow();
});

/** Exit codes of the commands in the two texts, in a project whose prompt was edited. */
const ENDS: Readonly<Record<string, number>> = {
  'run --reporter agent,json': 1,
  'run --verbose': 1,
  'run --last-failed --reporter agent,json': 1,
  'help tools': 0,
  'help report': 0,
  'help comparison': 0,
  doctor: 0,
  accept: 0,
};

test('every command in section and skill is one that runs', async () => {
  await using written = await projectWith({});
  await written.init();
  const texts = [await written.read('AGENTS.md'), await written.read(`.agents/${SKILL}`)].join('\n');
  const commands = new Set([...texts.matchAll(/npx agent-replay ([^`\n]+)/g)].map(([, args = '']) => args.trim()));
  // Written by init, or named only to be looked up.
  commands.delete('init');
  expect([...commands].toSorted()).toEqual(Object.keys(ENDS).toSorted());
  await using project = await demoProject();
  for (const [args, code] of Object.entries(ENDS)) {
    const ended = await command(args.split(' '), { cwd: project.path });
    expect([args, ended.code, ended.stderr]).toEqual([args, code, expect.not.stringContaining('USAGE')]);
  }
});

test('what section and skill say of a line, the line has', async () => {
  await using project = await demoProject();
  const { stdout } = await command(['run', '--reporter', 'agent'], { cwd: project.path });
  const [line] = stdout.split('\n').map((text) => (text === '' ? {} : JSON.parse(text)));
  expect(Object.keys(line)).toEqual(
    expect.arrayContaining(['what', 'recorded', 'replayed', 'cause', 'files', 'rerun']),
  );
  expect(Object.keys(line.cause)).toEqual(expect.arrayContaining(['kind', 'line']));
});
