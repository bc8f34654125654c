import { execFile } from 'node:child_process';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/index.ts';
import { IN_VAIN_MS } from '../patience.ts';
import { removed } from '../programs.ts';
import { wholeMessage } from '../whole-message.ts';
import { command, start } from './command.ts';
import { fixture, type Project, projectWith } from './project.ts';
import { sceneOf } from './scene.ts';

/** Where checkouts go: other tests of this machine have theirs elsewhere. */
const TMPDIR = await mkdtemp(path.join(tmpdir(), 'agent-replay-test-'));
afterAll(() => removed(TMPDIR));

const PINS = ['replays/one.session.json', 'replays/two.session.json'];

async function git(cwd: string, ...args: string[]): Promise<string> {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  const { stdout } = await promisify(execFile)('git', [...who, ...args], { cwd });
  return stdout.trim();
}

type Env = Readonly<Record<string, string>>;

/** Writes what the configuration says of the agent's environment, and commits it. */
async function commit(project: Project, env: Env, more: Partial<ConfigInput> = {}, agent: object = {}) {
  const file = path.join(project.path, 'agent-replay.config.json');
  const config = JSON.parse(await project.read('agent-replay.config.json'));
  const { PORT: _, ...kept } = config.agent.env;
  const url = 'http://127.0.0.1:{port}/replay';
  const written = { ...config, ...more, agent: { ...config.agent, url, env: { ...kept, ...env }, ...agent } };
  await writeFile(file, JSON.stringify(written));
  await git(project.path, 'add', '--all');
  await git(project.path, 'commit', '--quiet', '--allow-empty', '--message', 'one more');
}

/** A repository with two sessions of an agent that is never twice the same, recorded ten times; its first commit is `main`. */
const repository = sceneOf(() => recordedRepository());

async function recordedRepository(
  config: Partial<ConfigInput> = {},
  agent: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const project = await projectWith({
    sessions: { one: 'fares to Rome', two: 'fares to Oslo' },
    config: { runs: 5, ...config },
    agent: { command: fixture('live-agent.ts') },
    files: { '.gitignore': '.agent-replay\n.env\nready\n', ...files },
  });
  await git(project.path, 'init', '--quiet', '--initial-branch', 'main');
  await commit(project, { SEED: 'recorded' }, {}, agent);
  expect(await command(['pin', ...PINS, '--runs', '10', '--yes'], { cwd: project.path })).toMatchObject({ code: 0 });
  await commit(project, { SEED: 'base' });
  await git(project.path, 'switch', '--quiet', '--create', 'change');
  return project;
}

function run(project: Project, env: Env = {}, ...args: string[]) {
  return command(['run', '--base', 'main', ...args], { cwd: project.path, env: { TMPDIR, ...env } });
}

async function checkouts(): Promise<string[]> {
  return (await readdir(TMPDIR)).filter((name) => name.startsWith('agent-replay-base-'));
}

test('an unchanged agent that varies is neither this change nor the world, and nothing is left of the base', async () => {
  await using project = await repository();
  await commit(project, { SEED: 'head' });
  const before = await git(project.path, 'status', '--porcelain=v2', '--branch');
  const { code, stdout } = await run(project, {}, '--reporter', 'table,json,junit,html,markdown');
  expect(stdout).toMatch(/^Base: 2 sessions against main \([0-9a-f]{12}\), side by side: neither this change nor/m);
  expect(code).toBe(0);
  const { results, evidence } = await project.report();
  expect(results.base).toMatchObject({ ref: 'main', blame: 'neither', sessions: 2, without: [] });
  expect(evidence.usage.calls).toBeGreaterThanOrEqual(20);
  expect(evidence.baseRuns).toHaveLength(evidence.runs.length);
  for (const file of ['report.md', 'junit.xml', 'report.html']) {
    expect(await project.read(`.agent-replay/${file}`)).toContain('neither this change nor the world');
  }
  expect(await git(project.path, 'status', '--porcelain=v2', '--branch')).toBe(before);
  expect(await git(project.path, 'worktree', 'list')).not.toContain('\n');
  expect(await checkouts()).toEqual([]);
  expect(project.leftovers()).toEqual([]);
});

