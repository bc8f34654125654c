import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import type { PinnedTurn } from '../../src/session/index.ts';
import { outcomes } from '../outcomes.ts';
import { IN_VAIN_MS } from '../patience.ts';
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
  expect(await command(['pin', ...PINS, '--runs', '10', '--yes'], { cwd: project.path })).toMatchObject({ code: 0 });
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
  expect(stdout).toMatch(
    /^Gate: 2 sessions by shift \(whether replays differ from 5 or more\s+recordings by more than chance\)\.$/m,
  );
  expect(stdout).toMatch(/^Recordings: of \d{4}-\d\d-\d\d, made today\.$/m);
  expect(stdout).toContain('2 of 2 sessions as recorded');
  const { results, evidence } = await project.report();
  expect(results.sessions.map(({ gate, verdict, level }) => [gate, verdict, level])).toEqual(
    Array(2).fill(['shift', outcomes.asRecorded, 'off']),
  );
  expect(results.sessions.map(({ turns }) => turns[0]?.comparison.note)).toEqual(
    Array(2).fill(expect.stringMatching(/^\d ways in 5 runs, as in its 10 recordings \(p = /)),
  );
  expect(evidence.usage.calls).toBe(10);
  const files = ['report.md', 'junit.xml', 'report.html'].map((file) => project.read(`.agent-replay/${file}`));
  for (const text of await Promise.all(files)) {
    expect(text).toContain(
      '2 sessions by shift (whether replays differ from 5 or more recordings by more than chance)',
    );
  }
});

test('an agent whose five recordings are alike is judged run by run, also one session alone, and to lose that is red', async () => {
  await using project = await projectWith({
    sessions: { one: 'fares to Rome', two: 'fares to Oslo' },
    config: { runs: 5 },
  });
  const pinned = await command(['pin', ...PINS, '--runs', '5', '--yes'], { cwd: project.path });
  expect(pinned.stdout).toContain('The agent does the same each time; gate: every run, the agent is steady');
  const unchanged = await command(['run'], { cwd: project.path });
  expect(unchanged).toMatchObject({ code: 0 });
  expect(unchanged.stdout).toMatch(/^Gate: every run, the agent is steady \(recordings alike in 2 of 2 sessions\)\.$/m);
  const lost = await command(['run', PINS[0] as string, '--set', 'agent.env.FOUND=flights'], { cwd: project.path });
  expect(lost).toMatchObject({ code: 1, stdout: expect.stringContaining('1 of 1 session changed') });
  const [session] = (await project.report()).results.sessions;
  expect([session?.gate, session?.turns[0]?.comparison.figures.asRecorded]).toEqual(['every-run', 0]);
});

test('unless runs are set, an agent that varies as recorded takes two or three replays a session', async () => {
  await using project = await recorded();
  expect((await run(project, {}, '--set', 'looks.least=2', '--set', 'looks.most=20')).code).toBe(0);
  expect((await project.report()).evidence.usage.calls).toBeLessThanOrEqual(8);
});

test('a call that is always left out is red as soon as that is beyond chance, and what separates the runs is said', async () => {
  await using project = await recorded();
  const { code, stdout, stderr } = await run(project, { WITHOUT: 'check_policy' });
  expect(code).toBe(1);
  expect(stderr).toContain('looking again at 2 sessions with 4 more replays');
  expect(stdout).toContain('no replay calls check_policy, and all 10 recordings do');
  expect(stdout).toContain('All sessions together have shifted in');
  const { results, evidence } = await project.report();
  for (const { turns } of results.sessions) {
    expect(turns[0]).toMatchObject({
      level: 'error',
      comparison: { verdict: outcomes.changed, requested: 10, conclusive: 10 },
      shift: { state: 'shifted', tested: 10 },
    });
  }
  expect(evidence.usage.calls).toBe(20);
  // From the journal of that run alone the same comes out again, as of parts of a run.
  const before = JSON.stringify(results);
  const merged = await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: project.path });
  expect(merged.code).toBe(1);
  expect(JSON.stringify(JSON.parse(await project.read('merged/report.json')).results)).toBe(before);
});

