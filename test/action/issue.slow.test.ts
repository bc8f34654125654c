import { expect, test } from 'vitest';
import { type Found, tell } from './findings.ts';
import { FakeGitHub, type StoredIssue } from './github.ts';
import { pullRequest, schedule } from './step.ts';

/** One night. */
function night(github: FakeGitHub, found: Found = {}) {
  return tell(found, { event: schedule(), github, inputs: { issue: 'true' } });
}

const asRecorded = { prefix: '' };

test('fault 45: a divergence has one issue: opened, updated, closed on recovery, reopened on a relapse', async () => {
  await using github = await FakeGitHub.start();
  const first = await night(github);
  expect(first).toMatchObject({ exitCode: 1, outputs: { status: 'failed' } });
  expect(github.issues).toMatchObject([
    {
      title: 'The agent diverges: one, turn 1, step 1: argument',
      state: 'open',
      labels: ['agent-replay'],
      body: expect.stringContaining('argument /text of lookup'),
    },
  ]);
  expect(first.outputs['issue-url']).toBe('https://github.com/Codertocat/Hello-World/issues/10');

  const [issue] = github.issues as [StoredIssue];
  Object.assign(issue, { title: 'Renamed by somebody', labels: [] });
  await night(github);
  expect(github.issues).toMatchObject([{ title: 'Renamed by somebody', state: 'open' }]);
  expect(github.comments).toEqual([]);

  const healed = await night(github, asRecorded);
  expect(healed).toMatchObject({ exitCode: 0, outputs: { 'issue-url': '' } });
  expect(github.issues).toMatchObject([{ state: 'closed', state_reason: 'completed' }]);
  expect(github.comments).toMatchObject([{ issue: 10, body: expect.stringContaining('Reproduced again') }]);

  const relapse = await night(github);
  expect(github.issues).toMatchObject([{ state: 'open', state_reason: 'reopened' }]);
  expect(relapse.outputs['issue-url']).toContain('/issues/10');
  expect(github.count('open')).toBe(1);
});

test('fault 45: what a person closed stays closed, until it recovered in between', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  const [issue] = github.issues as [StoredIssue];
  issue.state = 'closed';
  await night(github);
  expect(github.issues).toMatchObject([{ state: 'closed' }]);
  await night(github, asRecorded);
  await night(github);
  expect(github.issues).toMatchObject([{ state: 'open' }]);
});

test('fault 45: several new divergences open one issue a night, which says that there are more', async () => {
  await using github = await FakeGitHub.start();
  const sessions = { one: 'a', two: 'b' };
  await night(github, { sessions });
  expect(github.issues.map(({ body }) => body)).toEqual([expect.stringContaining('1 more divergence is new')]);
  await night(github, { sessions });
  expect(github.issues).toHaveLength(2);
  await night(github, { sessions });
  expect(github.issues).toHaveLength(2);
});

test('fault 45: of two issues for one divergence the older stays open', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  const [issue] = github.issues as [StoredIssue];
  github.addIssue({ body: issue.body });
  await night(github);
  expect(github.issues.map(({ state }) => state)).toEqual(['open', 'closed']);
});

test('fault 45: two jobs that open one at the same time leave one', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  const [{ body }] = github.issues.splice(0) as [StoredIssue];
  github.before = (route) => {
    if (route !== 'open') return;
    github.before = undefined;
    github.addIssue({ body });
  };
  await night(github);
  expect(github.issues.map(({ state }) => state)).toEqual(['open', 'closed']);
});

test('the marker alone makes no issue ours', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  const [{ body }] = github.issues.splice(0) as [StoredIssue];
  const forged = github.addIssue({ body, user: { login: 'someone', type: 'User' } });
  await night(github, asRecorded);
  expect(forged.state).toBe('open');
  await night(github);
  expect(github.issues).toHaveLength(2);
});

test('what could not be told opens and closes nothing', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  const step = await night(github, { sessions: { one: 'untraced' } });
  expect(step.outputs.status).toBe('error');
  expect(github.issues).toMatchObject([{ state: 'open' }]);
  expect(github.count('open')).toBe(1);
});

test.for([true, false])('fault 40: after a 502 it is looked whether the issue is there: %j', async (takesEffect) => {
  await using github = await FakeGitHub.start();
  github.faults.open = [{ status: 502, takesEffect }];
  expect((await night(github)).annotations.filter(({ level }) => level === 'notice')).toEqual([]);
  expect(github.issues).toHaveLength(1);
});

test.for([403, 410])('fault 38, 39: status %i costs the issue, and nothing else', async (status) => {
  await using github = await FakeGitHub.start();
  github.faults.open = [{ status }];
  const step = await night(github);
  expect(step).toMatchObject({ exitCode: 1, outputs: { status: 'failed', 'issue-url': '' } });
  expect(step.annotations).toContainEqual(
    expect.objectContaining({ level: 'notice', message: expect.stringContaining(`(${status})`) }),
  );
});

test('fault 45: a label that cannot be had costs the label, and not the issue', async () => {
  await using github = await FakeGitHub.start();
  github.faults.open = [{ status: 422 }];
  await night(github);
  expect(github.issues).toMatchObject([{ state: 'open', labels: [] }]);
});

test('a pull request has no issue', async () => {
  await using github = await FakeGitHub.start();
  await tell({}, { event: pullRequest(), github, inputs: { issue: 'true' } });
  expect(github.issues).toEqual([]);
});
