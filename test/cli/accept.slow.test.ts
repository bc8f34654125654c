import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { outcomes } from '../outcomes.ts';
import { command } from './command.ts';
import { type Project, projectWith } from './project.ts';

/** A run against an agent that answers in another way than is recorded. */
async function run(project: Project, prefix = 'new '): Promise<number | null> {
  const env = ['--set', `agent.env.PORT=${project.port}`, '--set', `agent.env.PREFIX=${prefix}`];
  return (await command(['run', ...env], { cwd: project.path })).code;
}

const PIN = 'replays/one.session.json';

test('what all replays did becomes the original, under the ids that are pinned, and the next run passes', async () => {
  await using project = await projectWith({ sessions: { one: ['a', 'b'], two: 'c' } });
  expect(await run(project)).toBe(1);
  const ids = async () =>
    (await project.read(PIN)).match(/"(?:id|parentId)": ?(?:null|"\w+")/g)?.map((each) => each.replace(' ', ''));
  const before = await ids();
  expect(before).toHaveLength(9);
  const { code, stdout } = await command(['accept', '--pin', PIN], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "replays/one.session.json#1: new original; step 1: lookup.text: "a" → "new a"
    replays/one.session.json#2: new original; step 1: lookup.text: "b" → "new b"
    written replays/one.session.json
    "
  `);
  expect(await ids()).toEqual(before);
  expect(await run(project)).toBe(1);
  const verdicts = (await project.report()).results.sessions.map(({ id, verdict }) => [id, verdict]);
  expect(verdicts).toEqual([
    ['one', outcomes.asRecorded],
    ['two', outcomes.changed],
  ]);
  expect(await command(['accept'], { cwd: project.path })).toMatchObject({ code: 0 });
  expect((await command(['accept'], { cwd: project.path })).stdout).toBe(
    'nothing to accept: the pins already hold these replays\n',
  );
  expect(await run(project)).toBe(0);
});

test('a new original says which recordings of the old behaviour the pin loses, and how to make new ones', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 2 } });
  expect(await command(['pin', PIN, '--runs', '2', '--yes'], { cwd: project.path })).toMatchObject({ code: 0 });
  expect(await run(project)).toBe(1);
  const { stdout } = await command(['accept'], { cwd: project.path });
  expect(stdout).toContain(
    `${PIN}#1: the pin loses 2 recordings of the old behaviour; make new ones: npx agent-replay pin --runs 5 ${PIN}\n`,
  );
  expect(JSON.parse(await project.read(PIN)).turns[0]).not.toHaveProperty('baselines');
});

test('--dry-run and CI write nothing; --force does', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  expect(await run(project)).toBe(1);
  const before = await project.read(PIN);
  const dry = await command(['accept', '--dry-run'], { cwd: project.path });
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining(`would write ${PIN}`) });
  const inCi = { cwd: project.path, env: { CI: 'true' } };
  const inCiRefused = await command(['accept'], inCi);
  expect(inCiRefused.code).toBe(2);
  expect(inCiRefused.stderr).toMatchInlineSnapshot(`
    "error: Recordings are not accepted in CI, where nobody reviews them. (USAGE)
      -> Accept them on your own machine and commit the pins; \`npx agent-replay accept --force\` accepts them anyway.
    "
  `);
  expect(await project.read(PIN)).toBe(before);
  expect(await command(['accept', '--force'], inCi)).toMatchObject({ code: 0 });
  expect(await project.read(PIN)).not.toBe(before);
});

test('replays that do not agree are refused, unless one of them or all of them are meant', async () => {
  await using project = await projectWith({ sessions: { one: 'varies' }, config: { runs: 4, workers: 1 } });
  expect((await command(['run'], { cwd: project.path })).code).toBe(1);
  const before = await project.read(PIN);
  const refused = await command(['accept'], { cwd: project.path });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatchInlineSnapshot(`
    "error: replays/one.session.json, turn 1 is left as it is: its replays do not agree: 2 behaviours in 4 runs. (USAGE)
      -> Choose one with --run K, or keep all of them as recordings with --as-recordings.
    "
  `);
  expect(await project.read(PIN)).toBe(before);
  const noSuchRun = await command(['accept', '--run', '9'], { cwd: project.path });
  expect(noSuchRun).toMatchObject({ code: 2, stderr: expect.stringContaining('run 9') });
  const one = await command(['accept', '--run', '2', '--as-recordings', '--dry-run'], { cwd: project.path });
  expect(one.stdout).toContain('#1: 1 replay kept as recordings\n');
  const kept = await command(['accept', '--as-recordings'], { cwd: project.path });
  expect(kept.code).toBe(0);
  expect(kept.stdout).toMatchInlineSnapshot(`
    "replays/one.session.json#1: 4 replays kept as recordings
    written replays/one.session.json
    "
  `);
  const [turn] = JSON.parse(await project.read(PIN)).turns;
  expect(turn.recorded.output).toBe('answer 0');
  expect(turn.baselines.map(({ output }: { output: string }) => output)).toEqual([
    'answer 1',
    'answer 0',
    'answer 1',
    'answer 0',
  ]);
  const { startedAt } = (await project.report()).evidence;
  expect(turn.baselines.map(({ made }: { made: object }) => made)).toEqual(
    [1, 2, 3, 4].map((run) => ({ at: startedAt, run })),
  );
});

