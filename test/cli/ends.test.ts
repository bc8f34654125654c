import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAction } from '../action/step.ts';
import { BIN, command } from './command.ts';
import { type Project, projectWith } from './project.ts';

const EARLY = 'code of the configuration called process.exit, or waits for something that never happens';
const FIFOS = ['fifo.json', 'as-journal/journal.ndjson', 'as-report/report.json', 'as-ignored/agent-replay.ignore'];
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
  expect(stdout).toMatch(/^✔ passed.*\n {2}2 calls, [\s\S]*answers\.\n$/);
  expect(project.leftovers()).toEqual([]);
});

test('JSON of any depth in the environment ends no run, and a secret at its bottom is masked', async () => {
  const secret = 'kanarienvogel-0123';
  await using project = await projectWith({ sessions: { one: secret } });
  const env = { SETTINGS: `${'['.repeat(12_000)}{"password":"${secret}"}${']'.repeat(12_000)}` };
  const { code, stdout, stderr } = await command(['run'], { cwd: project.path, env });
  expect([code, stderr]).toEqual([0, expect.stringContaining('asked: <secret>')]);
  expect(stdout + stderr).not.toContain(secret);
});

const CANARY = 'canary-8fQ2_x/91 b';
/** Ways in which code of a configuration could print a secret. */
const PRINTED = [
  (key: string) => key,
  (key: string) => key.toUpperCase(),
  (key: string) => Buffer.from(key).toString('base64'),
  (key: string) => Buffer.from(`user:${key}`).toString('base64url'),
  (key: string) => Buffer.from(key).toString('hex'),
  (key: string) => encodeURIComponent(encodeURIComponent(key)),
  (key: string) => JSON.stringify(JSON.stringify({ key })),
  (key: string) => key.replace(/[^a-z]/g, (c) => `&#${c.charCodeAt(0)};`),
  (key: string) => key.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  (key: string) => `${key.slice(0, 6)}\u001b[31m${key.slice(6)}`,
  (key: string) => key.replace(/./g, '$&\u200b'),
  (key: string) => `${key.slice(0, 6)}\n    ${key.slice(6)}`,
];

test.for([
  ['is no pass', {}, 2],
  ['stays a divergence', { FOUND: 'nothing' }, 1],
] as const)(
  'fault 135: what writes past every mask is masked on its way out, and a run %s',
  async ([, changes, exitCode]) => {
    const lines = PRINTED.map(
      (form) =>
        `console.log('A', (${form})(key), 'Z'); process.stderr.write(Buffer.from('A ' + (${form})(key) + ' Z\\n'));`,
    );
    const code = `const key = process.env.CANARY_KEY; ${lines.join('\n')}`;
    await using project = await projectThat(code);
    const ran = await command(['run', '--config', CONFIG], {
      cwd: project.path,
      env: { CANARY_KEY: CANARY, ...changes },
    });
    for (const text of [ran.stdout, ran.stderr]) {
      const printed = [...text.matchAll(/^A (.*?) Z$/gms)].map(([, shown = '']) =>
        shown.replaceAll(/<secret>|\s/g, ''),
      );
      expect(printed).toHaveLength(PRINTED.length);
      // Around a value, JSON has its name, and base64 the characters that depend on the neighbours.
      for (const rest of printed) expect(rest.length).toBeLessThanOrEqual(16);
    }
    expect(ran.code).toBe(exitCode);
    expect(ran.stderr.slice(ran.stderr.indexOf('error: A known'))).toMatchInlineSnapshot(`
      "error: A known secret was about to be written. It was masked. (LEAK_PREVENTED)
        written to: standard output
        written to: standard error
        -> Look for code that prints it, such as a configuration that logs its environment.
      "
    `);
    expect((await project.report()).results.status).toBe(exitCode === 2 ? 'passed' : 'failed');
  },
);

test('fault 135: a secret that is a word is masked where texts are read, and is told, as it may be anything', async () => {
  await using project = await projectWith({ sessions: { one: 'to production' } });
  const { code, stderr } = await command(['run'], { cwd: project.path, env: { APP_TOKEN: 'production' } });
  expect(stderr).toContain('note: the value of APP_TOKEN stands in replays/one.session.json: it is masked everywhere');
  expect(stderr).not.toContain('LEAK_PREVENTED');
  expect(code).toBe(0);
  expect(await project.read('.agent-replay/report.json')).not.toContain('production');
});

test('fault 109: a current folder that is gone is said, and is no divergence', async () => {
  await using project = await projectWith({});
  const shell = ['-c', 'mkdir gone && cd gone && rmdir ../gone && "$0" "$1" run', process.execPath, BIN];
  const { status, stderr } = spawnSync('sh', shell, { cwd: project.path, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    2,
    'error: The current folder does not exist any more. (USAGE)\n  -> Change into a folder that exists.\n',
  ]);
});

