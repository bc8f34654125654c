import { expect, test } from 'vitest';
import { keepIssues } from '../../action/issue.ts';
import type { Report } from '../../src/rims.ts';
import { patience } from '../patience.ts';
import { report, SESSIONS, session, turn } from '../report/fixtures/reports.ts';
import { FakeGitHub, type Fault, type StoredIssue, TOKEN } from './github.ts';

const { changed } = SESSIONS;
const DIVERGED = report([changed]);
const sound = (name: string) => session(name, { turns: [turn({ verdict: 'reproduced' })] });
const RECOVERED = report([sound('change-payment')]);
const RECOVERED_BOTH = report([sound('change-payment'), sound('other')]);
const UNKNOWN = report([{ ...SESSIONS.inconclusive, id: changed.id, pin: changed.pin }]);
const TWO = report([changed, session('other', { turns: changed.turns })]);

/** One night, on main. */
function night(github: FakeGitHub, found: Report = DIVERGED, branch = 'main') {
  return keepIssues(found, {
    repository: 'Codertocat/Hello-World',
    token: TOKEN,
    subject: 'agent',
    branch,
    runUrl: 'https://github.com/Codertocat/Hello-World/actions/runs/1',
    env: github.env,
    signal: patience(),
  });
}

test('fault 45: a divergence has one issue: opened, updated, closed on recovery, reopened on a relapse', async () => {
  await using github = await FakeGitHub.start();
  const first = await night(github);
  expect(github.issues).toMatchObject([
    {
      title: 'The agent diverges: change-payment, turn 1, step 4: argument',
      state: 'open',
      labels: ['agent-replay'],
      body: expect.stringContaining('argument /payment_id of update_reservation'),
    },
  ]);
  expect(first).toEqual({ url: 'https://github.com/Codertocat/Hello-World/issues/10' });

  const [issue] = github.issues as [StoredIssue];
  Object.assign(issue, { title: 'Renamed by somebody', labels: [] });
  await night(github);
  expect(github.issues).toMatchObject([{ title: 'Renamed by somebody', state: 'open' }]);
  expect(github.comments).toEqual([]);

  const healed = await night(github, RECOVERED);
  expect(healed).toEqual({});
  expect(github.issues).toMatchObject([{ state: 'closed', state_reason: 'completed' }]);
  expect(github.comments).toMatchObject([{ issue: 10, body: expect.stringContaining('Reproduced again') }]);

  const relapse = await night(github);
  expect(github.issues).toMatchObject([{ state: 'open', state_reason: 'reopened' }]);
  expect(relapse.url).toContain('/issues/10');
  expect(github.count('open')).toBe(1);
});

test('fault 45: what a person closed stays closed, until it recovered in between', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  const [issue] = github.issues as [StoredIssue];
  issue.state = 'closed';
  await night(github);
  expect(github.issues).toMatchObject([{ state: 'closed' }]);
  await night(github, RECOVERED);
  await night(github);
  expect(github.issues).toMatchObject([{ state: 'open' }]);
});

test('fault 45: several new divergences open one issue a night, which says that there are more', async () => {
  await using github = await FakeGitHub.start();
  await night(github, TWO);
  expect(github.issues.map(({ body }) => body)).toEqual([expect.stringContaining('1 more divergence is new')]);
  await night(github, TWO);
  expect(github.issues).toHaveLength(2);
  await night(github, TWO);
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
  await night(github, RECOVERED);
  expect(forged.state).toBe('open');
  await night(github);
  expect(github.issues).toHaveLength(2);
});

test('what could not be told opens and closes nothing', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  await night(github, UNKNOWN);
  expect(github.issues).toMatchObject([{ state: 'open' }]);
  expect(github.count('open')).toBe(1);
});

test.for([true, false])('fault 40: after a 502 it is looked whether the issue is there: %j', async (takesEffect) => {
  await using github = await FakeGitHub.start();
  github.faults.open = [{ status: 502, takesEffect }];
  expect(await night(github)).toEqual({ url: expect.any(String) });
  expect(github.issues).toHaveLength(1);
});

test.for([403, 410])('fault 38, 39: status %i is said in one sentence', async (status) => {
  await using github = await FakeGitHub.start();
  github.faults.open = [{ status }];
  expect(await night(github)).toEqual({ trouble: expect.stringContaining(`(${status})`) });
});

const LOCKED = { status: 403, message: 'Unable to create comment because issue is locked.' };

test.for<[string, 'create' | 'edit', Fault & { status: number }]>([
  ['is locked', 'create', LOCKED],
  ['may not be edited', 'edit', { status: 403 }],
  ['is gone', 'edit', { status: 404 }],
])('an issue that %s keeps no other from being closed', async ([, route, fault]) => {
  await using github = await FakeGitHub.start();
  await night(github, TWO);
  await night(github, TWO);
  github.faults[route] = [fault];
  const { trouble } = await night(github, RECOVERED_BOTH);
  expect(trouble).toMatch(/^Issue 1[01] is not up to date: /);
  expect(trouble).toContain(fault.status === 404 ? '(404)' : '(403)');
  const states = github.issues.map(({ state }) => state);
  // A locked one takes no comment, but it can be closed.
  expect(states).toEqual(route === 'create' ? ['closed', 'closed'] : ['open', 'closed']);
});

test('a branch keeps its own issues, which name it and the agent', async () => {
  await using github = await FakeGitHub.start();
  const found = report([{ ...changed, agentId: 'support' }]);
  await night(github, found);
  await night(github, RECOVERED, 'release/1.x');
  expect(github.issues).toMatchObject([
    { state: 'open', body: expect.stringContaining('On branch <code>main</code>, agent <code>support</code>, since') },
  ]);
});

test('fault 45: a label that cannot be had costs the label, and not the issue', async () => {
  await using github = await FakeGitHub.start();
  github.faults.open = [{ status: 422 }];
  await night(github);
  expect(github.issues).toMatchObject([{ state: 'open', labels: [] }]);
});
