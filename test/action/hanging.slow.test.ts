import { expect, test } from 'vitest';
import { projectWith } from '../cli/project.ts';
import { FakeGitHub } from './github.ts';
import { pullRequest, runAction } from './step.ts';

test('a GitHub that never answers costs the comment, and nothing else', async () => {
  await using github = await FakeGitHub.start();
  github.faults.viewer = Array(9).fill({ hangs: true });
  await using project = await projectWith({ sessions: { one: 'a' } });
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ level: 'notice' }], leftovers: [] });
});
