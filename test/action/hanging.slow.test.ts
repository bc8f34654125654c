import { expect, test } from 'vitest';
import { projectWith } from '../cli/project.ts';
import { FakeGitHub } from './github.ts';
import { jobIn, pullRequest, runAction } from './step.ts';

test('a GitHub that never answers costs the comment, and nothing else', async () => {
  await using github = await FakeGitHub.start();
  github.faults.viewer = Array(9).fill({ hangs: true });
  await using project = await projectWith({ sessions: { one: 'a' } });
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ level: 'notice' }], leftovers: [] });
});

const LIMIT = { status: 429 };
const REPLAYING = '### … agent-replay: replaying <code>ec26c3e</code>';

test.concurrent.for([
  {
    name: 'gives it the last word when GitHub takes it again',
    limits: 2,
    heading: '### ✔ agent-replay: 1 of 1 session as recorded',
    last: '',
  },
  {
    name: 'says that it stands if GitHub never does',
    limits: 100,
    heading: REPLAYING,
    last: '::warning title=agent-replay::The comment is not up to date: the request limit of the token is reached (429). A later run tries again. See the job summary. It may say for ever that this run replays: run the job again when GitHub answers.',
  },
])('of a comment that says that a run replays the post step $name', async ({ limits, heading, last }) => {
  await using github = await FakeGitHub.start();
  github.faults.update = Array(limits).fill(LIMIT);
  await using project = await projectWith({ sessions: { one: 'a' } });
  await using job = await jobIn(project, { event: pullRequest(), github });
  const { exitCode, annotations } = await (await job.main()).finished;
  expect({ exitCode, annotations }).toMatchObject({
    exitCode: 0,
    annotations: [{ level: 'notice', message: expect.stringContaining('The post step of the job tries again.') }],
  });
  const head = () => github.comments.map(({ body }) => body.split('\n')[1]);
  expect(head()).toEqual([REPLAYING]);
  const { exitCode: ended, rawLog } = await job.post();
  expect({ ended, head: head(), last: rawLog.trim() }).toEqual({ ended: 0, head: [heading], last });
});