test('what tools return decides nothing, however it varies: it is told, unless it is ignored', async () => {
  const agent = { env: { FOUND: 'today' } };
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 5 }, agent });
  expect((await command(['pin', PINS[0] as string, '--runs', '5', '--yes'], { cwd: project.path })).code).toBe(0);
  const { code, stdout } = await command(['run', '--verbose'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
    'tool:lookup/result is not as recorded in 5 runs ("found 1 of today", "found 2 of today", "found 3 of today"), which decides nothing; compare: { ignore: ["tool:lookup/result"] } hides it',
  );
  const { results, evidence } = await project.report();
  expect(results.sessions).toMatchObject([{ gate: 'shift', verdict: outcomes.asRecorded, level: 'off' }]);
  expect(evidence.usage.calls).toBe(5);
  const without = await command(['run', '--set', 'compare.ignore=["tool:lookup/result"]'], { cwd: project.path });
  expect(without).toMatchObject({ code: 0, stdout: expect.not.stringContaining('tool:lookup') });
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['as before', {}],
  ['shifted', { WITHOUT: 'check_policy' }],
  ['with one more call', { WIPES: '3' }],
])('other results of tools change neither verdict nor p nor replays nor ways of an agent %s', async (_, env) => {
  await using project = await recorded();
  const judged = async (found: Readonly<Record<string, string>>) => {
    const { code } = await run(project, { ...env, ...found }, '--set', 'compare.tools.wipe.mutating=true');
    const { results, evidence } = await project.report();
    const turns = results.sessions.flatMap((session) => session.turns);
    return {
      code,
      status: results.status,
      calls: evidence.usage.calls,
      suites: results.shift?.suites,
      turns: turns.map(({ level, shift, events, comparison: { verdict, note, figures } }) => ({
        level,
        shift,
        events,
        verdict,
        note,
        figures,
      })),
    };
  };
  expect(await judged({ FOUND: 'tomorrow' })).toEqual(await judged({}));
});

test('what is wanted is kept as recordings in place of the old ones, without a call, and is green from then on', async () => {
  await using project = await recorded();
  expect((await run(project, { WITHOUT: 'check_policy' })).code).toBe(1);
  const accepted = await command(['accept', '--as-recordings'], { cwd: project.path });
  expect(accepted.code).toBe(0);
  expect(accepted.stdout).toMatch(/one\.session\.json#1: replaces 10 recordings of \d{4}-\d\d-\d\d\n/);
  const [turn] = JSON.parse(await project.read(PINS[0] as string)).turns as [PinnedTurn];
  expect(turn.baselines).toHaveLength(10);
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
  const refused = await command(['accept', '--as-recordings'], { cwd: project.path });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
});

test('a call of a mutating tool that no recording holds raises an alarm, and passes while not every replay makes it', async () => {
  await using project = await recorded();
  const { code, stdout } = await run(project, { WIPES: '3' }, '--set', 'compare.tools.wipe.mutating=true');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^~ one +varies \(warning\) +did +1 of 5 replays calls wipe, and no recording does$/m);
  expect(stdout).toContain('2 of 2 sessions raise an alarm');
});

test('too few replays that could be compared are no shift and no pass: could not tell', async () => {
  await using project = await recorded();
  const { code, stdout } = await run(project, { REFUSES: '4' }, '--set', `timeouts.trace=${IN_VAIN_MS}`);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^\? error: could not tell in \d+ of \d+ sessions\n/);
  expect((await project.report()).results.sessions.map(({ verdict }) => verdict)).toEqual(
    Array(2).fill(outcomes.couldNotTell),
  );
});

