import { expect, test } from 'vitest';
import { checkoutWith, type Found, tell } from './findings.ts';
import { FakeGitHub } from './github.ts';
import { pullRequest, schedule } from './step.ts';

const PASSING: Found = { prefix: '' };
const BRANCH = { history: 'branch:agent/history' };

test('two subjects of one branch have a history each: one that fails stands in no line of the other', async () => {
  await using github = await FakeGitHub.start();
  await tell(PASSING, { event: schedule(), github, inputs: BRANCH });
  await tell({}, { event: schedule(), github, inputs: { ...BRANCH, name: 'large' } });
  const files = github.git.filesOf('agent/history');
  for (const [file, status] of [
    ['history.ndjson', 'passed'],
    ['large/history.ndjson', 'failed'],
  ] as const) {
    const [line = '', ...more] = files?.get(file)?.trim().split('\n') ?? [];
    expect([JSON.parse(line).status, more]).toEqual([status, []]);
  }
});

test('a branch keeps the history; it is made by the first run, and others may move it at the same time', async () => {
  await using github = await FakeGitHub.start();
  await tell(PASSING, { event: schedule(), github, inputs: BRANCH });
  const first = github.git.filesOf('agent/history');
  expect([...(first?.keys() ?? [])]).toContain('history.ndjson');
  // No session of it is judged by shift.
  expect(JSON.parse(first?.get('drift.json') ?? '')).toMatchObject({ label: 'drift', message: 'not tested' });
  github.before = (route) => {
    if (route !== 'move-ref') return;
    github.before = undefined;
    github.git.commit('agent/history', { 'history.ndjson': `${first?.get('history.ndjson')}not a run\n`, other: 'x' });
  };
  const step = await tell(PASSING, { event: schedule(), github, inputs: BRANCH });
  expect(step.annotations).toEqual([]);
  const files = github.git.filesOf('agent/history');
  expect(files?.get('history.ndjson')?.trim().split('\n')).toHaveLength(3);
  expect(files?.get('other')).toBe('x');
  expect(github.git.depthOf('agent/history')).toBe(3);
  expect(step.summary.text).toContain('Over time: 2 runs');
  expect(step.summary.text).toMatch(/✔ one +as recorded +\d\/\d .* ██\n/);
});

test('fault 142: two nightly runs that end at once keep a line each on the branch', async () => {
  await using github = await FakeGitHub.start();
  const nights = [1, 2].map(() => tell(PASSING, { event: schedule(), github, inputs: BRANCH }));
  for (const step of await Promise.all(nights)) expect([step.exitCode, step.annotations]).toEqual([0, []]);
  expect(linesOn(github)).toHaveLength(2);
});

test('fault 143: a history branch that is force-pushed meanwhile keeps what was pushed, and gets the run', async () => {
  await using github = await FakeGitHub.start();
  await tell(PASSING, { event: schedule(), github, inputs: BRANCH });
  const [line] = linesOn(github);
  github.git.commit('elsewhere', { 'history.ndjson': `${line}\n${line}\n` });
  github.before = (route) => {
    if (route !== 'move-ref') return;
    github.before = undefined;
    github.git.reset('agent/history', github.git.headOf('elsewhere') ?? '');
  };
  const step = await tell(PASSING, { event: schedule(), github, inputs: BRANCH });
  expect([step.exitCode, step.annotations]).toEqual([0, []]);
  expect(linesOn(github)).toEqual([line, line, expect.stringContaining('"passed"')]);
});

function linesOn(github: FakeGitHub): string[] {
  return github.git.filesOf('agent/history')?.get('history.ndjson')?.trim().split('\n') ?? [];
}

test('fault 38: a history that cannot be written costs a notice, and nothing else', async () => {
  await using github = await FakeGitHub.start();
  github.faults.tree = [{ status: 403 }];
  await using checkout = await checkoutWith(PASSING);
  const step = await checkout.tell({ event: schedule(), github, inputs: BRANCH });
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ message: expect.stringContaining('contents: write') }] });
});

test('a history on a protected branch costs a notice that says what may keep it from being written', async () => {
  await using github = await FakeGitHub.start();
  github.git.commit('agent/history', { other: 'x' });
  github.faults['move-ref'] = Array(4).fill({ status: 422, message: 'Changes must be made through a pull request.' });
  const step = await tell(PASSING, { event: schedule(), github, inputs: BRANCH });
  const message = expect.stringContaining('(422). A rule of the repository may protect the branch.');
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ level: 'notice', message }] });
});

test('a history that GitHub does not return is none that is missing: it stays as it is, with a notice', async () => {
  await using github = await FakeGitHub.start();
  const before = '\n'.repeat(2 ** 20 + 1);
  github.git.commit('agent/history', { 'history.ndjson': before });
  const step = await tell(PASSING, { event: schedule(), github, inputs: BRANCH });
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ message: expect.stringContaining('history') }] });
  expect(github.git.filesOf('agent/history')?.get('history.ndjson') === before).toBe(true);
});

test('a pull request is not noted down', async () => {
  await using github = await FakeGitHub.start();
  await tell(PASSING, { event: pullRequest(), github, inputs: BRANCH });
  expect(github.git.filesOf('agent/history')).toBeUndefined();
});
