import { expect, test } from 'vitest';
import { parseStamp } from '../../action/stamp.ts';
import { type Project, projectWith } from '../cli/project.ts';
import { FakeGitHub } from './github.ts';
import { pullRequest, runAction } from './step.ts';

const NOTICE = { level: 'notice', title: 'agent-replay' };

function passing(): Promise<Project> {
  return projectWith({ sessions: { one: 'a' } });
}

let written: Promise<string> | undefined;

/** A comment of ours, as another run of the same job writes it. */
async function commentOf({ number, attempt = 1 }: { number: number; attempt?: number }): Promise<string> {
  written ??= firstComment();
  return (await written).replace('passed:7.1:', `passed:${number}.${attempt}:`);
}

async function firstComment(): Promise<string> {
  await using github = await FakeGitHub.start();
  await using project = await passing();
  await runAction(project, { event: pullRequest(), github });
  return github.comments[0]!.body;
}

test('a pull request gets one comment, and its address is an output', async () => {
  await using github = await FakeGitHub.start();
  await using project = await passing();
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [] });
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('1 of 1 session reproduced')]);
  expect(step.outputs['comment-url']).toBe(
    `https://github.com/Codertocat/Hello-World/pull/2#issuecomment-${github.comments[0]?.id}`,
  );
});

test('the next run updates the comment in place, however many pages there are', async () => {
  await using github = await FakeGitHub.start();
  for (let at = 0; at < 230; at++) github.add(`talk ${at}`, { login: 'someone', type: 'User' });
  const own = github.add(await commentOf({ number: 6 }));
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: { runs: 4 },
    agent: { env: { PREFIX: 'x ' } },
  });
  await runAction(project, { event: pullRequest(), github });
  expect(github.comments).toHaveLength(231);
  expect(own.body).toContain('1 of 1 session diverged');
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
  await using project = await passing();
  await runAction(project, { event: pullRequest(), github });
  expect(github.comments).toHaveLength(5);
  expect(forged.map(({ body }) => body)).toEqual([marked, marked, marked, `somebody said:\n${marked}`]);
});

test('the comment shows the last five runs; what somebody wrote into its stamp is not believed', async () => {
  await using github = await FakeGitHub.start();
  const runs = [1, 2, 3, 4, 5, 6].map((number) => `failed:${number}.1:40${number}:abcdef${number}`);
  const forged = ['<b>:1.1:1:abcdefa', 'passed:9999999999.1:1:abcdefa'];
  const stamp = [...forged, ...runs].join();
  const own = github.add((await commentOf({ number: 6 })).replace(/runs=\S+/, `runs=${stamp}`));
  await using project = await passing();
  await runAction(project, { event: pullRequest(), github });
  const strip = own.body.split('\n').find((line) => line.startsWith('<sub>ec26c3e'));
  expect(strip?.replaceAll(/\(\S+\/actions/g, '(')).toBe(
    '<sub>ec26c3e, last runs ✘ [3](/runs/403) ✘ [4](/runs/404) ✘ [5](/runs/405) ✘ [6](/runs/406) ✔ [7](/runs/1658821493)</sub>',
  );
  expect(parseStamp(own.body)?.runs.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7]);
});

test('what changed since the last report of the base branch is told when it is there', async () => {
  await using github = await FakeGitHub.start();
  await using base = await projectWith({ sessions: { one: 'a' }, config: { runs: 2 } });
  await runAction(base);
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: { runs: 4 },
    agent: { env: { PREFIX: 'x ' } },
    files: { 'base/report.json': await base.read('.agent-replay/report.json') },
  });
  const inputs = { 'baseline-report': 'base/report.json' };
  const step = await runAction(project, { event: pullRequest(), github, inputs });
  expect(step.summary.text).toContain('Since the base branch: 1 newly diverging');
  expect(github.comments[0]?.body).toContain('Since the base branch: 1 newly diverging');
  const missing = await runAction(project, { inputs: { 'baseline-report': 'nowhere.json' } });
  expect(missing.annotations).toContainEqual({
    ...NOTICE,
    message: expect.stringContaining('no "baseline-report" yet'),
  });
});

test('fault 47: on an own server of a company, all addresses are of that server', async () => {
  await using github = await FakeGitHub.start();
  await using project = await passing();
  // Its API is under a path, and GraphQL beside it: what the stand-in has.
  expect(new URL(github.env.GITHUB_API_URL ?? '').pathname).toBe('/api/v3');
  const env = { GITHUB_SERVER_URL: 'https://github.example.com' };
  const step = await runAction(project, { event: pullRequest(), github, env });
  expect(step).toMatchObject({ exitCode: 0, annotations: [] });
  expect(github.comments[0]?.body).toContain('(https://github.example.com/Codertocat/Hello-World/actions/runs/');
  expect(github.comments[0]?.body).not.toContain('//github.com');
});

test('legs of a matrix have a comment each', async () => {
  await using github = await FakeGitHub.start();
  await using project = await passing();
  for (const model of ['large', 'small']) {
    await runAction(project, { event: pullRequest(), github, inputs: { 'comment-key': JSON.stringify({ model }) } });
  }
  expect(github.comments).toHaveLength(2);
});

test('two jobs have two comments', async () => {
  await using github = await FakeGitHub.start();
  await using project = await passing();
  await runAction(project, { event: pullRequest(), github });
  await runAction(project, { event: pullRequest(), github, env: { GITHUB_JOB: 'nightly' } });
  expect(github.comments).toHaveLength(2);
});

