import { expect, test } from 'vitest';
import { command } from './command.ts';
import { type Project, projectWith } from './project.ts';

const PRICES = ['--set', 'prices={"m-*":{"input":2,"output":10},"m-":{"input":0,"output":0}}'];
/** With so many tokens and these prices a call costs $0.007. */
const agent = (usage = 'm-1:1000:500') => ({ env: { USAGE: usage } });

async function pinnedWithUsage(): Promise<Project> {
  const project = await projectWith({ sessions: { one: 'a', two: 'b' }, agent: agent(), config: { workers: 1 } });
  const pinned = await command(['pin', '--runs', '2', '--yes', 'replays/*.session.json'], { cwd: project.path });
  expect(pinned.code).toBe(0);
  return project;
}

test('where usage or a price is not known the cost is unknown, and a limit of it a mistake before anything starts', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, agent: agent() });
  const cwd = project.path;
  const dry = await command(['run', '--dry-run'], { cwd });
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toContain('cost unknown: the recordings hold no token usage: replays/one.session.json');
  const limited = await command(['run', '--max-cost', '1'], { cwd });
  expect(limited.code).toBe(2);
  expect(limited.stderr).toContain('CONFIG_INVALID');
  expect(limited.stderr).toContain('cost unknown: the recordings hold no token usage');
  expect(limited.stderr).not.toContain('starting the agent');
});

test('recordings hold what their models used, and a run says before its start what it costs', async () => {
  await using project = await pinnedWithUsage();
  const cwd = project.path;
  const pin = JSON.parse(await project.read('replays/one.session.json'));
  expect(pin.turns[0].baselines.map(({ usage }: { usage: unknown }) => usage)).toEqual([
    [{ model: 'm-1', calls: 1, inputTokens: 1000, outputTokens: 500 }],
    [{ model: 'm-1', calls: 1, inputTokens: 1000, outputTokens: 500 }],
  ]);
  const unpriced = await command(['run', '--dry-run'], { cwd });
  expect(unpriced.stdout).toContain('about 4,000 tokens in, 2,000 out, cost unknown: there is no price: m-1');
  const priced = await command(['run', '--dry-run', ...PRICES], { cwd });
  expect(priced.stdout).toContain('about 4,000 tokens in, 2,000 out, $0.0280');
  // Under shift a turn is replayed until its looks say enough: two sessions from five replays each to 20.
  const looks = await command(['run', '--dry-run', '--set', 'gate=shift', ...PRICES], { cwd });
  expect(looks.stdout).toContain('about 10,000 tokens in, 5,000 out, $0.0700');
  expect(looks.stdout).toContain('expected with further looks: about 13 replays, $0.0910; at most 40 replays, $0.2800');
  const run = await command(['run', ...PRICES, '--max-cost', '0.028'], { cwd });
  expect(run.stderr).toContain('4 replays, about 4,000 tokens in, 2,000 out, $0.0280');
  expect(run.code).toBe(0);
  expect((await project.report()).evidence.usage).toMatchObject({ calls: 4, cost: expect.closeTo(0.028) });
});

test('what would cost more than it may is not sent and could not be verified', async () => {
  await using project = await pinnedWithUsage();
  const cwd = project.path;
  const cut = await command(['run', ...PRICES, '--max-cost', '0.015'], { cwd });
  expect(cut.code).toBe(2);
  expect(cut.stderr).toContain('note: these calls are estimated at $0.0280, and maxCost is $0.015');
  const { results, evidence } = await project.report();
  expect(evidence.usage.calls).toBe(2);
  expect(results.status).toBe('error');
  expect(results.sessions[1]?.turns[0]?.problems).toMatchObject([{ code: 'COST_LIMIT', runs: [1, 2] }]);
});

test('a run that takes ten times the tokens says so, warns, and fails where failOn.cost is set', async () => {
  await using project = await pinnedWithUsage();
  const cwd = project.path;
  const dearer = ['run', '--set', 'agent.env.USAGE=m-1:10000:5000'];
  const warned = await command(dearer, { cwd });
  expect(warned.code).toBe(0);
  expect(warned.stdout).toContain("Cost: tokens 10.0 x the recordings' (30,000 / 3,000).");
  expect(warned.stdout).toContain('2 of 2 sessions as recorded, costs more than recorded');
  const failed = await command([...dearer, '--set', 'failOn.cost=["changed"]'], { cwd });
  expect(failed.code).toBe(1);
  expect((await project.report()).results.cost).toMatchObject({
    fails: true,
    suites: [{ state: 'changed', ratio: 10 }],
  });
  const same = await command(['run', '--set', 'failOn.cost=["changed"]'], { cwd });
  expect(same.code).toBe(0);
  expect(same.stdout).not.toContain('Cost:');
});