test('the same replays are recordings once, however often they are accepted: the gate stays, and so do the bytes', async () => {
  await using project = await projectWith({ sessions: { one: 'wandering' }, config: { runs: 3 } });
  expect(await run(project)).toBe(1);
  expect(await command(['accept', '--as-recordings'], { cwd: project.path })).toMatchObject({ code: 0 });
  const once = await project.read(PIN);
  for (const flags of [[], ['--run', '2'], ['--force']]) {
    const again = await command(['accept', '--as-recordings', ...flags], { cwd: project.path });
    expect(again).toMatchObject({ code: 0, stdout: 'nothing to accept: the pins already hold these replays\n' });
    expect(await project.read(PIN)).toBe(once);
  }
  await run(project);
  expect((await project.report()).results.sessions.map(({ gate }) => gate)).toEqual([undefined]);
});

test('copies that a pin already holds count once, which the first lines say, and more recordings take them out', async () => {
  await using project = await projectWith({ sessions: { one: 'wandering' }, config: { runs: 3 } });
  expect(await run(project)).toBe(1);
  expect(await command(['accept', '--as-recordings'], { cwd: project.path })).toMatchObject({ code: 0 });
  const { turns, ...pin } = JSON.parse(await project.read(PIN));
  const [{ baselines, ...turn }] = turns;
  const copied = [0, 1, 2, 3].flatMap(() => baselines);
  await writeFile(`${project.path}/${PIN}`, JSON.stringify({ ...pin, turns: [{ ...turn, baselines: copied }] }));
  const again = await command(['run'], { cwd: project.path });
  expect(again.stdout.split('\n').slice(1, 8)).toContain('Copies of recordings count once: 9 in one.');
  const { results } = await project.report();
  expect(results.sessions.map(({ gate, copies }) => ({ gate, copies }))).toEqual([{ gate: undefined, copies: 9 }]);
  await command(['merge', '.agent-replay', '--output-dir', 'merged'], { cwd: project.path });
  expect(JSON.parse(await project.read('merged/report.json')).results.sessions).toEqual(results.sessions);
  const more = await command(['pin', PIN, '--runs', '2', '--yes', '--more'], { cwd: project.path });
  expect(more.stdout).toContain('2 recordings beside the original (5 in all)');
  expect(JSON.parse(await project.read(PIN)).turns[0].baselines).toHaveLength(5);
});

test('one replay does not show how an agent varies: fewer than two write nothing', async () => {
  await using project = await projectWith({ sessions: { one: 'second fails' }, config: { runs: 2 } });
  await run(project);
  const before = await project.read(PIN);
  const { code, stderr } = await command(['accept', '--as-recordings'], { cwd: project.path });
  expect({ code, stderr }).toMatchInlineSnapshot(`
    {
      "code": 2,
      "stderr": "error: replays/one.session.json, turn 1 is left as it is: only one of its replays could be compared, and one does not show how the agent varies. (RUN_NOT_VERIFIED)
      RESPONSE_STATUS: The agent answered with status 500: it failed.
      -> Run it again with --runs 5 or more.
    ",
    }
  `);
  const recorded = await command(['pin', PIN, '--runs', '1', '--yes'], { cwd: project.path });
  expect(recorded.stderr).toMatchInlineSnapshot(`
    "error: With --runs 1 there is one more recording, and one does not show how the agent varies. (USAGE)
      -> Run it again with --runs 5 or more.
    "
  `);
  expect(recorded.code).toBe(2);
  expect(await project.read(PIN)).toBe(before);
});

test('--as-recordings keeps what could be compared, and never a replay that failed', async () => {
  await using project = await projectWith({ sessions: { one: 'second fails' }, config: { runs: 3 } });
  expect(await run(project)).toBe(1);
  expect((await command(['accept', '--as-recordings'], { cwd: project.path })).code).toBe(0);
  const [turn] = JSON.parse(await project.read(PIN)).turns;
  expect(turn.baselines.map(({ made }: { made: { run: number } }) => made.run)).toEqual([1, 3]);
});

test('nothing is accepted from replays that could not be compared', async () => {
  await using project = await projectWith({
    sessions: { one: 'untraced' },
    config: { timeouts: { trace: 200 } },
  });
  expect((await command(['run'], { cwd: project.path })).code).toBe(2);
  const { code, stderr } = await command(['accept'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stderr).toContain('none of its replays could be compared');
  expect(stderr).toContain('RUN_NOT_VERIFIED');
  expect(stderr).toContain('TRACE_MISSING');
});

test('what is redacted in a pin stays redacted when it is accepted', async () => {
  await using project = await projectWith({ sessions: { one: 'mail jo@example.com' } });
  const pin = JSON.parse(await project.read(PIN));
  await writeFile(`${project.path}/${PIN}`, JSON.stringify({ ...pin, redacted: { personal: true, request: false } }));
  expect(await run(project)).toBe(1);
  expect((await command(['accept'], { cwd: project.path })).code).toBe(0);
  const written = JSON.parse(await project.read(PIN));
  expect(written.redacted).toEqual({ personal: true, request: false });
  expect(written.turns[0].request.input).toContain('jo@example.com');
  expect(JSON.stringify(written.turns[0].recorded)).not.toContain('jo@example.com');
});

test('a report that is not there, and a pin that it does not tell of: exit 2', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  expect(await command(['accept'], { cwd: project.path })).toMatchObject({ code: 2 });
  await run(project);
  const other = await command(['accept', '--pin', 'replays/x.session.json'], { cwd: project.path });
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('is not in') });
});
