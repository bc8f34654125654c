import { expect, test } from 'vitest';
import { parseStamp } from '../../action/stamp.ts';
import { REPORTS, report, session, turn } from '../report/fixtures/reports.ts';
import { FakeGitHub } from './github.ts';
import { show } from './show.ts';

const DIVERGED = REPORTS.mixed;
const diverged = expect.stringContaining(DIVERGED.results.title);

let written: Promise<string> | undefined;

/** A comment of ours, as another run of the same job writes it. */
async function commentOf({ number, attempt = 1 }: { number: number; attempt?: number }): Promise<string> {
  written ??= firstComment();
  return (await written).replace('passed:7.1:', `passed:${number}.${attempt}:`);
}

async function firstComment(): Promise<string> {
  await using github = await FakeGitHub.start();
  await show(github);
  return github.comments[0]!.body;
}

test('the next run updates the comment in place, however many pages there are', async () => {
  await using github = await FakeGitHub.start();
  for (let at = 0; at < 230; at++) github.add(`talk ${at}`, { login: 'someone', type: 'User' });
  const own = github.add(await commentOf({ number: 6 }));
  await show(github, { report: DIVERGED });
  expect(github.comments).toHaveLength(231);
  expect(own.body).toEqual(diverged);
  expect(github.count('create')).toBe(0);
  expect(github.requests.filter(({ route }) => route === 'list').map(({ page }) => page)).toEqual([1, 2, 3]);
});

test('the marker alone makes no comment ours: not of another author, and not further down', async () => {
  await using github = await FakeGitHub.start();
  const marked = await commentOf({ number: 6 });
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
  const runs = [1, 2, 3, 4, 5, 6].map((number) => `failed:${number}.1:40${number}:abcdef${number}`);
  const forged = ['<b>:1.1:1:abcdefa', 'passed:9999999999.1:1:abcdefa'];
  const stamp = [...forged, ...runs].join();
  const own = github.add((await commentOf({ number: 6 })).replace(/runs=\S+/, `runs=${stamp}`));
  await show(github);
  const strip = own.body.split('\n').find((line) => line.startsWith('<sub>ec26c3e'));
  expect(strip?.replaceAll(/\(\S+\/actions/g, '(')).toBe(
    '<sub>ec26c3e, last runs ✘ [3](/runs/403) ✘ [4](/runs/404) ✘ [5](/runs/405) ✘ [6](/runs/406) ✔ [7](/runs/1658821493)</sub>',
  );
  expect(parseStamp(own.body)?.runs.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7]);
});

test('what changed since the last report of the base branch is told', async () => {
  await using github = await FakeGitHub.start();
  const sound = (name: string) => session(name, { turns: [turn({ verdict: 'reproduced' })] });
  const baseline = report([sound('change-payment')]);
  await show(github, { report: DIVERGED, baseline });
  expect(github.comments[0]?.body).toContain('Since the base branch: 1 newly diverging');
});

test('fault 47: on an own server of a company, all addresses are of that server', async () => {
  await using github = await FakeGitHub.start();
  // Its API is under a path, and GraphQL beside it: what the stand-in has.
  expect(new URL(github.env.GITHUB_API_URL ?? '').pathname).toBe('/api/v3');
  await show(github, { env: { GITHUB_SERVER_URL: 'https://github.example.com' } });
  expect(github.comments[0]?.body).toContain('(https://github.example.com/Codertocat/Hello-World/actions/runs/');
  expect(github.comments[0]?.body).not.toContain('//github.com');
});

test('two keys have two comments', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { key: 'a'.repeat(12) });
  await show(github, { key: 'b'.repeat(12) });
  expect(github.comments).toHaveLength(2);
});

test('fault 44: of several comments of a job the oldest is kept', async () => {
  await using github = await FakeGitHub.start();
  const body = await commentOf({ number: 6 });
  const oldest = github.add(body);
  github.add(body);
  github.add(body);
  await show(github);
  expect(github.comments).toEqual([oldest]);
  expect(oldest.body).toContain(':7.1:');
});

test.for([
  [{ number: 8 }, ':8.1:'],
  [{ number: 7, attempt: 2 }, ':7.2:'],
  [{ number: 6, attempt: 9 }, ':7.1:'],
] as const)('fault 44: the newest run wins, whichever comes last: %j', async ([run, winner]) => {
  await using github = await FakeGitHub.start();
  github.add(await commentOf(run));
  const { url } = await show(github);
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining(winner)]);
  expect(url).toContain(String(github.comments[0]?.id));
});

test.for([
  [{ number: 6 }, ':7.1:'],
  [{ number: 8 }, ':8.1:'],
] as const)('fault 44: two runs that comment at the same time leave one comment: %j', async ([other, winner]) => {
  await using github = await FakeGitHub.start();
  const body = await commentOf(other);
  github.before = (route) => {
    if (route !== 'create') return;
    github.before = undefined;
    github.add(body);
  };
  await show(github);
  expect(github.comments.map((comment) => comment.body)).toEqual([expect.stringContaining(winner)]);
});

test('fault 44: three jobs that comment at once, as legs of a matrix do, leave one comment', async () => {
  await using github = await FakeGitHub.start();
  const shown = await Promise.all([show(github), show(github), show(github)]);
  expect(github.comments).toHaveLength(1);
  const url = expect.stringContaining(String(github.comments[0]?.id));
  expect(shown).toEqual([{ url }, { url }, { url }]);
});

test('a comment that is deleted while it is updated is written anew', async () => {
  await using github = await FakeGitHub.start();
  github.add(await commentOf({ number: 6 }));
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

test.for([401, 403, 404, 410, 422, 429])('fault 38, 39: status %i is said in one sentence', async (status) => {
  await using github = await FakeGitHub.start();
  github.faults.create = Array(4).fill({ status });
  expect(await show(github)).toEqual({ trouble: expect.stringContaining(`(${status})`) });
});

test('a GitHub that is down for good is said in one sentence', async () => {
  await using github = await FakeGitHub.start();
  github.faults.list = Array(3).fill({ status: 503 });
  expect(await show(github)).toEqual({ trouble: expect.stringContaining('status 503') });
});

test('a limit that ends soon is waited for', async () => {
  await using github = await FakeGitHub.start();
  github.faults.list = [{ status: 429, headers: { 'retry-after': '0' } }];
  expect(await show(github)).toEqual({ url: expect.any(String) });
  expect(github.comments).toHaveLength(1);
});

test('fault 42: a comment stays within what GitHub takes, and says what is missing', async () => {
  await using github = await FakeGitHub.start();
  const words = 'long '.repeat(200);
  const changed = {
    verdict: 'changed',
    clusters: [0, 5],
    divergence: { recorded: words, replayed: `x ${words}` },
  } as const;
  const sessions = Array.from({ length: 120 }, (_, at) => session(`s${at}`, { turns: [turn(changed)] }));
  await show(github, { report: report(sessions) });
  expect(github.comments[0]?.body.length).toBeGreaterThan(40_000);
  expect(github.comments[0]?.body.length).toBeLessThanOrEqual(60_000);
  expect(github.comments[0]?.body).toMatch(/\d+ stories more, see the report/);
});