test('what only this tree does is this change: red, with what separates it from the base', async () => {
  await using project = await repository();
  await commit(project, { SEED: 'head', WITHOUT: 'check_policy' });
  const { code, stdout, stderr } = await run(project);
  // Ten fresh runs of each session, on both sides.
  expect(stderr).toContain('looking again at 2 sessions with 40 more replays');
  expect(stdout).toContain('this change did it');
  expect(stdout).toMatch(/no replay calls check_policy, and all \d+ base runs do/);
  expect(code).toBe(1);
  const { results } = await project.report();
  expect(results.base).toMatchObject({ blame: 'change', drifted: [], driftedSuites: [] });
  // From the journal alone the same comes out again.
  const merged = await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: project.path });
  expect(merged.code).toBe(1);
  expect(JSON.parse(await project.read('merged/report.json')).results).toEqual(JSON.parse(JSON.stringify(results)));
});

test('what both do and no recording does is the world: green, with the command that records anew', async () => {
  await using project = await repository();
  await commit(project, { SEED: 'head' });
  const { code, stdout } = await run(project, { WITHOUT: 'check_policy' }, '--reporter', 'table,json,markdown');
  expect(stdout).toContain('the world did it');
  expect(code).toBe(0);
  const { base, title } = (await project.report()).results;
  const [drifted = { id: '', what: '' }] = base?.drifted ?? [];
  expect(title).toMatch(/^2 of 2 sessions as the base, the world has changed$/);
  expect(drifted.what).toContain('check_policy');
  for (const text of [stdout, await project.read('.agent-replay/report.md')]) {
    expect(text.replace(/\s+/g, ' ')).toContain('check_policy');
  }
  const [, typed = ''] = /`npx agent-replay (pin [^`]*)`/.exec(stdout.replace(/\s+/g, ' ')) ?? [];
  expect(typed).toBe(`pin --runs 10 --refresh ${PINS.join(' ')}`);
  const seen = { cwd: project.path, env: { TMPDIR, WITHOUT: 'check_policy' } };
  expect((await command([...typed.split(' '), '--yes'], seen)).code).toBe(0);
  const [{ baselines }] = JSON.parse(await project.read(PINS[0] as string)).turns;
  expect(baselines).toHaveLength(10);
  expect(JSON.stringify(baselines)).not.toContain('"check_policy"');
});

test('a change in a world that has changed is both: red', async () => {
  await using project = await repository();
  await commit(project, { SEED: 'head', WITHOUT: 'search' });
  // The base has no such entry of its own, so that it takes that of the environment.
  const { code, stdout } = await run(project, { WITHOUT: 'check_policy' });
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'both: this change does not do what the base does, and the base no longer',
  );
});

test('an agent that is always the same, recorded once, is judged against its base', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 5 } });
  await git(project.path, 'init', '--quiet', '--initial-branch', 'main');
  await commit(project, {});
  await commit(project, { OTHER: 'nothing that it looks at' });
  expect((await run(project, {}, '--base', 'HEAD~1')).stdout).toContain('neither this change nor the world');
  // Both answer otherwise than the recording: one recording is no test, so that it stays open.
  const open = await run(project, { PREFIX: 'new ' }, '--base', 'HEAD~1');
  expect(open).toMatchObject({ code: 0, stdout: expect.stringContaining('unclear: runs are not as recorded') });
  await commit(project, { PREFIX: 'new ' });
  const changed = await run(project, {}, '--base', 'HEAD~1');
  expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('this change did it') });
});

test('what git does not track is brought by agent.baseFiles, what is installed by agent.install; each has folders for its files', async () => {
  const install = `test -f .env && test ! -e .git && ${process.execPath} -e "require('fs').writeFileSync('ready', '')"`;
  await using project = await recordedRepository(
    {},
    // Both have the same parent: with one folder, the second could not make this one.
    {
      install,
      command: `test -f ready && HOME=$PWD/home-of sh -c 'mkdir "$TMPDIR/login-$PPID" "$HOME-$PPID"' && ${fixture('live-agent.ts')}`,
    },
    { ready: '', '.gitignore': '.agent-replay\n.env\nready\nhome-of-*\n' },
  );
  await commit(project, { SEED: 'head' });
  const without = await run(project);
  expect(without.stdout).toContain('Judged by the recordings, without the base main');
  expect(without.stdout.replace(/\s+/g, ' ')).toContain('agent.install failed at the base: exit code 1');
  expect(without.stdout).toContain('Gate: 2 sessions by shift');
  expect(without.code).toBe(0);
  expect((await run(project, {}, '--set', 'baseRequired=true')).code).toBe(2);
  const { problems } = (await project.report()).results;
  expect(problems.map(wholeMessage).join('\n')).toMatchInlineSnapshot(`
    "The base that baseRequired asks for could not be replayed. (BASE_UNAVAILABLE)
      agent.install failed at the base: exit code 1 (BASE_NOT_INSTALLED: command: test -f .env && test ! -e .git && node -e "require('fs').writeFileSync('ready', '')"); its checkout holds what git tracks there; agent.install makes the rest ('npm ci', say), agent.baseFiles copies it
      -> Make its agent start and answer at that commit. Without baseRequired, sessions are judged by their recordings instead."
  `);
  await writeFile(path.join(project.path, '.env'), 'KEY=1');
  await commit(project, { SEED: 'head' }, {}, { baseFiles: ['.env'] });
  expect((await run(project)).stdout).toContain('neither this change nor the world');
  expect(await checkouts()).toEqual([]);
});

test.each<[string, (project: Project) => Promise<void>, string]>([
  [
    'has no configuration',
    (project) => git(project.path, 'rm', '--quiet', 'agent-replay.config.json').then(() => {}),
    'CONFIG_NOT_FOUND',
  ],
  ['has an agent that does not start', (project) => commit(project, {}, {}, { command: 'exit 3' }), 'AGENT_EXITED'],
  ['has a fixed port', (project) => commit(project, {}, {}, { url: 'http://127.0.0.1:1/replay' }), 'no {port}'],
  ['has no endpoint', (project) => commit(project, { REFUSES: '0' }), 'none of its replays could be compared'],
])(
  'a base that %s leaves its sessions to their recordings and says so first; required, it is exit code 2',
  async (_, make, why) => {
    await using project = await repository();
    const config = await project.read('agent-replay.config.json');
    await git(project.path, 'switch', '--quiet', 'main');
    await make(project);
    await git(project.path, 'commit', '--quiet', '--allow-empty', '--message', 'broken');
    await git(project.path, 'switch', '--quiet', '--create', 'repaired');
    await writeFile(
      path.join(project.path, 'agent-replay.config.json'),
      config.replace('"SEED":"base"', '"SEED":"head"'),
    );
    await git(project.path, 'add', '--all');
    await git(project.path, 'commit', '--quiet', '--message', 'repaired');
    const given = ['--set', `timeouts.trace=${IN_VAIN_MS}`];
    const { code, stdout, stderr } = await run(project, {}, ...given);
    // The calls that the base does not make are not waited for.
    const { done = '', of } = [...stderr.matchAll(/2\/2 sessions, (?<done>\d+)\/(?<of>\d+) /g)].at(-1)?.groups ?? {};
    if (why !== 'none of its replays could be compared') expect(done).toBe(of);
    const [first = '', second = ''] = stdout.replace(/(?<!\.)\n/g, ' ').split('\n');
    expect(first).toContain('Judged by the recordings, without the base main');
    expect(first).toContain(why);
    expect(second).toContain('Gate: 2 sessions by shift');
    expect(code).toBe(0);
    expect((await run(project, {}, ...given, '--set', 'baseRequired=true')).code).toBe(2);
    expect(await checkouts()).toEqual([]);
  },
);

test('what ends a run removes the checkout, and what a killed run left the next one removes with its agent', async () => {
  await using project = await repository();
  await commit(project, { SEED: 'head' });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const) {
    const running = start(['run', '--base', 'main', '--runs', '100'], { cwd: project.path, env: { TMPDIR } });
    await running.printed(/starting the agent of the base/);
    await running.printed(/sessions/);
    expect(await checkouts()).toHaveLength(1);
    running.child.kill(signal);
    expect((await running.finished).code).toBe(code);
    expect(await checkouts()).toHaveLength(signal === 'SIGKILL' ? 1 : 0);
  }
  expect((await run(project)).code).toBe(0);
  expect(await checkouts()).toEqual([]);
  expect(project.leftovers()).toEqual([]);
});

test('Ctrl-C ends what is being installed', async () => {
  await using project = await recordedRepository({}, { install: 'echo begun && sleep 1000' });
  await commit(project, { SEED: 'head' });
  const running = start(['run', '--base', 'main'], { cwd: project.path, env: { TMPDIR } });
  await running.printed(/begun$/m);
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  expect((await project.report()).results.status).toBe('interrupted');
  expect(await checkouts()).toEqual([]);
});

test('calls are doubled before they are made, and by maxCalls; mistakes are told before anything is sent', async () => {
  await using project = await repository();
  await commit(project, { SEED: 'head' });
  const plan = await run(project, {}, '--dry-run');
  expect(plan.stdout).toContain('2 sessions, 2 turns, 20 replays; nothing was sent');
  expect(plan.stdout).toContain('against the base main: two agents run side by side');
  expect(plan.stdout).toContain('about 20 replays; at most 60 replays');
  const limited = await run(project, {}, '--max-calls', '12');
  expect(limited.code).toBe(2);
  expect((await project.report()).evidence.usage.calls).toBe(12);
  for (const [args, told] of [
    [['--set', 'gate=every-run'], 'cannot be combined with gate: every-run'],
    [['--runs', '2'], 'needs 3 runs or more'],
    [['--url', 'http://127.0.0.1:3000/replay'], 'in agent.url {port} in place of the port'],
    [['--base', 'nowhere'], 'fetch-depth: 0'],
  ] as const) {
    const { code, stdout, stderr } = await run(project, {}, ...args);
    expect(code).toBe(2);
    expect((stdout + stderr).replace(/\s+/g, ' ')).toContain(told);
  }
  expect(await checkouts()).toEqual([]);
});

test('against a base each call costs twice: before the start, and under maxCost, which both sides share', async () => {
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: { runs: 3, workers: 1, prices: { 'm-*': { input: 2, output: 10 } } },
    agent: { env: { USAGE: 'm-1:1000:500' } },
  });
  await git(project.path, 'init', '--quiet', '--initial-branch', 'main');
  await commit(project, {});
  const unknown = await run(project, {}, '--max-cost', '1');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('cost unknown') });
  expect(unknown.stderr).not.toContain('starting the agent');
  expect(await command(['pin', 'replays/*.session.json', '--runs', '2', '--yes'], { cwd: project.path })).toMatchObject(
    {
      code: 0,
    },
  );
  await commit(project, { OTHER: 'nothing that it looks at' });
  const plan = await run(project, {}, '--base', 'HEAD~1', '--dry-run');
  // Three runs on each side, of $0.007 each.
  expect(plan.stdout).toContain('6,000 tokens in, 3,000 out, $0.0420');
  const cut = await run(project, {}, '--base', 'HEAD~1', '--max-cost', '0.029');
  expect(cut.code).toBe(2);
  const { results, evidence } = await project.report();
  expect(evidence.usage).toMatchObject({ calls: 4, cost: expect.closeTo(0.028) });
  expect(results.sessions[0]?.turns[0]?.problems).toMatchObject([{ code: 'COST_LIMIT' }]);
  expect(await checkouts()).toEqual([]);
});

test('the same commit without a change is said, and judged by the recordings', async () => {
  await using project = await repository();
  const { code, stdout, stderr } = await run(project, {}, '--base', 'HEAD');
  expect(stdout).toContain('Judged by the recordings, without the base HEAD');
  expect(stderr).not.toContain('starting the agent of the base');
  expect(code).toBe(0);
});
