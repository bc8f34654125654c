import { expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectOf, type Scripted } from './recorded.ts';

test('no result of one session reaches another, with 16 workers and equal arguments', async () => {
  const sessions = Object.fromEntries(
    Array.from({ length: 16 }, (_, session) => {
      const call = (nth: number): Scripted => [
        'lookup',
        { order: 'A1' },
        { did: `answer ${nth} of session ${session}` },
      ];
      return [`s${session}`, [[call(0)], [call(1)], [call(2)]]];
    }),
  );
  await using project = await projectOf(sessions, { tools: 'recorded', workers: 16, runs: 5 });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toContain('16 of 16 sessions as recorded');
  expect(stdout).toContain('240 of 240 tool results from the recording');
  expect(code).toBe(0);
  expect(await project.acted()).toEqual([]);
});