// Only Linux has a disk that is always full.
test.skipIf(process.platform !== 'linux').for(['run', '--version'])(
  'fault 56: a full disk behind standard output is told in one line, and no pass (%s)',
  async (name) => {
    await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 1 } });
    const shell = ['-c', `"$0" "$1" ${name} > /dev/full`, process.execPath, BIN];
    const { status, stderr } = spawnSync('sh', shell, { cwd: project.path, encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: The output could not be written \(ENOSPC\)\. \(OUTPUT_NOT_WRITABLE\)\n$/m);
    expect(stderr).not.toMatch(/^ +at |INTERNAL/m);
  },
);

test.for([
  ['throws', `setTimeout(() => { throw new Error('too late') });`],
  ['rejects', `Promise.reject(new Error('too late'));`],
] as const)(
  'fault 113: code of a configuration that %s after it was loaded is named, with its line',
  async ([, code]) => {
    await using project = await projectThat(`setTimeout(() => { ${code} }, 1);`);
    const { code: exitCode, stderr } = await command(['run', '--config', CONFIG], { cwd: project.path });
    expect(exitCode).toBe(2);
    const told = /error: Code of the configuration threw an error that nothing caught. \(CONFIG_INVALID\)\n {2}at (.*)/;
    expect(told.exec(stderr)?.[1]).toContain(`${CONFIG}:1:`);
    expect(stderr).toContain('Error: too late');
    expect(stderr).not.toContain('INTERNAL');
    expect(project.leftovers()).toEqual([]);
  },
);

test.for([
  ['rejects', `Promise.reject(new Error('too soon'));`, `${CONFIG}:1:`],
  ['throws in a callback', `queueMicrotask(() => { throw new Error('too soon') });`, `${CONFIG}:1:`],
  ['rejects with a text', `Promise.reject('too soon'); await new Promise((go) => setTimeout(go, 20));`, CONFIG],
] as const)('fault 113: code of a configuration that %s while it loads is its own fault', async ([, code, place]) => {
  await using project = await projectThat(code);
  for (const name of ['run', 'pin']) {
    const { code: exitCode, stderr } = await command([name, '--config', CONFIG], { cwd: project.path });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: own\.config\.mjs could not be read\. \(CONFIG_INVALID\)\n {2}at /);
    expect(stderr.split('\n')[1]).toContain(place);
    expect(stderr).toContain('too soon');
    expect(stderr).not.toContain('INTERNAL');
  }
});

test('fault 114: a file in the place of .agent-replay is said as that, and the table is printed all the same', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, files: { '.agent-replay': '' } });
  const { code, stdout, stderr } = await command(['run'], { cwd: project.path });
  expect([code, stdout]).toEqual([2, expect.stringContaining('1 of 1 session as recorded')]);
  expect(stderr).toContain('could not be written: a file stands where its folder should be. (OUTPUT_NOT_WRITABLE)');
  expect(stderr).not.toContain('agents.json');
});

test.for([
  ['a configuration', ['run', '--config', 'fifo.json'], 'CONFIG_INVALID'],
  ['a history that is written', ['run', '--history', 'fifo.json'], 'OUTPUT_NOT_WRITABLE'],
  ['a history that is read', ['history', 'fifo.json'], 'INPUT_INVALID'],
  ['a pin', ['run', 'fifo.json'], 'PIN_NOT_A_FILE'],
  ['a report', ['accept', 'fifo.json'], 'INPUT_INVALID'],
  [
    'an export that the configuration names',
    ['pin', '--config', 'as-source/agent-replay.config.json'],
    'INPUT_INVALID',
  ],
  ['a journal', ['merge', 'as-journal'], 'INPUT_INVALID'],
  ['the report of the last run', ['run', '--last-failed', '--output-dir', 'as-report'], 'INPUT_INVALID'],
  ['the rules that are ignored', ['run', '--config', 'as-ignored/agent-replay.config.json'], 'CONFIG_INVALID'],
] as const)('fault 112: a FIFO in the place of %s is refused, and not waited for', async ([, args, code]) => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  await cp(
    path.join(project.path, 'agent-replay.config.json'),
    path.join(project.path, 'as-ignored/agent-replay.config.json'),
  );
  await mkdir(path.join(project.path, 'as-source'));
  const source = JSON.stringify({ tracing: { source: 'files', files: ['../fifo.json'] } });
  await writeFile(path.join(project.path, 'as-source/agent-replay.config.json'), source);
  for (const file of FIFOS) {
    await mkdir(path.dirname(path.join(project.path, file)), { recursive: true });
    execFileSync('mkfifo', [path.join(project.path, file)]);
  }
  const ran = await command(args, { cwd: project.path });
  expect([ran.code, ran.stdout + ran.stderr]).toEqual([2, expect.stringContaining(code)]);
});
