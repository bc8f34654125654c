import { expect, test } from 'vitest';
import type { PinnedTurn } from '../../src/session/index.ts';
import { command } from './command.ts';
import { fixture, type Project, projectWith } from './project.ts';
import { sceneOf } from './scene.ts';

const PINS = ['replays/one.session.json', 'replays/two.session.json'];

/** Two sessions of an agent that is never twice the same, recorded ten times by runs. */
const recorded = sceneOf(async () => {
  const project = await projectWith({
    sessions: { one: 'fares to Rome', two: 'fares to Oslo' },
    config: { runs: 5 },
    agent: { command: fixture('live-agent.ts'), env: { SEED: 'recorded' } },
  });
  expect(await command(['pin', ...PINS, '--runs', '10'], { cwd: project.path })).toMatchObject({ code: 0 });
  return project;
});

/** A run of it with another seed, and changed in some way. */
function run(project: Project, env: Readonly<Record<string, string>> = {}, ...args: string[]) {
  const settings = Object.entries({ SEED: 'replayed', ...env }).map(([name, value]) => `agent.env.${name}=${value}`);
  return command(['run', ...settings.flatMap((each) => ['--set', each]), ...args], { cwd: project.path });
}

test('an agent that varies is green while it varies as its recordings do, and every output says what it is judged by', async () => {
  await using project = await recorded();
  const { code, stdout } = await run(project, {}, '--reporter', 'table,json,junit,html,markdown');
  expect(code).toBe(0);
  const [first, second] = stdout.split('\n');
  expect(first).toBe('Gate: 2 sessions by shift (5 or more recordings made by runs).');
  expect(second).toMatch(/^Recordings: of \d{4}-\d\d-\d\d, made today\.$/);
  expect(stdout).toContain('2 of 2 sessions vary as recorded');
  const { results, evidence } = await project.report();
  expect(results.sessions.map(({ gate, verdict, level }) => [gate, verdict, level])).toEqual(
    Array(2).fill(['shift', 'varies', 'off']),
  );
  expect(results.sessions.map(({ turns }) => turns[0]?.comparison.note)).toEqual(
    Array(2).fill(expect.stringMatching(/^\d ways in 5 runs, as in its 10 recordings \(p = /)),
  );
  expect(evidence.usage.calls).toBe(10);
  const files = ['report.md', 'junit.xml', 'report.html'].map((file) => project.read(`.agent-replay/${file}`));
  for (const text of await Promise.all(files)) {
    expect(text).toContain('2 sessions by shift (5 or more recordings made by runs)');
  }
});

test('a call that is always left out is red after a second look, which says what separates the runs', async () => {
  await using project = await recorded();
  const { code, stdout, stderr } = await run(project, { WITHOUT: 'check_policy' });
  expect(code).toBe(1);
  expect(stderr).toContain('looking again at 2 sessions with 30 more calls');
  expect(stdout).toContain('no replay calls check_policy, and all 10 recordings do');
  expect(stdout).toMatch(/All sessions together have shifted in .*found again in a second look/s);
  const { results, evidence } = await project.report();
  for (const { turns } of results.sessions) {
    expect(turns[0]).toMatchObject({
      level: 'error',
      comparison: { verdict: 'changed', requested: 20, conclusive: 20 },
      shift: { state: 'shifted', first: { replays: 5 }, second: { replays: 20 } },
    });
    expect(turns[0]?.shift?.rows[0]).toMatchObject({ recordings: { length: 10 }, replays: { length: 20 } });
  }
  expect(evidence.usage.calls).toBe(40);
  // From the journal of that run alone the same comes out again, as of parts of a run.
  const before = JSON.stringify(results);
  const merged = await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: project.path });
  expect(merged.code).toBe(1);
  expect(JSON.stringify(JSON.parse(await project.read('merged/report.json')).results)).toBe(before);
});

test('what is wanted is kept as recordings in place of the old ones, without a call, and is green from then on', async () => {
  await using project = await recorded();
  expect((await run(project, { WITHOUT: 'check_policy' })).code).toBe(1);
  const accepted = await command(['accept', '--as-recordings'], { cwd: project.path });
  expect(accepted.code).toBe(0);
  expect(accepted.stdout).toMatch(/one\.session\.json#1: replaces 10 recordings of \d{4}-\d\d-\d\d\n/);
  const [turn] = JSON.parse(await project.read(PINS[0] as string)).turns as [PinnedTurn];
  expect(turn.baselines).toHaveLength(20);
  expect((await run(project, { SEED: 'later', WITHOUT: 'check_policy' })).code).toBe(0);
});

test('a live agent with one recording is red at first, and green once its runs are kept', async () => {
  await using project = await projectWith({
    sessions: { one: 'fares to Rome' },
    config: { runs: 6 },
    agent: { command: fixture('live-agent.ts') },
  });
  const first = await run(project);
  expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('agent-replay accept --as-recordings') });
  expect(first.stdout).not.toContain('Gate:');
  expect((await command(['accept', '--as-recordings'], { cwd: project.path })).code).toBe(0);
  expect((await run(project, { SEED: 'later' })).code).toBe(0);
});

