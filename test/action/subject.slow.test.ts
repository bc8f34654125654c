import { expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { fixture, projectWith } from '../cli/project.ts';
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
/** The same heading, of a subject. */
const about = (heading: string, subject: string) => heading.replace('agent-replay', `agent-replay for ${subject}`);

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
  ['an added "name"', { name: 'small' }, [UNSEEN, about(DIVERGED, 'small')]],
  ['an added matrix', { leg: '{"model":"small"}' }, [UNSEEN, about(DIVERGED, 'small')]],
  ['an added "group"', { group: 'models' }, ['### ✘ agent-replay for models: 1 of 1 check failed']],
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
  expect(headings(github)).toEqual(['### ✘ agent-replay: 1 of 3 checks failed, 2 passed']);
  const [{ body = '' } = {}] = github.comments;
  expect(body).toContain('Give each of them an input `name`');
  expect(body.match(/<summary>. <b>replay/g)).toEqual(['✘', '✔', '✔'].map((sign) => `<summary>${sign} <b>replay`));
  // A rerun of one job that passed hides nothing.
  await tell(PASSING, { ...reusable, env: { GITHUB_RUN_ATTEMPT: '2' } });
  expect(headings(github)).toEqual(['### ✘ agent-replay: 1 of 3 checks failed, 2 passed']);
  for (let left = 0; left < 2; left++) await tell(PASSING, { ...reusable, env: { GITHUB_RUN_ATTEMPT: '2' } });
  expect(headings(github)).toEqual(['### ✔ agent-replay: 3 of 3 checks passed']);
});

test('three agents through one reusable workflow have a comment each, and each rerun finds its own', async () => {
  await using github = await FakeGitHub.start();
  // Of a call to a reusable workflow the environment tells nothing but the run.
  const called = { event: pullRequest(), github, env: { GITHUB_JOB: 'replay', GITHUB_ACTION: '__self' } };
  const agents = ['billing', 'search', 'support'];
  for (const agent of agents) await tell({ agent, ...(agent !== 'search' && PASSING) }, called);
  const told = [
    ['✔', 'as recorded', 'billing'],
    ['✘', 'changed', 'search'],
    ['✔', 'as recorded', 'support'],
  ];
  const expected = told.map(([sign, what, agent]) => `### ${sign} agent-replay for ${agent}: 1 of 1 session ${what}`);
  expect(headings(github)).toEqual(expected);
  for (const agent of agents)
    await tell({ agent, ...PASSING }, { ...called, env: { ...called.env, GITHUB_RUN_ATTEMPT: '2' } });
  expect(headings(github)).toEqual(
    expected.map((heading) => heading.replace('✘', '✔').replace('changed', 'as recorded')),
  );
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
  expect(headings(github)).toEqual(['### ✘ agent-replay: 1 of 2 checks failed, 1 passed']);
  await tell(PASSING, { event: pullRequest(), github, env: of('a', 0, '2') });
  expect(headings(github)).toEqual(['### ✔ agent-replay: 2 of 2 checks passed']);
});

test.for([
  ['', {}],
  // Nobody can write there, as on a full disk.
  [', also where its files cannot be written', { RUNNER_TEMP: '/proc/self' }],
] as const)(
  'a run says first that it replays its commit, and its post step says when it ended without a result%s',
  async ([, where]) => {
    await using github = await FakeGitHub.start();
    await tell(PASSING, { event: pullRequest(), github, inputs: { name: 'other' } });
    await using project = await projectWith({ sessions: { one: 'hang' } });
    await tell(PASSING, { event: pullRequest(), github });
    await using job = await jobIn(project, {
      event: pushed(),
      github,
      env: { ...where, GITHUB_RUN_ID: String(RUN.id + 1) },
    });
    const step = await job.main();
    const { promise: told, resolve } = Promise.withResolvers<void>();
    github.before = () => {
      if (headings(github).every((heading) => heading?.startsWith('### …'))) resolve();
    };
    await told;
    expect(headings(github)).toEqual([about(UNSEEN, 'other'), '### … agent-replay: replaying <code>aaaaaaa</code>']);
    expect(github.comments[1]?.body).toContain('The result below is of ec26c3e.');
    step.kill();
    await step.finished;
    expect(headings(github)[1]).toBe('### … agent-replay: replaying <code>aaaaaaa</code>');
    await job.post();
    expect(headings(github)[1]).toBe('### ! agent-replay: the run of <code>aaaaaaa</code> ended without a result');
    expect(github.comments[1]?.body).toContain('Commit ec26c3e: 1 of 1 session as recorded');
  },
);

