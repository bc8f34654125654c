import { createHash } from 'node:crypto';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { pullRequest, runAction, workflowRun } from './step.ts';

const FORK = 'stranger/Hello-World';
const NOTICE = { level: 'notice', title: 'agent-replay' };

/** The output folder of the job without rights, as a real one left it: of a pull request from a fork. */
let sealed: Promise<Readonly<Record<string, string>>> | undefined;

function sealedFiles(): Promise<Readonly<Record<string, string>>> {
  sealed ??= (async () => {
    await using project = await projectWith({
      sessions: { one: 'a' },
      config: { runs: 4 },
      agent: { env: { PREFIX: 'x ' } },
    });
    const event = pullRequest(({ pull_request }) => {
      pull_request.head.repo = { full_name: FORK };
    });
    await runAction(project, { event });
    const names = ['report.json', 'origin.json'];
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await project.read(`.agent-replay/${name}`)])),
    );
  })();
  return sealed;
}

/** A workflow after it, with the artifact downloaded into `reports`, and GitHub knowing the pull request. */
async function afterIt(change: (files: Files) => Files = (files) => files) {
  const files = change({ ...(await sealedFiles()) });
  const github = await FakeGitHub.start();
  const { headSha } = JSON.parse((await sealedFiles())['origin.json'] ?? '');
  github.pulls.set(2, { state: 'open', head: { sha: headSha, repo: { full_name: FORK } } });
  const folder = await folderWith({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`reports/${name}`, text])),
    // Whoever loads a configuration here runs the code of a stranger.
    'agent-replay.config.js': "import { writeFileSync } from 'node:fs'; writeFileSync('owned', ''); export default {};",
  });
  const { env } = github;
  const publish = (event = workflowRun(headSha, FORK), inputs = {}) =>
    runAction(folder, { event, github, env, inputs: { mode: 'publish', ...inputs } });
  return {
    github,
    folder,
    headSha,
    publish,
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    },
  };
}

test('the report of a fork is shown on its pull request, and nothing of it is executed', async () => {
  await using it = await afterIt();
  const step = await it.publish();
  expect(step).toMatchObject({ exitCode: 0, annotations: [], leftovers: [], outputs: { status: 'failed' } });
  expect(it.github.comments).toMatchObject([{ issue: 2, body: expect.stringContaining('1 of 1 session changed') }]);
  expect(step.outputs['comment-url']).toContain('/pull/2#issuecomment-');
  expect(step.summary.text).toContain('1 of 1 session changed');
  await expect(readFile(path.join(it.folder.path, 'owned'))).rejects.toThrow('ENOENT');

  await it.publish();
  expect(it.github.comments).toHaveLength(1);
});

test.for([
  ['another pull request of somebody else', { pullRequest: 3 }, 'it is of another pull request'],
  ['a pull request that is not there', { pullRequest: 99 }, 'its pull request does not exist'],
  ['another repository', { repository: 'other/place' }, 'it is of another repository'],
  ['another run', { runId: 1 }, 'it is of another run'],
  ['another attempt', { runAttempt: 2 }, 'it is of another attempt of the run'],
  ['another commit', { headSha: 'f'.repeat(40) }, 'it is of another commit'],
] as const)('a report that claims to be of %s is refused, and nothing is written', async ([, claim, mistake]) => {
  await using it = await afterIt((files) => {
    const origin = { ...JSON.parse(files['origin.json'] ?? ''), ...claim };
    return { ...files, 'origin.json': JSON.stringify(origin) };
  });
  it.github.pulls.set(3, { state: 'open', head: { sha: it.headSha, repo: { full_name: 'victim/Hello-World' } } });
  const step = await it.publish();
  expect(step).toMatchObject({ exitCode: 2, outputs: { status: 'error' } });
  expect(step.annotations).toMatchObject([{ level: 'error', message: expect.stringContaining(mistake) }]);
  expect(step.summary.text).toBe('');
  expect(it.github.comments).toEqual([]);
});

