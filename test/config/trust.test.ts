import { chmod, chown, lchown, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { BIN, command } from '../cli/command.ts';
import { vitestProject } from '../plugin/vitest-project.ts';
import { steady } from '../whole-message.ts';
import { folderWith } from './folder.ts';

/** Every command that reads a configuration that nobody named, and ends by itself. */
const COMMANDS = ['sessions', 'run --dry-run', 'pin x', 'accept', 'record x', 'doctor', 'ui'];
/** A configuration that leaves a trace where it is executed. */
const EXECUTED = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('executed', import.meta.url), '');
export default { agent: { url: 'http://127.0.0.1:9/replay' } };`;
const CONFIG = 'agent-replay.config.mjs';
const IS_ROOT = process.getuid?.() === 0;
/** Neither this user nor root. */
const STRANGER = 54_321;

// Another command at each end: all look for it in the same way.
test.each([
  ['sessions', 'the root of its repository', { 'repository/.git/HEAD': '', 'repository/package.json': '{}' }],
  ['run --dry-run', 'the first package.json outside a repository', { 'repository/package.json': '{}' }],
  ['doctor', 'the first folder into which not everyone may write, outside of all these', {}],
  ['sessions', 'the home folder', { '.git/HEAD': '', 'package.json': '{}' }],
  ['run --dry-run', 'the home folder that HOME names by a link', { '.git/HEAD': '', 'package.json': '{}' }],
])('%s executes no configuration above %s', async (args, end, files) => {
  await using folder = await folderWith({ [CONFIG]: EXECUTED, 'repository/deep/file': '', ...files });
  const link = path.join(folder.path, 'link');
  await symlink('repository', link);
  const env = { HOME: !end.includes('home') ? '' : end.includes('link') ? link : path.join(folder.path, 'repository') };
  // As /tmp is.
  await chmod(folder.path, 0o1777);
  await command(args.split(' '), { cwd: path.join(folder.path, 'repository/deep'), env });
  await expect(readFile(path.join(folder.path, 'executed'))).rejects.toThrow('ENOENT');
});

test.each([
  ['a repository', { '.git/HEAD': '', 'deep/package.json': '{}' }],
  ['a package', { 'package.json': '{}' }],
  ['the home folder', {}],
  ['folders into which only their owners may write', {}],
])('a configuration above is found inside %s', async (kind, files) => {
  await using folder = await folderWith({ [CONFIG]: EXECUTED, 'deep/er/file': '', ...files });
  const env = { HOME: kind === 'the home folder' ? folder.path : '' };
  await command(['run', '--dry-run'], { cwd: path.join(folder.path, 'deep/er'), env });
  expect(await readFile(path.join(folder.path, 'executed'), 'utf8')).toBe('');
});

test('what was searched is said', async () => {
  await using folder = await folderWith({ '.git/HEAD': '', 'deep/er/file': '' });
  const { stderr } = await command(['run'], { cwd: path.join(folder.path, 'deep/er') });
  expect(steady(stderr)).toMatchInlineSnapshot(`
    "error: There is no agent-replay.config.ts here or in a folder above. (CONFIG_NOT_FOUND)
      searched from <folder>/deep/er up to <folder>
      -> \`npx agent-replay init\` writes one. One elsewhere is named with --config, in Vitest with \`config\`; --url and --start do without.
    "
  `);
});

describe.runIf(IS_ROOT)('of another user (only root can give files away)', () => {
  const given = async (files: Readonly<Record<string, string>>, ...names: string[]) => {
    const folder = await folderWith(files);
    for (const name of names) await chown(path.join(folder.path, name), STRANGER, STRANGER);
    return folder;
  };
  const inOneLine = (...texts: string[]) => steady(texts.join(' ')).replaceAll(/\s+/g, ' ');

  test.each(COMMANDS)('a configuration is not executed, and its owner is named: %s', async (args) => {
    await using folder = await given({ [CONFIG]: EXECUTED }, CONFIG);
    const { code, stdout, stderr } = await command(args.split(' '), { cwd: folder.path });
    expect(inOneLine(stdout, stderr)).toContain(`<folder>/${CONFIG} belongs to user ${STRANGER}, and this is user 0`);
    expect(code).not.toBe(0);
    await expect(readFile(path.join(folder.path, 'executed'))).rejects.toThrow('ENOENT');
  });

  test('a configuration is not executed for a coding agent either', async () => {
    await using folder = await given({ [CONFIG]: EXECUTED }, CONFIG);
    const { PATH = '', HOME = '' } = process.env;
    const client = new Client({ name: 'test', version: '1.0.0' });
    const server = { command: process.execPath, args: [BIN, 'mcp'], cwd: folder.path, env: { PATH, HOME } };
    await client.connect(new StdioClientTransport(server));
    expect(JSON.stringify(await client.callTool({ name: 'list_sessions' }))).toContain('CONFIG_NOT_TRUSTED');
    await client.close();
    await expect(readFile(path.join(folder.path, 'executed'))).rejects.toThrow('ENOENT');
  });

  test('a configuration is not executed by Vitest either', async () => {
    await using project = await vitestProject({ sessions: { s: 'hi' } });
    await chown(path.join(project.path, 'agent-replay.config.json'), STRANGER, STRANGER);
    const { code, output } = await project.vitest();
    expect(output).toContain('agent-replay.config.json belongs to another user');
    expect(code).not.toBe(0);
  });

  test.each(['agent-replay.ignore', '.agent-replay/agents.json'])('%s is not obeyed', async (name) => {
    await using folder = await given({ [CONFIG]: EXECUTED, [name]: '' }, name);
    const { code, stderr } = await command(['run', '--dry-run'], { cwd: folder.path });
    expect(inOneLine(stderr)).toContain(`<folder>/${name} belongs to user ${STRANGER}, and this is user 0`);
    expect(code).toBe(2);
  });

  test('a link is not followed to a configuration of this user, nor a link of this user to one of theirs', async () => {
    for (const give of ['link', 'target'] as const) {
      await using folder = await folderWith({ target: EXECUTED });
      const link = path.join(folder.path, CONFIG);
      await symlink('target', link);
      await (give === 'link'
        ? lchown(link, STRANGER, STRANGER)
        : chown(path.join(folder.path, give), STRANGER, STRANGER));
      const { stderr } = await command(['run', '--dry-run'], { cwd: folder.path });
      expect(stderr).toContain('CONFIG_NOT_TRUSTED');
    }
  });

  test('the way out is said, and works for all in that folder', async () => {
    const files = { [CONFIG]: EXECUTED, 'agent-replay.ignore': '' };
    await using folder = await given(files, ...Object.keys(files));
    const { stderr } = await command(['run', '--dry-run'], { cwd: folder.path });
    expect(steady(stderr)).toMatchInlineSnapshot(`
      "error: agent-replay.config.mjs belongs to another user. (CONFIG_NOT_TRUSTED)
        at <folder>/agent-replay.config.mjs
        <folder>/agent-replay.config.mjs belongs to user 54321, and this is user 0
        -> Delete it, or make it yours with chown. If you trust all that is in that folder, set AGENT_REPLAY_SAFE_FOLDERS=<folder>
      "
    `);
    for (const [safe, isExecuted] of [
      ['/elsewhere', false],
      [`/elsewhere:${folder.path}`, true],
    ] as const) {
      await command(['run', '--dry-run'], { cwd: folder.path, env: { AGENT_REPLAY_SAFE_FOLDERS: safe } });
      const executed = await readFile(path.join(folder.path, 'executed'), 'utf8').catch(() => undefined);
      expect(executed !== undefined).toBe(isExecuted);
    }
  });
});