test('a nightly that could not run for two nights has an issue with the reason, which the next sound night closes', async () => {
  await using github = await FakeGitHub.start();
  await using broken = await folderWith({});
  const night = (run: number) => ({
    event: schedule(),
    github,
    inputs: { issue: 'true', config: 'nowhere.ts' },
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

test('two nightlies of one agent that differ by "start" and "url" have one issue, which is open until both are sound', async () => {
  await using github = await FakeGitHub.start();
  await using project = await projectWith({ sessions: { one: 'a' } });
  const night = async (run: number, prefixes: readonly string[]) => {
    for (const [at, prefix] of prefixes.entries()) {
      const port = String(await freePort());
      const start = `env PORT=${port} PREFIX="${prefix}" ${fixture('agent.ts')}`;
      const inputs = { issue: 'true', start, url: `http://127.0.0.1:${port}/replay` };
      const env = { GITHUB_JOB: `night-${at}`, GITHUB_RUN_ID: String(run) };
      await runAction(project, { event: schedule(), github, env, inputs });
    }
    return github.issues.map(({ state }) => state);
  };
  // The sound one reports first.
  expect(await night(1, ['', 'x '])).toEqual(['open']);
  expect(await night(2, ['', 'x '])).toEqual(['open']);
  expect(await night(3, ['', ''])).toEqual(['closed']);
  expect(github.comments.map(({ body }) => body[0])).toEqual(['✘', '✔']);
  expect(github.issues[0]?.body).toContain('give each an input `name`');
});

test('in a merge queue a divergence fails the check, and nothing is asked of GitHub or written there', async () => {
  await using github = await FakeGitHub.start();
  const event = { name: 'merge_group', payload: { merge_group: { head_sha: NEXT_SHA, base_sha: 'b'.repeat(40) } } };
  const inputs = { issue: 'true', history: 'branch:history' };
  const env = { GITHUB_REF: 'refs/heads/gh-readonly-queue/main/pr-2-b', GITHUB_SHA: NEXT_SHA };
  const step = await tell({}, { event, github, inputs, env });
  expect(step).toMatchObject({ exitCode: 1, outputs: { status: 'failed', 'comment-url': '', 'issue-url': '' } });
  expect(step.summary.text).toContain('1 of 1 session changed');
  expect([github.comments, github.issues, github.git.depthOf('history')]).toEqual([[], [], 0]);
  expect(await tell(PASSING, { event, github, inputs, env })).toMatchObject({ exitCode: 0 });
});

test('a run of Dependabot that lacks the key says where its secrets are, and a token that may not write costs one notice', async () => {
  await using github = await FakeGitHub.start();
  await using project = await projectWith({ sessions: { one: 'a' } });
  const env = { GITHUB_ACTOR: 'dependabot[bot]' };
  const step = await runAction(project, { event: pullRequest(), github, env, inputs: { start: 'exit 1' } });
  expect(step).toMatchObject({ exitCode: 2, outputs: { status: 'error' } });
  for (const text of [step.summary.text, github.comments[0]?.body]) {
    expect(text).toContain('This says nothing about your change');
    expect(text).toContain('under Settings › Secrets and variables › Dependabot');
  }
  github.faults.viewer = [{ status: 403 }];
  const refused = await tell(PASSING, { event: pullRequest(), github, env });
  expect(refused).toMatchObject({ exitCode: 0, outputs: { status: 'passed' } });
  expect(refused.annotations.map(({ level }) => level)).toEqual(['notice']);
});