test.each<[string, string[], string]>([
  ['a tool declared critical', ['--set', 'compare.tools.wipe.critical=true'], 'calls wipe, and no recording does'],
  ['what compare.forbid names', ['--set', 'compare.forbid=["wi*"]'], 'wipe is called, which compare.forbid names'],
])('%s is red in a single replay, at once', async (_, settings, sentence) => {
  await using project = await recorded();
  const { code, stdout, stderr } = await run(project, { WIPES: '3' }, ...settings);
  expect(code).toBe(1);
  expect(stdout).toContain(sentence);
  expect(stderr).not.toContain('looking again');
  expect((await run(project, { WIPES: '3' }, ...settings, '--stop-early')).stdout).toContain('stopped after 3 of 5');
  const refused = await command(['accept', '--as-recordings'], { cwd: project.path });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
});

test('a call of a mutating tool that no recording holds raises an alarm and is looked at again, and passes by chance alone', async () => {
  await using project = await recorded();
  const { code, stdout, stderr } = await run(project, { WIPES: '3' }, '--set', 'compare.tools.wipe.mutating=true');
  expect(code).toBe(0);
  expect(stderr).toContain('looking again at 2 sessions with 30 more calls');
  expect(stdout).toContain('alarm: 1 of 20 replays calls wipe, and no recording does');
  expect(stdout).toContain('2 of 2 sessions raise an alarm');
});

test('too few replays that could be compared are no shift and no pass: could not tell', async () => {
  await using project = await recorded();
  const { code, stdout } = await run(project, { REFUSES: '4' });
  expect(code).toBe(2);
  expect(stdout).toContain('not verified');
  expect((await project.report()).results.sessions.map(({ verdict }) => verdict)).toEqual(
    Array(2).fill('inconclusive'),
  );
});

test('an agent that is always the same is judged by ten recordings without a call more, and a change of it is found', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 5 } });
  const pin = ['pin', PINS[0] as string, '--runs', '10'];
  expect((await command(pin, { cwd: project.path })).code).toBe(0);
  const again = await command([...pin, '--refresh'], { cwd: project.path });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('10 calls') });
  // What is recorded is judged by nothing.
  expect(again.stderr).not.toMatch(/gate|second look/);
  expect(await command(['run'], { cwd: project.path })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 of 1 session reproduced'),
  });
  expect((await project.report()).evidence.usage.calls).toBe(5);
  const changed = await command(['run', '--set', 'agent.env.PREFIX=new '], { cwd: project.path });
  expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('has shifted') });
});

test('what varies is left alone by accept: ten recordings say more than five replays', async () => {
  await using project = await recorded();
  expect((await run(project)).code).toBe(0);
  const before = await project.read(PINS[0] as string);
  for (const flags of [[], ['--as-recordings']]) {
    expect(await command(['accept', ...flags], { cwd: project.path })).toMatchObject({ code: 0 });
  }
  expect(await project.read(PINS[0] as string)).toBe(before);
});

test('shards by sessions take their own second looks; what has shifted by its p, their merge decides', async () => {
  await using project = await recorded();
  const shards = ['1/2', '2/2'].map((shard, index) => ['--shard', shard, '--output-dir', `shard-${index}`]);
  for (const shard of shards) {
    const { code, stdout, stderr } = await run(project, { WITHOUT: 'check_policy' }, ...shard);
    expect(code).toBe(0);
    expect(stderr).toContain('looking again at 1 session with 15 more calls');
    expect(stdout).toContain('agent-replay merge, which has all parts, decides');
  }
  const merged = await command(['merge', 'shard-0', 'shard-1', '--output-dir', 'merged'], { cwd: project.path });
  expect(merged).toMatchObject({ code: 1, stdout: expect.stringContaining('2 of 2 sessions diverged') });
  // A part that is missing is in no test, and never passed over.
  const half = await command(['merge', 'shard-0', '--output-dir', 'half'], { cwd: project.path });
  expect(half.code).not.toBe(0);
});

test('shards by runs are refused where a session is judged by shift', async () => {
  await using project = await recorded();
  const { code, stderr } = await run(project, {}, '--shard', '1/2', '--set', 'shardBy=runs');
  expect(code).toBe(2);
  expect(stderr).toContain('is judged by shift');
});

test('a session in quarantine fails nothing until its day, and takes no second look', async () => {
  const quarantine = ['one={"until":"2999-01-01","why":"known"}', 'two={"until":"2000-01-01","why":"over"}'];
  const settings = quarantine.flatMap((each) => ['--set', `quarantine.${each}`]);
  await using project = await recorded();
  const { code, stdout, stderr } = await run(project, { WITHOUT: 'check_policy' }, ...settings);
  expect(code).toBe(1);
  expect(stdout.split('\n')[0]).toBe('Quarantined until 2999-01-01: one (known).');
  expect(stderr).toContain('looking again at 1 session');
  const { sessions, title } = (await project.report()).results;
  expect(title).toContain('1 quarantined until 2999-01-01');
  expect(sessions.map(({ id, level }) => [id, level])).toEqual([
    ['one', 'warn'],
    ['two', 'error'],
  ]);
  const unknown = await run(project, {}, '--set', 'quarantine.three={"until":"2999-01-01","why":"?"}');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('quarantine names no session: three') });
});