test('an agent that is always the same is judged by ten recordings without a call more, and a change of it is found', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 5 } });
  const pin = ['pin', PINS[0] as string, '--runs', '10', '--yes'];
  expect((await command(pin, { cwd: project.path })).code).toBe(0);
  const again = await command([...pin, '--refresh'], { cwd: project.path });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('10 replays') });
  // What is recorded is judged by nothing.
  expect(again.stderr).not.toMatch(/gate|second look/);
  expect(await command(['run'], { cwd: project.path })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 of 1 session as recorded'),
  });
  expect((await project.report()).evidence.usage.calls).toBe(5);
  const changed = await command(['run', '--set', 'agent.env.PREFIX=new '], { cwd: project.path });
  expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('the agent is steady') });
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

test('shards by sessions take their own looks; what has shifted by its p, their merge decides', async () => {
  await using project = await recorded();
  const shards = ['1/2', '2/2'].map((shard, index) => ['--shard', shard, '--output-dir', `shard-${index}`]);
  for (const shard of shards) {
    const { code, stdout, stderr } = await run(project, { WITHOUT: 'check_policy' }, ...shard);
    expect(code).toBe(0);
    // At ten replays, as in one job: how small a p must be is known from the plan.
    expect(stderr).toMatch(/looking again at 1 session with \d more replays/);
    expect(stderr).not.toMatch(/looking again .* 10 more replays/);
    expect(stdout).toContain('`agent-replay merge`, which has all parts, decides');
  }
  const merged = await command(['merge', 'shard-0', 'shard-1', '--output-dir', 'merged'], { cwd: project.path });
  expect(merged).toMatchObject({ code: 1, stdout: expect.stringContaining('2 of 2 sessions changed') });
  // A part that is missing is in no test, and never passed over.
  const half = await command(['merge', 'shard-0', '--output-dir', 'half'], { cwd: project.path });
  expect(half.code).not.toBe(0);
});

test('for the last look a shard goes on after its end: it makes the replays that are missing up to ten, and no other', async () => {
  await using project = await recorded();
  const shard = ['--shard', '1/2', '--output-dir', 'shard', '--set', 'looks.least=2', '--set', 'looks.most=20'];
  expect((await run(project, {}, ...shard)).code).toBe(0);
  const runsOf = async () => parseReport(await project.read('shard/report.json')).evidence.runs;
  const before = await runsOf();
  expect(before.length).toBe(5);
  const { code, stderr } = await run(project, {}, ...shard, '--set', 'lastLook=true');
  expect(code).toBe(0);
  expect(stderr).toMatch(/goes on after 5 replays in .*journal\.ndjson/);
  const after = await runsOf();
  expect(after.map(({ run }) => run)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
  const idOf = ({ replayRunId }: { replayRunId?: string | undefined }) => replayRunId;
  expect(after.slice(0, 5).map(idOf)).toEqual(before.map(idOf));
  // Without being asked for it, the shard starts anew.
  expect((await run(project, {}, ...shard)).stderr).not.toContain('goes on after');
});

test('a session in quarantine fails nothing until its day, and takes no second look', async () => {
  const quarantine = ['one={"until":"2999-01-01","why":"known"}', 'two={"until":"2000-01-01","why":"over"}'];
  const settings = quarantine.flatMap((each) => ['--set', `quarantine.${each}`]);
  await using project = await recorded();
  const { code, stdout, stderr } = await run(project, { WITHOUT: 'check_policy' }, ...settings);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Quarantined until 2999-01-01: one \(known\)\.$/m);
  expect(stderr).toContain('looking again at 1 session');
  const { sessions, title } = (await project.report()).results;
  expect(title).toContain('1 quarantined until 2999-01-01');
  expect(sessions.map(({ id, level }) => [id, level])).toEqual([
    ['one', 'off'],
    ['two', 'error'],
  ]);
  const unknown = await run(project, {}, '--set', 'quarantine.three={"until":"2999-01-01","why":"?"}');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('quarantine names no session: three') });
});