test('a number that GitHub does not name for the run is refused before anything is asked', async () => {
  await using it = await afterIt();
  const step = await it.publish(workflowRun(it.headSha, FORK, { pull_requests: [{ number: 8 }] }));
  expect(step.annotations).toMatchObject([{ message: expect.stringContaining('it is of another pull request') }]);
  expect(it.github.requests).toEqual([]);
});

type Files = Record<string, string>;

test.for<[string, (files: Files) => Files, string]>([
  [
    'a changed report',
    (files) => ({ ...files, 'report.json': `${files['report.json']} ` }),
    'is not the one that origin',
  ],
  [
    'a report without origin',
    ({ 'report.json': report = '' }) => ({ 'report.json': report }),
    'There is no origin.json',
  ],
  ['an origin that says nothing', (files) => ({ ...files, 'origin.json': '{"version":1}' }), 'does not say'],
  [
    'a report that is none',
    (files) => resealed(files, '{"version":1,"results":{}}'),
    'is not a report of agent-replay',
  ],
  ['a report too deep to read', (files) => resealed(files, '['.repeat(100_000)), 'is not valid JSON'],
])('%s is refused', async ([, change, message]) => {
  await using it = await afterIt(change);
  const step = await it.publish();
  expect(step).toMatchObject({
    exitCode: 2,
    annotations: [{ level: 'error', message: expect.stringContaining(message) }],
  });
  expect(it.github.requests).toEqual([]);
});

function resealed(files: Files, report: string): Files {
  const digest = createHash('sha256').update(report).digest('hex');
  return {
    'report.json': report,
    'origin.json': JSON.stringify({ ...JSON.parse(files['origin.json'] ?? ''), files: { 'report.json': digest } }),
  };
}

test('fault 53: a report that is a link to another file is not read', async () => {
  await using it = await afterIt();
  const file = path.join(it.folder.path, 'reports/report.json');
  await rm(file);
  await writeFile(path.join(it.folder.path, 'secret'), 'canary');
  await symlink('../secret', file);
  const step = await it.publish();
  expect(step.annotations).toMatchObject([{ message: expect.stringContaining('report.json is a link') }]);
  expect(step.log).not.toContain('canary');
});

test.for([
  ['has newer commits', { state: 'open', head: { sha: 'e'.repeat(40), repo: { full_name: FORK } } }],
  ['is closed', { state: 'closed', head: { sha: '', repo: { full_name: FORK } } }],
] as const)('a pull request that %s gets no comment, and a notice says so', async ([message, pull]) => {
  await using it = await afterIt();
  it.github.pulls.set(2, { ...pull, head: { ...pull.head, sha: pull.head.sha || it.headSha } });
  const step = await it.publish();
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ ...NOTICE, message: expect.stringContaining(message) }] });
  expect(step.summary.text).toBe('');
  expect(it.github.comments).toEqual([]);
});

test('where the other workflow left no report, nothing is published, and the step is green', async () => {
  await using it = await afterIt(() => ({}));
  const step = await it.publish();
  expect(step).toMatchObject({
    exitCode: 0,
    annotations: [{ ...NOTICE, message: expect.stringContaining('no report') }],
  });
  expect(it.github.comments).toEqual([]);
});

test('where no report came of the new commit, the comment of the one before loses its tick', async () => {
  await using it = await afterIt();
  await it.publish();
  await using later = await afterIt(() => ({}));
  later.github.comments.push(...it.github.comments);
  const sha = 'e'.repeat(40);
  later.github.pulls.set(2, { state: 'open', head: { sha, repo: { full_name: FORK } } });
  const run = { id: RUN.id + 1, conclusion: 'cancelled', head_branch: 'changes' };
  const step = await later.publish(workflowRun(sha, FORK, run));
  expect(step.annotations).toMatchObject([{ message: expect.stringContaining('it ended as cancelled') }]);
  expect(later.github.comments[0]?.body.split('\n')[1]).toBe('### … agent-replay: no result of run 7 (eeeeeee) yet');
});

test('after a workflow that ran on something else than a pull request nothing is published', async () => {
  await using it = await afterIt();
  const step = await it.publish(workflowRun(it.headSha, FORK, { event: 'push' }));
  expect(step).toMatchObject({ exitCode: 0, annotations: [NOTICE] });
  expect(it.github.requests).toEqual([]);
});
