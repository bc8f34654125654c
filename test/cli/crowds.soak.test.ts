import { expect, test } from 'vitest';
import { command, start } from './command.ts';
import { fixture, projectWith } from './project.ts';

type Config = Parameters<typeof projectWith>[0]['config'];

/** Its agent begins a thousand requests that never end before it is ready, and again with each call. */
function crowded(config: Config) {
  const agent = { command: fixture('crowding-agent.ts'), env: { CROWD: '1000' } };
  const timeouts = { trace: 5_000, total: 60_000 };
  return projectWith({ sessions: { one: 'a', two: 'b' }, config: { workers: 1, timeouts, ...config }, agent });
}

test.each<[string, Config]>([
  ['the receiver', {}],
  ["the receiver and the tools' endpoint", { tools: 'recorded' }],
])(
  'fault 132: a thousand unfinished bodies at every stage, at %s, are no divergence and hold up no run',
  async (_, config) => {
    await using project = await crowded(config);
    // The agent's own spans find no connection.
    expect((await command(['run'], { cwd: project.path })).code).toBe(2);
    expect((await project.report()).results.status).toBe('error');
    expect(project.leftovers()).toEqual([]);
  },
);

test('fault 71 and 132: SIGINT amid a thousand unfinished bodies leaves a report', async () => {
  await using project = await crowded({});
  const running = start(['run'], { cwd: project.path });
  await running.printed(/asked: /);
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  expect((await project.report()).results.status).toBe('interrupted');
});
