import { expect, test } from 'vitest';
import { parseBoard } from '../../action/board.ts';
import { outcomes } from '../outcomes.ts';
import { REPORTS, report, session, turn } from '../report/fixtures/reports.ts';
import { FakeGitHub, type Fault } from './github.ts';
import { RUN } from './runner/job.ts';
import { show } from './show.ts';

const DIVERGED = REPORTS.mixed;
const diverged = expect.stringContaining(DIVERGED.results.title);

let written: Promise<string> | undefined;

/** A comment of ours, as another run of the same job writes it: `later` of its runs are after ours. */
async function commentOf({ later, attempt = 1 }: { later: number; attempt?: number }): Promise<string> {
  written ??= firstComment();
  return (await written)
    .replaceAll(String(RUN.id), String(RUN.id + later))
    .replace('"attempt":1', `"attempt":${attempt}`);
}

/** The run that a comment shows. */
const shownRun = (body = '') => parseBoard(body)?.sections[0]?.runs.at(-1);

async function firstComment(): Promise<string> {
  await using github = await FakeGitHub.start();
  await show(github);
  return github.comments[0]!.body;
}

test('the next run updates the comment in place, however many pages there are', async () => {
  await using github = await FakeGitHub.start();
  for (let at = 0; at < 230; at++) github.add(`talk ${at}`, { login: 'someone', type: 'User' });
  const own = github.add(await commentOf({ later: -1 }));
  await show(github, { report: DIVERGED });
  expect(github.comments).toHaveLength(231);
  expect(own.body).toEqual(diverged);
  expect(github.count('create')).toBe(0);
  expect(github.requests.filter(({ route }) => route === 'list').map(({ page }) => page)).toEqual([1, 2, 3]);
});

test('the marker alone makes no comment ours: not of another author, and not further down', async () => {
  await using github = await FakeGitHub.start();
  const marked = await commentOf({ later: -1 });
  const forged = [
    github.add(marked, { login: 'github-actions', type: 'User' }),
    github.add(marked, { login: 'other[bot]', type: 'Bot' }),
    github.add(marked, null),
    github.add(`somebody said:\n${marked}`),
  ];
  await show(github);
  expect(github.comments).toHaveLength(5);
  expect(forged.map(({ body }) => body)).toEqual([marked, marked, marked, `somebody said:\n${marked}`]);
});

test('the comment shows the last five runs; what somebody wrote into its stamp is not believed', async () => {
  await using github = await FakeGitHub.start();
  const run = { status: 'failed', number: 1, attempt: 1, id: 401, sha: 'abcdef1' };
  const runs = [1, 2, 3, 4, 5, 6].map((number) => ({ ...run, number, id: 400 + number }));
  const written = (all: object[]) => `"runs":${JSON.stringify(all)}`;
  const body = await commentOf({ later: -1 });
  const own = github.add(body.replace(/"runs":\[.*?\]/, written(runs)));
  const forged = github.add(
    body
      .replace(/"runs":\[.*?\]/, written([{ ...run, status: '<b>' }, ...runs]))
      .replace(/[0-9a-f]{24}/g, 'a'.repeat(24)),
  );
  await show(github);
  const strip = own.body.split('\n').find((line) => line.startsWith('<sub>Commit'));
  expect(strip?.replace(/.*<br>/, '').replaceAll(/\(\S+\/actions/g, '(')).toBe(
    'Last runs: [3](/runs/403)&nbsp;✘ · [4](/runs/404)&nbsp;✘ · [5](/runs/405)&nbsp;✘ · [6](/runs/406)&nbsp;✘ · [7](/runs/1658821493)&nbsp;✔</sub>',
  );
  expect(parseBoard(forged.body)?.sections).toEqual([]);
});

test('fault 47: on an own server of a company, all addresses are of that server', async () => {
  await using github = await FakeGitHub.start();
  // Its API is under a path, and GraphQL beside it: what the stand-in has.
  expect(new URL(github.env.GITHUB_API_URL ?? '').pathname).toBe('/api/v3');
  await show(github, { env: { GITHUB_SERVER_URL: 'https://github.example.com' } });
  expect(github.comments[0]?.body).toContain('(https://github.example.com/Codertocat/Hello-World/actions/runs/');
  expect(github.comments[0]?.body).not.toContain('//github.com');
});

test('a comment names tool, result and subject above all, and commit, run, attempt and report with links below', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { attempt: 2, about: 'support' });
  const lines = github.comments[0]?.body.split('\n') ?? [];
  expect(lines[1]).toBe('### ✔ agent-replay for support: 2 of 2 sessions as recorded');
  const base = 'https://github.com/Codertocat/Hello-World';
  const run = `${base}/actions/runs/${RUN.id}`;
  expect(lines.at(-1)).toBe(
    `<sub>Commit [ec26c3e](${base}/commit/ec26c3e57ca3a959ca5aad62de7213c562f8c821), [run 7](${run}), [attempt 2](${run}/attempts/2), [report](https://reports.example.com/1)</sub>`,
  );
});

