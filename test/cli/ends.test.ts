import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runAction } from '../action/step.ts';
import { command } from './command.ts';
import { type Project, projectWith } from './project.ts';

const EARLY = 'code of the configuration ended it (process.exit), or waits for what never comes';
const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
const CONFIG = 'own.config.mjs';

/** A project whose configuration is a module that begins with this code. */
async function projectThat(code: string): Promise<Project> {
  const project = await projectWith({ sessions: { one: 'a' } });
  const settings = await project.read('agent-replay.config.json');
  await writeFile(path.join(project.path, CONFIG), `${code}\nexport default ${settings};\n`);
  return project;
}

test.for([
  ['ends the process', 'process.exit(0);'],
  ['waits for what never comes', 'await new Promise(() => {});'],
] as const)('fault 107: a configuration that %s is no pass, of the command and of the action', async ([, code]) => {
  await using project = await projectThat(code);
  const ran = await command(['run', '--config', CONFIG], { cwd: project.path });
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(EARLY) });
  const step = await runAction(project, { inputs: { config: CONFIG } });
  expect(step).toMatchObject({ exitCode: 2, conclusion: 'failure', outputs: { status: 'error' } });
  expect(step.annotations).toMatchObject([{ level: 'error', message: expect.stringContaining(EARLY) }]);
});

test('fault 108: what the code of a configuration leaves open keeps no run alive', async () => {
  await using project = await projectThat(
    `import { createServer } from 'node:http'; createServer().listen(0); setInterval(() => {}, 1_000);`,
  );
  const { code, stdout } = await command(['run', '--config', CONFIG], { cwd: project.path });
  expect(code).toBe(0);
  // All of it has been written.
  expect(stdout).toMatch(/2 calls, .*\n$/);
  expect(project.leftovers()).toEqual([]);
});

test('fault 109: a current folder that is gone is said, and is no divergence', async () => {
  await using project = await projectWith({});
  const shell = ['-c', 'mkdir gone && cd gone && rmdir ../gone && "$0" "$1" run', process.execPath, BIN];
  const { status, stderr } = spawnSync('sh', shell, { cwd: project.path, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    2,
    'error: The current folder does not exist any more. (USAGE)\n  -> Change into one that does.\n',
  ]);
});

test.for([
  ['a configuration', ['run', '--config', 'fifo.json'], 'CONFIG_INVALID'],
  ['a history that is written', ['run', '--history', 'fifo.json'], 'OUTPUT_NOT_WRITABLE'],
  ['a history that is read', ['history', 'fifo.json'], 'INPUT_INVALID'],
] as const)('fault 112: a FIFO in the place of %s is refused, and not waited for', async ([, args, code]) => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  execFileSync('mkfifo', [path.join(project.path, 'fifo.json')]);
  expect(await command(args, { cwd: project.path })).toMatchObject({ code: 2, stderr: expect.stringContaining(code) });
});
