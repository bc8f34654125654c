import { expect, test } from 'vitest';
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
  ['reset', { code: 'CALL_FAILED', status: undefined, first: 'reason: ' }],
  ['garbage', { code: 'RESPONSE_NOT_JSON', status: 200, first: 'body: <html>oops' }],
])(
  'fault 14, 15, 20 and 24: an agent that fails every call (%s) does not pass, however complete its traces',
  async (fails, expected) => {
    await using project = await failing({ FAILS: fails }, { call: fails === 'never' ? 3_000 : 30_000 });
    const { code, stdout } = await command(['run'], { cwd: project.path });
    expect(code).toBe(2);
    expect(stdout).not.toContain('as recorded in every run');
    const { results, evidence } = await project.report();
    expect(results).toMatchObject({ status: 'error', sessions: [{ verdict: 'inconclusive' }] });
    expect(evidence.runs.map(({ status, error }) => ({ status, code: error?.code }))).toEqual(
      [1, 2].map(() => ({ status: expected.status, code: expected.code })),
    );
    const [first = '', log = ''] = [expected.first, 'agent: Error: the till is jammed'];
    for (const file of ['report.md', 'junit.xml', 'report.html']) {
      const text = await project.read(`.agent-replay/${file}`);
      expect(text).toContain(expected.code);
      expect(text).toContain(log);
    }
    const story = stdout.slice(stdout.indexOf('? order: inconclusive'));
    expect(story.indexOf(expected.code)).toBeGreaterThan(0);
    expect(story.indexOf(first)).toBeGreaterThan(story.indexOf(expected.code));
    expect(story.indexOf(log)).toBeGreaterThan(0);
    expect(story.indexOf('not verified')).toBeGreaterThan(story.indexOf(log));
  },
);

test.concurrent('a crash with a trace of its own is no divergence', async () => {
  await using project = await failing({ FAILS: '500', CRASHES: '1' });
  const { code } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  const { results } = await project.report();
  expect(results.sessions).toMatchObject([
    { verdict: 'inconclusive', turns: [{ comparison: { divergence: null }, problems: [{ code: 'RESPONSE_STATUS' }] }] },
  ]);
});