test('two subjects have two comments', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { about: 'support' });
  await show(github, { about: 'billing' });
  expect(github.comments).toHaveLength(2);
});

test('fault 44: of several comments of a job the oldest is kept', async () => {
  await using github = await FakeGitHub.start();
  const body = await commentOf({ later: -1 });
  const oldest = github.add(body);
  github.add(body);
  github.add(body);
  await show(github);
  expect(github.comments).toEqual([oldest]);
  expect(shownRun(oldest.body)?.id).toBe(RUN.id);
});

test.for([
  [{ later: 1 }, { id: RUN.id + 1 }],
  [
    { later: 0, attempt: 2 },
    { id: RUN.id, attempt: 2 },
  ],
  [
    { later: -1, attempt: 9 },
    { id: RUN.id, attempt: 1 },
  ],
] as const)('fault 44: the newest run wins, whichever comes last: %j', async ([run, winner]) => {
  await using github = await FakeGitHub.start();
  github.add(await commentOf(run));
  const { url } = await show(github);
  expect(github.comments.map(({ body }) => shownRun(body))).toMatchObject([winner]);
  expect(url).toContain(String(github.comments[0]?.id));
});

test.for([
  [{ later: -1 }, RUN.id],
  [{ later: 1 }, RUN.id + 1],
] as const)('fault 44: two runs that comment at the same time leave one comment: %j', async ([other, winner]) => {
  await using github = await FakeGitHub.start();
  const body = await commentOf(other);
  github.before = (route) => {
    if (route !== 'create') return;
    github.before = undefined;
    github.add(body);
  };
  await show(github);
  expect(github.comments.map((comment) => shownRun(comment.body)?.id)).toEqual([winner]);
});

test('fault 44: three jobs that comment at once, as legs of a matrix do, leave one comment', async () => {
  await using github = await FakeGitHub.start();
  const shown = await Promise.all([show(github), show(github), show(github)]);
  expect(github.comments).toHaveLength(1);
  const url = expect.stringContaining(String(github.comments[0]?.id));
  expect(shown).toEqual([{ url }, { url }, { url }]);
});

test('a run of another file of the same workflow name is later by its id, whatever its number', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { number: 500 });
  await show(github, { number: 3, id: RUN.id + 1, report: DIVERGED });
  expect(github.comments.map(({ body }) => body)).toEqual([diverged]);
});

test('fault 44: a list that lags behind leads to no second comment, of this run or of the next', async () => {
  await using github = await FakeGitHub.start();
  github.lag = 2;
  expect(await show(github)).toEqual({ url: expect.any(String) });
  expect(github.count('create')).toBe(1);
  await show(github, { id: RUN.id + 1 });
  await show(github, { id: RUN.id + 2 });
  expect(github.comments).toHaveLength(1);
});

/** A pull request on which people have written so much. */
function talk(github: FakeGitHub, count: number): void {
  for (let at = 0; at < count; at++) github.add('talk', { login: 'someone', type: 'User' });
}

test('however much was written after our comment, no second one is made', async () => {
  await using github = await FakeGitHub.start();
  talk(github, 150);
  await show(github);
  talk(github, 2_300);
  github.requests.length = 0;
  await show(github, { id: RUN.id + 1, report: DIVERGED });
  expect(github.count('create')).toBe(0);
  expect(github.comments[150]?.body).toEqual(diverged);
});

