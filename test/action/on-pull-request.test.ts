import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkoutWith, type Found, tell } from './findings.ts';
import { FakeGitHub } from './github.ts';
import { pullRequest } from './step.ts';

const NOTICE = { level: 'notice', title: 'agent-replay' };
const PASSING: Found = { prefix: '' };

test('a pull request gets one comment of each job and each leg of a matrix, and its address is an output', async () => {
  await using github = await FakeGitHub.start();
  const step = await tell(PASSING, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [] });
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('1 of 1 session reproduced')]);
  expect(step.outputs['comment-url']).toBe(
    `https://github.com/Codertocat/Hello-World/pull/2#issuecomment-${github.comments[0]?.id}`,
  );
  await tell(PASSING, { event: pullRequest(), github, inputs: { 'comment-key': '{"model":"small"}' } });
  await tell(PASSING, { event: pullRequest(), github, env: { GITHUB_JOB: 'nightly' } });
  expect(github.comments).toHaveLength(3);
});

test('fault 39, 67: a comment that cannot be written costs one notice, of which nothing is a word of GitHub', async () => {
  await using github = await FakeGitHub.start();
  github.faults.viewer = [{ status: 403 }];
  const step = await tell({}, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 1, outputs: { status: 'failed', 'comment-url': '' } });
  expect(step.annotations.filter(({ level }) => level === 'notice')).toMatchObject([
    { ...NOTICE, message: expect.stringContaining('(403)') },
  ]);
  expect(step.rawLog).not.toMatch(/authorization|Resource not accessible|token gh/i);
  expect(step.summary.text).toContain('1 of 1 session diverged');
});

test('a baseline that is not there yet is a notice; one that is there is read', async () => {
  await using checkout = await checkoutWith(PASSING);
  const missing = await checkout.tell({ inputs: { 'baseline-report': 'nowhere.json' } });
  expect(missing.annotations).toContainEqual({
    ...NOTICE,
    message: expect.stringContaining('no "baseline-report" yet'),
  });
  const report = await readFile(path.join(checkout.path, '.agent-replay/report.json'), 'utf8');
  await using later = await checkoutWith({}, { 'base/report.json': report });
  const told = await later.tell({ inputs: { 'baseline-report': 'base/report.json' } });
  expect(told.summary.text).toContain('Since the base branch: 1 newly diverging');
});

test.for([
  ['deleted', null],
  ['of a stranger', { full_name: 'stranger/Hello-World' }],
] as const)('fault 38, 46: nothing is asked of GitHub for a pull request from a fork: %s', async ([, repo]) => {
  await using github = await FakeGitHub.start();
  const event = pullRequest(({ pull_request }) => {
    pull_request.head.repo = repo;
  });
  const step = await tell(PASSING, { event, github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ ...NOTICE, message: expect.stringContaining('fork') }] });
  expect(github.requests).toEqual([]);
  expect(step.summary.uploaded).toBe(true);
});
