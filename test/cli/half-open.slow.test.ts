import { expect, test } from 'vitest';
import { command, start } from './command.ts';
import { fixture, projectWith } from './project.ts';

const OPEN = '/v1/metrics /v1/logs /api/public/otel/v1/metrics /api/public/otel/v1/logs';
const TRACES = '/api/public/otel/v1/traces';

function projectOf(env: Record<string, string>) {
  const agent = { command: fixture('half-open-agent.ts'), env };
  return projectWith({ sessions: { a: 'a' }, config: { timeouts: { trace: 3_000 } }, agent });
}

test.each([
  ['without a key', { HALF: OPEN }],
  ['with the key of the run', { HALF: TRACES, KEYED: '1' }],
  ['900 at once', { HALF: TRACES, KEYED: '1', TIMES: '900' }],
])('fault 132: a request that never ends, %s, holds a run no longer than its deadlines', async (_, env) => {
  await using project = await projectOf(env);
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('1 of 1 session as recorded');
  expect(code).toBe(0);
  expect(project.leftovers()).toEqual([]);
});

test('fault 71 and 132: SIGINT beside a request that never ends leaves a report', async () => {
  await using project = await projectOf({ HALF: `${OPEN} ${TRACES}`, KEYED: '1' });
  const running = start(['run', '--runs', '50', '--workers', '1'], { cwd: project.path });
  await running.printed(/asked: a/);
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  expect((await project.report()).results.status).toBe('interrupted');
});