test('a pull request on which GitHub takes no more comments is told as one', async () => {
  await using github = await FakeGitHub.start();
  talk(github, 2_500);
  const trouble =
    'The comment is not up to date: GitHub takes no more comments on this pull request (403). See the job summary.';
  expect(await show(github)).toEqual({ trouble });
});

test('a comment that is deleted while it is updated is written anew', async () => {
  await using github = await FakeGitHub.start();
  github.add(await commentOf({ later: -1 }));
  github.before = (route) => {
    if (route === 'update') github.comments.length = 0;
  };
  expect(await show(github)).toEqual({ url: expect.any(String) });
  expect(github.comments).toHaveLength(1);
});

test.for([true, false])('fault 40: after a 502 it is looked whether the comment is there: %j', async (takesEffect) => {
  await using github = await FakeGitHub.start();
  github.faults.create = [{ status: 502, takesEffect }];
  expect(await show(github)).toEqual({ url: expect.any(String) });
  expect(github.comments).toHaveLength(1);
  expect(github.count('create')).toBe(takesEffect ? 1 : 2);
});

const LIMITED = 'the request limit of the token is reached';

test.for<[string, Fault & { status: number }, string]>([
  ['an unknown token', { status: 401 }, 'GitHub does not know the token (401)'],
  [
    'a token without the right',
    { status: 403 },
    'the token may not do it (403). The job needs "permissions: pull-requests: write"',
  ],
  [
    'a lock',
    { status: 403, message: 'Unable to create comment because issue is locked.' },
    'the conversation is locked (403)',
  ],
  ['a used up limit', { status: 403, headers: { 'x-ratelimit-remaining': '0' } }, `${LIMITED} (403)`],
  [
    'a limit that is said in words',
    { status: 403, message: 'You have exceeded a secondary rate limit.' },
    `${LIMITED} (403)`,
  ],
  ['a limit that ends later', { status: 403, headers: { 'retry-after': '3600' } }, `${LIMITED} (403)`],
  ['a limit', { status: 429 }, `${LIMITED} (429)`],
  ['a token that sees nothing', { status: 404 }, 'the token cannot see it (404)'],
  ['what is switched off', { status: 410 }, 'this is switched off in the repository (410)'],
  ['what GitHub does not take', { status: 422 }, 'GitHub did not take it (422)'],
])('fault 38, 39: %s is said in one sentence', async ([, fault, sentence]) => {
  await using github = await FakeGitHub.start();
  github.faults.create = Array(6).fill(fault);
  expect(await show(github)).toEqual({ trouble: expect.stringContaining(sentence) });
});

test('a GitHub that is down for good is said in one sentence', async () => {
  await using github = await FakeGitHub.start();
  github.faults.list = Array(3).fill({ status: 503 });
  expect(await show(github)).toEqual({ trouble: expect.stringContaining('status 503') });
});

test.for<[string, Fault]>([
  ['in seconds', { status: 429, headers: { 'retry-after': '0' } }],
  ['by the second', { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } }],
])('a limit that ends soon is waited for, told %s, before a comment is made too', async ([, fault]) => {
  await using github = await FakeGitHub.start();
  github.faults.list = [fault];
  github.faults.create = [fault];
  expect(await show(github)).toEqual({ url: expect.any(String) });
  expect(github.comments).toHaveLength(1);
});

test('fault 42: a comment stays within what GitHub takes, and says what is missing', async () => {
  await using github = await FakeGitHub.start();
  const words = 'long '.repeat(200);
  const changed = {
    verdict: outcomes.changed,
    clusters: [0, 5],
    divergence: { recorded: words, replayed: `x ${words}` },
  } as const;
  const sessions = Array.from({ length: 400 }, (_, at) => session(`s${at}`, { turns: [turn(changed)] }));
  await show(github, { report: report(sessions) });
  expect(github.comments[0]?.body.length).toBeGreaterThan(25_000);
  expect(github.comments[0]?.body.length).toBeLessThanOrEqual(60_000);
  expect(github.comments[0]?.body).toMatch(/\d+ rows? more, see the report/);
});