test('fault 44: of several comments of a job the oldest is kept', async () => {
  await using github = await FakeGitHub.start();
  const body = await commentOf({ number: 6 });
  const oldest = github.add(body);
  github.add(body);
  github.add(body);
  await using project = await passing();
  await runAction(project, { event: pullRequest(), github });
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
  await using project = await passing();
  const step = await runAction(project, { event: pullRequest(), github });
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining(winner)]);
  expect(step.outputs['comment-url']).toContain(String(github.comments[0]?.id));
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
  await using project = await passing();
  await runAction(project, { event: pullRequest(), github });
  expect(github.comments.map((comment) => comment.body)).toEqual([expect.stringContaining(winner)]);
});

test('fault 44: three jobs that comment at once, as legs of a matrix do, leave one comment', async () => {
  await using github = await FakeGitHub.start();
  await using a = await passing();
  await using b = await passing();
  await using c = await passing();
  const steps = await Promise.all([a, b, c].map((leg) => runAction(leg, { event: pullRequest(), github })));
  expect(steps.map(({ annotations }) => annotations)).toEqual([[], [], []]);
  expect(github.comments).toHaveLength(1);
  const address = expect.stringContaining(String(github.comments[0]?.id));
  expect(steps.map(({ outputs }) => outputs['comment-url'])).toEqual([address, address, address]);
});

test('a comment that is deleted while it is updated is written anew', async () => {
  await using github = await FakeGitHub.start();
  github.add(await commentOf({ number: 6 }));
  github.before = (route) => {
    if (route === 'update') github.comments.length = 0;
  };
  await using project = await passing();
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step.annotations).toEqual([]);
  expect(github.comments).toHaveLength(1);
});

test.for([true, false])('fault 40: after a 502 it is looked whether the comment is there: %j', async (takesEffect) => {
  await using github = await FakeGitHub.start();
  github.faults.create = [{ status: 502, takesEffect }];
  await using project = await passing();
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step.annotations).toEqual([]);
  expect(github.comments).toHaveLength(1);
  expect(github.count('create')).toBe(takesEffect ? 1 : 2);
});

test.for([401, 403, 404, 410, 422, 429])(
  'fault 38, 39: status %i costs the comment, and nothing else',
  async (status) => {
    await using github = await FakeGitHub.start();
    github.faults.create = Array(4).fill({ status });
    await using project = await passing();
    const step = await runAction(project, { event: pullRequest(), github });
    expect(step).toMatchObject({
      exitCode: 0,
      conclusion: 'success',
      outputs: { status: 'passed', 'comment-url': '' },
    });
    expect(step.annotations).toEqual([{ ...NOTICE, message: expect.stringContaining(`(${status})`) }]);
    expect(step.summary.text).toContain('1 of 1 session reproduced');
  },
);

test('fault 67: of an error of GitHub nothing is printed but its status', async () => {
  await using github = await FakeGitHub.start();
  github.faults.viewer = [{ status: 403 }];
  await using project = await passing();
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step.rawLog).not.toMatch(/authorization|Resource not accessible|token gh/i);
  expect(step.annotations).toMatchObject([NOTICE]);
});

test('a GitHub that is down for good is told in a notice, and the divergence still fails the step', async () => {
  await using github = await FakeGitHub.start();
  github.faults.list = Array(3).fill({ status: 503 });
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: { runs: 4 },
    agent: { env: { PREFIX: 'x ' } },
  });
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step.exitCode).toBe(1);
  expect(step.annotations.filter(({ level }) => level === 'notice')).toHaveLength(1);
});

test('a limit that ends soon is waited for', async () => {
  await using github = await FakeGitHub.start();
  github.faults.list = [{ status: 429, headers: { 'retry-after': '0' } }];
  await using project = await passing();
  expect((await runAction(project, { event: pullRequest(), github })).annotations).toEqual([]);
  expect(github.comments).toHaveLength(1);
});

test.for([
  ['deleted', null],
  ['of a stranger', { full_name: 'stranger/Hello-World' }],
] as const)('fault 38, 46: nothing is asked of GitHub for a pull request from a fork: %s', async ([, repo]) => {
  await using github = await FakeGitHub.start();
  await using project = await passing();
  const event = pullRequest(({ pull_request }) => {
    pull_request.head.repo = repo;
  });
  const step = await runAction(project, { event, github });
  expect(step).toMatchObject({ exitCode: 0, annotations: [{ ...NOTICE, message: expect.stringContaining('fork') }] });
  expect(github.requests).toEqual([]);
  expect(step.summary.uploaded).toBe(true);
});

test('fault 42: a comment stays within what GitHub takes, and says what is missing', async () => {
  await using github = await FakeGitHub.start();
  const sessions = Object.fromEntries(
    Array.from({ length: 120 }, (_, at) => [`s${at}`, `${at} ${'long '.repeat(200)}`]),
  );
  await using project = await projectWith({
    sessions,
    config: { runs: 2, workers: 8 },
    agent: { env: { PREFIX: 'x ' } },
  });
  const step = await runAction(project, { event: pullRequest(), github });
  expect(step.annotations.filter(({ level }) => level === 'notice')).toEqual([]);
  expect(github.comments[0]?.body.length).toBeGreaterThan(40_000);
  expect(github.comments[0]?.body.length).toBeLessThanOrEqual(60_000);
  expect(github.comments[0]?.body).toMatch(/\d+ stories more, see the report/);
  expect(step.annotations.length).toBeLessThanOrEqual(10);
  expect(step.summary).toMatchObject({ uploaded: true });
});
