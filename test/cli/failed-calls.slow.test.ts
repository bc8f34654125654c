import { expect, test } from 'vitest';
import { outcomes } from '../outcomes.ts';
import { command } from './command.ts';
import { type Project, projectWith } from './project.ts';

/** A project whose agent fails at every call, in this way. */
function failing(env: Record<string, string>, { call = 5_000 } = {}): Promise<Project> {
  return projectWith({ sessions: { order: 'hi' }, config: { timeouts: { call, trace: 2_000 } }, agent: { env } });
}

test.concurrent.each([
  ['500', { code: 'RESPONSE_STATUS', status: 500, first: 'body: {"error":"out of order"}' }],
  ['404', { code: 'RESPONSE_STATUS', status: 404, first: 'body: {"error":"out of order"}' }],
  ['never', { code: 'CALL_TIMEOUT', status: undefined, first: 'came: nothing' }],
  ['headers', { code: 'CALL_TIMEOUT', status: 200, first: 'came: ' }],
  ['drips', { code: 'CALL_TIMEOUT', status: 200, first: 'came: ' }],
  ['reset', { code: 'CALL_FAILED', status: undefined, first: 'reason: ' }],
  ['garbage', { code: 'RESPONSE_NOT_JSON', status: 200, first: 'body: <html>oops' }],
])(
  'fault 14, 15, 16, 17, 20 and 24: an agent that fails every call (%s) does not pass, however complete its traces',
  async (fails, expected) => {
    await using project = await failing({ FAILS: fails }, { call: expected.code === 'CALL_TIMEOUT' ? 3_000 : 30_000 });
    const { code, stdout } = await command(['run'], { cwd: project.path });
    expect(code).toBe(2);
    expect(stdout).not.toContain('as recorded in every run');
    const { results, evidence } = await project.report();
    expect(results).toMatchObject({ status: 'error', sessions: [{ verdict: outcomes.couldNotTell }] });
    expect(evidence.runs.map(({ status, error }) => ({ status, code: error?.code }))).toEqual(
      [1, 2].map(() => ({ status: expected.status, code: expected.code })),
    );
    const [first = '', log = ''] = [expected.first, 'agent: Error: the till is jammed'];
    for (const file of ['report.md', 'junit.xml', 'report.html']) {
      const text = await project.read(`.agent-replay/${file}`);
      expect(text).toContain(expected.code);
      expect(text).toContain(log);
    }
    const story = stdout.slice(stdout.indexOf(`\n${expected.code} 2 replays of order`));
    expect(story.indexOf(expected.code)).toBeGreaterThan(0);
    expect(story.indexOf(first)).toBeGreaterThan(story.indexOf(expected.code));
    expect(story.indexOf(log)).toBeGreaterThan(0);
    expect(story.lastIndexOf('could not tell')).toBeGreaterThan(story.indexOf(log));
  },
);

test.concurrent("a crash is nobody's original: not by accept, not as a recording, not run by run, not by pin --runs", async () => {
  await using project = await failing({ FAILS: '500', CRASHES: '1' });
  const pin = 'replays/order.session.json';
  const before = await project.read(pin);
  expect((await command(['run'], { cwd: project.path })).code).toBe(2);
  for (const how of [['--as-recordings'], ['--run', '1'], ['--force'], ['--pin', pin]]) {
    const { code, stderr } = await command(['accept', ...how], { cwd: project.path });
    expect({ how, code, stderr }).toEqual({ how, code: 2, stderr: expect.stringContaining('RUN_NOT_VERIFIED') });
    expect(stderr).toContain('RESPONSE_STATUS: The agent answered with status 500');
  }
  const recording = await command(['pin', pin, '--runs', '2', '--yes'], { cwd: project.path });
  expect(recording).toMatchObject({ code: 2, stderr: expect.stringContaining('RESPONSE_STATUS') });
  expect(await project.read(pin)).toBe(before);
});

test.concurrent('a run that failed beside others is refused by its number', async () => {
  await using project = await projectWith({ sessions: { order: 'second fails' }, agent: { env: { PREFIX: 'new ' } } });
  expect((await command(['run'], { cwd: project.path })).code).toBe(1);
  const { code, stderr } = await command(['accept', '--run', '2'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stderr).toContain('replays/order.session.json, turn 1 is left as it is: run 2 could not be compared.');
  expect(stderr).toContain('RESPONSE_STATUS');
  expect(await command(['accept'], { cwd: project.path })).toMatchObject({ code: 0 });
});

test.concurrent('a turn that ended in an error when it was recorded is as recorded with the same error', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  const root = { id: 'r', parentId: null, type: 'agent', name: 'turn', startTime: at, endTime: at };
  const recorded = { observations: [{ ...root, level: 'ERROR', statusMessage: 'the till is jammed' }] };
  const pin = { version: 1, id: 'jammed', turns: [{ request: { input: 'hi' }, recorded }] };
  await using project = await projectWith({
    files: { 'replays/jammed.session.json': JSON.stringify(pin) },
    agent: { env: { FAILS: '500', CRASHES: '1' } },
  });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toMatch(/^✔ passed: 1 of 1 session as recorded\n {2}2 calls/);
  expect(code).toBe(0);
  const { evidence } = await project.report();
  expect(evidence.runs).toMatchObject([1, 2].map(() => ({ status: 500, error: { code: 'RESPONSE_STATUS' } })));
});
