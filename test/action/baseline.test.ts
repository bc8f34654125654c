import path from 'node:path';
import { expect, test } from 'vitest';
import { readBaseline } from '../../action/baseline.ts';
import { type Origin, sealReport } from '../../action/origin.ts';
import { folderWith } from '../config/folder.ts';
import { patience } from '../patience.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { renderJson } from '../report/rendered.ts';
import { FakeGitHub, TOKEN } from './github.ts';

const [OLD, BASE, LATER] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];
const NIGHTLY: Origin = {
  repository: 'Codertocat/Hello-World',
  pullRequest: null,
  branch: 'main',
  headSha: OLD,
  runId: 1,
  runAttempt: 1,
};

/** Reads a baseline of such an origin, for a pull request to main whose merge is of BASE. */
async function read(change: Partial<Origin> = {}, given: { token?: string | undefined } = { token: TOKEN }) {
  await using github = await FakeGitHub.start();
  github.commits.push(OLD, BASE, LATER);
  await using folder = await folderWith({ 'report.json': renderJson(REPORTS.passed) });
  await sealReport(folder.path, { ...NIGHTLY, ...change });
  const about = { repository: 'Codertocat/Hello-World', branch: 'main', commit: BASE, token: given.token };
  const signal = patience();
  return await readBaseline(path.join(folder.path, 'report.json'), { ...about, env: github.env, signal });
}

test('an earlier report of the base branch is the baseline', async () => {
  expect(await read()).toEqual({ report: REPORTS.passed });
  expect(await read({ headSha: BASE })).toEqual({ report: REPORTS.passed });
});

test.for<[Partial<Origin>, string]>([
  [{ repository: 'stranger/Hello-World' }, 'it is of another repository'],
  [{ branch: 'feature' }, 'it is of another branch'],
  [{ branch: null }, 'it is of another branch'],
  [{ pullRequest: 7, branch: null }, 'it is of a pull request'],
  [{ headSha: LATER }, 'its commit is not an ancestor of this one'],
  [{ headSha: 'd'.repeat(40) }, 'its commit could not be looked up: the token cannot see it (404)'],
])('a report that claims %j is no baseline', async ([change, why]) => {
  expect(await read(change)).toEqual({ trouble: expect.stringContaining(why) });
});

test('a commit that nobody may look up is not taken for an earlier one', async () => {
  expect(await read({}, { token: undefined })).toEqual({ trouble: expect.stringContaining('"github-token" is empty') });
});

test('a report of which nobody says where it comes from is no baseline', async () => {
  await using folder = await folderWith({ 'report.json': renderJson(REPORTS.passed) });
  const about = { repository: 'a/b', branch: 'main', commit: BASE, token: TOKEN, env: {} };
  const signal = patience();
  expect(await readBaseline(path.join(folder.path, 'report.json'), { ...about, signal })).toEqual({
    trouble: expect.stringContaining('There is no origin.json'),
  });
});
