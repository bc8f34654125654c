import { expect, test } from 'vitest';
import { projectWith } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { type Found, tell } from './findings.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { jobIn, pullRequest, runAction, type StepOptions, schedule } from './step.ts';

const PASSING: Found = { prefix: '' };
const NEXT_SHA = 'a'.repeat(40);

/** The pull request after one more commit. */
const pushed = (sha = NEXT_SHA) =>
  pullRequest(({ pull_request }) => {
    pull_request.head.sha = sha;
  });
const headings = ({ comments }: FakeGitHub) => comments.map(({ body }) => body.split('\n')[1]);
const DIVERGED = '### ✘ agent-replay: 1 of 1 session changed';
const UNSEEN = `### … agent-replay: no result of run 7 (${NEXT_SHA.slice(0, 7)}) yet`;

/** A run of a job before an edit of its workflow, which passes, and one after it, which fails. */
async function edited(before: StepOptions, after: StepOptions): Promise<FakeGitHub> {
  const github = await FakeGitHub.start();
  await tell(PASSING, { event: pullRequest(), github, ...before });
  const env = { GITHUB_RUN_ID: String(RUN.id + 1), ...after.env };
  await tell({}, { event: pushed(), github, ...after, env });
  return github;
}

test.for<[string, StepOptions]>([
  ['a step that got an id', { env: { GITHUB_ACTION: 'replay' } }],
  ['a renamed job', { env: { GITHUB_JOB: 'check' } }],
  ['a renamed workflow', { env: { GITHUB_WORKFLOW: 'checks' } }],
  ['another file', { env: { GITHUB_WORKFLOW_REF: 'o/r/.github/workflows/other.yml@refs/pull/2/merge' } }],
  ['an added "set"', { inputs: { set: 'timeouts.call=60000' } }],
  ['a folder of reports', { inputs: { 'output-dir': 'out' } }],
])('%s inside the pull request keeps the comment, with the result of its new commit', async ([, after]) => {
  await using github = await edited({ env: { GITHUB_ACTION: '__self', GITHUB_WORKFLOW: 'agent' } }, after);
  expect(headings(github)).toEqual([DIVERGED]);
});

test.for<[string, StepOptions['inputs'], string[]]>([
  ['an added "name"', { name: 'small' }, [UNSEEN, `${DIVERGED} (small)`]],
  ['an added matrix', { leg: '{"model":"small"}' }, [UNSEEN, `${DIVERGED} (small)`]],
  ['an added "group"', { group: 'models' }, ['### ✘ agent-replay: 1 of 1 leg diverged (models)']],
])('%s inside the pull request leaves no old tick', async ([, inputs, expected]) => {
  await using github = await edited({}, { inputs });
  expect(headings(github)).toEqual(expected);
  const [older] = github.comments;
  if (expected.length > 1)
    expect(older?.body).toContain('<details><summary>Commit ec26c3e: 1 of 1 session as recorded</summary>');
});

test('reports of one run that nothing tells apart stand in one comment, the worst on top, with the advice to name them', async () => {
  await using github = await FakeGitHub.start();
  const reusable = { event: pullRequest(), github };
  await tell({}, reusable);
  await tell(PASSING, reusable);
  await tell(PASSING, reusable);
  expect(headings(github)).toEqual(['### ✘ agent-replay: 1 of 3 reports diverged, 2 passed']);
  const [{ body = '' } = {}] = github.comments;
  expect(body).toContain('Give each of them an input `name`');
  expect(body.match(/<summary>. <b>replay/g)).toEqual(['✘', '✔', '✔'].map((sign) => `<summary>${sign} <b>replay`));
  // A rerun of one job that passed hides nothing.
  await tell(PASSING, { ...reusable, env: { GITHUB_RUN_ATTEMPT: '2' } });
  expect(headings(github)).toEqual(['### ✘ agent-replay: 1 of 3 reports diverged, 2 passed']);
  for (let left = 0; left < 2; left++) await tell(PASSING, { ...reusable, env: { GITHUB_RUN_ATTEMPT: '2' } });
  expect(headings(github)).toEqual(['### ✔ agent-replay: 3 of 3 reports passed']);
});

test('two workflow files of one name hide nothing from each other, and each rerun replaces its own report', async () => {
  await using github = await FakeGitHub.start();
  const of = (file: string, later: number, attempt = '1') => ({
    GITHUB_WORKFLOW_REF: `o/r/.github/workflows/${file}.yml@refs/pull/2/merge`,
    GITHUB_RUN_ID: String(RUN.id + later),
    GITHUB_RUN_ATTEMPT: attempt,
  });
  await tell({}, { event: pullRequest(), github, env: of('a', 0) });
  await tell(PASSING, { event: pullRequest(), github, env: of('b', 1) });
  expect(headings(github)).toEqual(['### ✘ agent-replay: 1 of 2 reports diverged, 1 passed']);
  await tell(PASSING, { event: pullRequest(), github, env: of('a', 0, '2') });
  expect(headings(github)).toEqual(['### ✔ agent-replay: 2 of 2 reports passed']);
});

test('a run says first that it replays its commit, and its post step says when it ended without a result', async () => {
  await using github = await FakeGitHub.start();
  await tell(PASSING, { event: pullRequest(), github, inputs: { name: 'other' } });
  await using project = await projectWith({ sessions: { one: 'hang' } });
  await tell(PASSING, { event: pullRequest(), github });
  await using job = await jobIn(project, { event: pushed(), github, env: { GITHUB_RUN_ID: String(RUN.id + 1) } });
  const step = await job.main();
  const { promise: told, resolve } = Promise.withResolvers<void>();
  github.before = () => {
    if (headings(github).every((heading) => heading?.startsWith('### …'))) resolve();
  };
  await told;
  expect(headings(github)).toEqual([`${UNSEEN} (other)`, '### … agent-replay: replaying <code>aaaaaaa</code>']);
  expect(github.comments[1]?.body).toContain('The result below is of ec26c3e.');
  step.kill();
  await step.finished;
  expect(headings(github)[1]).toBe('### … agent-replay: replaying <code>aaaaaaa</code>');
  await job.post();
  expect(headings(github)[1]).toBe('### ! agent-replay: the run of <code>aaaaaaa</code> ended without a result');
  expect(github.comments[1]?.body).toContain('Commit ec26c3e: 1 of 1 session as recorded');
});

test('a nightly that could not run for two nights has an issue with the reason, which the next sound night closes', async () => {
  await using github = await FakeGitHub.start();
  await using broken = await folderWith({});
  const night = (run: number) => ({
    ...{ event: schedule(), github, inputs: { issue: 'true', config: 'nowhere.ts' } },
    env: { GITHUB_RUN_ID: String(run), GITHUB_WORKFLOW_REF: 'o/r/.github/workflows/nightly.yml@refs/heads/main' },
  });
  const ran = { workflow_id: 1, event: 'schedule', head_sha: 'a'.repeat(40), head_repository: null };
  github.runs.push({ ...ran, id: 1, conclusion: 'success' }, { ...ran, id: 2, conclusion: 'failure' });
  await runAction(broken, night(2));
  expect(github.issues).toEqual([]);
  const step = await runAction(broken, night(3));
  expect(step.outputs['issue-url']).toContain('/issues/10');
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('There is no configuration')]);
  await tell(PASSING, { ...night(4), inputs: { issue: 'true' } });
  expect(github.issues).toMatchObject([{ state: 'closed', state_reason: 'completed' }]);
});
