import { expect, test } from 'vitest';
import { command } from './command.ts';
import { projectWith } from './project.ts';

test.each([1, 2, 5])(
  'one recording of one session, from %s replays on, cannot be tested by shift: could not tell, and never "as before"',
  async (runs) => {
    await using project = await projectWith({
      sessions: { one: 'fares to Rome' },
      config: { gate: 'shift', runs },
      agent: { env: { PREFIX: 'We are closed on Sundays. ' } },
    });
    const { code, stdout } = await command(['run'], { cwd: project.path });
    expect(stdout).not.toContain('as before');
    const text = stdout.replaceAll(/\s+/g, ' ');
    // A row of the table is broken into lines, beside which the runs are counted.
    expect(text).toContain('nothing was tested: 1 recording and 5 replays 5 of 5 tell no shift from chance');
    expect(text).toContain('no replay is as recorded. Record five');
    expect(code).toBe(2);
    const alike = await command(['run', '--set', 'agent.env.PREFIX='], { cwd: project.path });
    expect([alike.code, alike.stdout]).toEqual([0, expect.stringContaining('1 of 1 session as recorded')]);
  },
);

test('one recording of each of two sessions is enough after ten replays, if none of them does as recorded', async () => {
  await using project = await projectWith({
    sessions: { one: 'fares to Rome', two: 'fares to Oslo' },
    config: { gate: 'shift' },
    agent: { env: { PREFIX: 'We are closed on Sundays. ' } },
  });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(1);
  expect(stdout).toContain('All sessions together have shifted');
  expect((await project.report()).evidence.usage.calls).toBe(20);
});
