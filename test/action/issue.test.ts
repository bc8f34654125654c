import { expect, test } from 'vitest';
import { keepIssue } from '../../action/issue.ts';
import { digest } from '../../action/subject.ts';
import type { Report } from '../../src/rims.ts';
import { patience } from '../patience.ts';
import { REPORTS, report, SESSIONS, sessionThat } from '../report/fixtures/reports.ts';
import { FakeGitHub, type Fault, type StoredIssue, TOKEN } from './github.ts';

const { changed } = SESSIONS;
const DIVERGED = report([changed]);
const sound = (name: string) => sessionThat('asRecorded', name);
const RECOVERED = report([sound('change-payment')]);
const UNKNOWN = report([{ ...SESSIONS.couldNotTell, id: changed.id, pin: changed.pin }]);
const FILE = 'o/r/.github/workflows/nightly.yml@refs/heads/main';

interface NightOptions {
  readonly branch?: string;
  readonly about?: string;
  readonly agents?: readonly string[];
  readonly workflow?: string;
  readonly job?: string;
  /** By default the next run. */
  readonly run?: number;
  readonly attempt?: number;
}

let runs = 100;

/** One night. */
function night(github: FakeGitHub, found: Report = DIVERGED, options: NightOptions = {}) {
  const {
    branch = 'main',
    about = '',
    agents = [],
    workflow = 'nightly.yml',
    job = 'night',
    run = ++runs,
    attempt = 1,
  } = options;
  const result = { passed: 'success', failed: 'failure', error: 'failure', interrupted: 'failure' };
  github.runs.push({
    id: run,
    workflow_id: 1,
    event: 'schedule',
    head_sha: 'a'.repeat(40),
    head_repository: null,
    conclusion: result[found.results.status],
  });
  return keepIssue(found, {
    repository: 'Codertocat/Hello-World',
    token: TOKEN,
    subject: { key: digest(about) + digest(agents), title: [...agents, about].join(', ') },
    branch,
    run: { id: run, attempt, workflow: digest(workflow), step: digest(job) },
    env: { ...github.env, GITHUB_WORKFLOW_REF: FILE },
    signal: patience(),
  });
}

const said = ({ comments }: FakeGitHub) => comments.map(({ body }) => body[0]);

test('what could not run opens an issue in its second night, with the reason, and changes no verdict of one that is open', async () => {
  await using github = await FakeGitHub.start();
  await night(github, RECOVERED);
  expect(await night(github, REPORTS.nothing)).toEqual({});
  expect(github.issues).toEqual([]);
  await night(github, REPORTS.nothing, { agents: [] });
  expect(github.issues).toMatchObject([{ title: 'Could not tell what the agent does', state: 'open' }]);
  expect(github.comments[0]?.body).toContain(REPORTS.nothing.results.problems[0]?.message.slice(0, 20));
  // The next night knows its agents again, and finds the issue that was opened without them.
  await night(github, RECOVERED, { agents: ['support'] });
  expect(github.issues).toMatchObject([{ state: 'closed' }]);
});

test('what could not be verified keeps an issue open, says so once, and opens no second one', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  for (let left = 0; left < 3; left++) await night(github, UNKNOWN);
  expect(github.issues).toMatchObject([{ state: 'open' }]);
  expect([github.count('open'), said(github)]).toEqual([1, ['✘', '?']]);
});

test('runs that GitHub does not list count as runs that failed: silence would be worse', async () => {
  await using github = await FakeGitHub.start();
  github.faults.runs = [{ status: 403 }];
  await night(github, UNKNOWN);
  expect(github.issues).toMatchObject([{ state: 'open' }]);
});

test('a subject that fails is not closed by another that is sound: of a leg, of a branch, of a second workflow, of one run', async () => {
  await using github = await FakeGitHub.start();
  await night(github, DIVERGED, { about: 'large' });
  await night(github, RECOVERED, { about: 'small' });
  await night(github, RECOVERED, { about: 'large', branch: 'release/1.x' });
  await night(github, RECOVERED, { about: 'large', workflow: 'other.yml' });
  expect(github.issues).toMatchObject([{ state: 'open', body: expect.stringContaining('give each an input `name`') }]);
  await night(github, DIVERGED, { about: 'large', run: 900 });
  await night(github, RECOVERED, { about: 'large', run: 900 });
  expect(github.issues).toMatchObject([{ state: 'open' }]);
  // A rerun takes the place of what it repeats.
  await night(github, RECOVERED, { about: 'large', run: 900, attempt: 2 });
  expect(github.issues).toMatchObject([{ state: 'closed' }]);
});

test('a job that is sound closes no issue of another one of its workflow, whichever reports first, until that one is sound or gone', async () => {
  await using github = await FakeGitHub.start();
  const both = async (run: number, second?: Report) => {
    await night(github, RECOVERED, { run, job: 'sound' });
    if (second !== undefined) await night(github, second, { run, job: 'sick' });
    return github.issues.map(({ state }) => state);
  };
  const states = [await both(300), await both(301, DIVERGED), await both(302, DIVERGED), await both(303, RECOVERED)];
  expect(states).toEqual([[], ['open'], ['open'], ['closed']]);
  expect(said(github)).toEqual(['✘', '✔']);
  expect([await both(304, DIVERGED), await both(305), await both(306)]).toEqual([['open'], ['open'], ['closed']]);
});

test('fault 45: what a person closed stays closed, until it recovered in between', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  const [issue] = github.issues as [StoredIssue];
  issue.state = 'closed';
  await night(github);
  expect(issue.state).toBe('closed');
  await night(github, RECOVERED);
  await night(github);
  expect(issue.state).toBe('open');
});

test('fault 45: of two issues of one subject the older stays open', async () => {
  await using github = await FakeGitHub.start();
  await night(github);
  github.addIssue({ body: github.issues[0]!.body });
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

test.for<[string, 'create' | 'edit', Fault & { status: number }, string]>([
  ['is locked', 'create', { status: 403, message: 'Unable to create comment because issue is locked.' }, 'closed'],
  ['may not be edited', 'edit', { status: 403 }, 'open'],
])('an issue that %s is told', async ([, route, fault, state]) => {
  await using github = await FakeGitHub.start();
  await night(github);
  github.faults[route] = [fault];
  const { trouble } = await night(github, RECOVERED);
  expect(trouble).toMatch(/^The issue is not up to date: .*\(403\)/);
  // A locked one takes no comment, but it can be closed.
  expect(github.issues[0]?.state).toBe(state);
});

test('an issue names its branch and its subject', async () => {
  await using github = await FakeGitHub.start();
  await night(github, DIVERGED, { agents: ['support'], about: 'large' });
  expect(github.issues).toMatchObject([
    {
      title: 'The agent does not do as recorded: support, large',
      body: expect.stringContaining('On branch <code>main</code>, <code>support, large</code>.'),
    },
  ]);
});

test('fault 45: a label that cannot be had costs the label, and not the issue', async () => {
  await using github = await FakeGitHub.start();
  github.faults.open = [{ status: 422 }];
  await night(github);
  expect(github.issues).toMatchObject([{ state: 'open', labels: [] }]);
});
