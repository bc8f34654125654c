import { expect, test } from 'vitest';
import { parseBoard } from '../../action/board.ts';
import { projectWith } from '../cli/project.ts';
import fc from '../fast-check.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { checkoutWith, type Found, tell } from './findings.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { show, tellIn, toldOf } from './show.ts';
import { jobIn, pullRequest } from './step.ts';
import { turnstile } from './turnstile.ts';

const NAMES = ['small', 'large', 'huge'];
/** 400 in `npm run test:soak`, and so many times more wherever a test tries fewer: a look again takes seconds. */
const ORDERS = Number(process.env.ORDERS ?? 24);

/** What stands in the comments, by the names of the legs. */
const sections = (github: FakeGitHub) =>
  github.comments.map(({ body }) =>
    Object.fromEntries(
      parseBoard(body)!.sections.map(({ name, runs }) => [name, [runs.at(-1)!.id, runs.at(-1)!.status]]),
    ),
  );

test('legs that end together lose no section, and of each the latest run stands there, in whatever order their requests arrive', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { id: RUN.id - 1, leg: { name: 'small' } });
  const before = github.comments[0]!.body;
  const orders = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
  const jobs = fc.shuffledSubarray(
    NAMES.flatMap((name) => [0, 1].map((later) => ({ name, later }))),
    { minLength: 2, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(fc.boolean(), jobs, orders, async (isFirst, ended, order) => {
      github.comments.length = 0;
      if (!isFirst) github.add(before);
      const gate = turnstile(order);
      github.before = gate.pass;
      const shown = await Promise.all(
        ended.map(({ name, later }) =>
          gate.run(() =>
            show(github, { id: RUN.id + later, leg: { name }, report: later === 1 ? REPORTS.mixed : REPORTS.passed }),
          ),
        ),
      );
      expect(shown.filter(({ trouble }) => trouble !== undefined)).toEqual([]);
      const latest = (name: string) =>
        Math.max(...ended.filter((each) => each.name === name).map(({ later }) => later));
      const names = new Set(ended.map(({ name }) => name));
      const expected = Object.fromEntries(
        [...names].map((name) => [name, [RUN.id + latest(name), latest(name) === 1 ? 'failed' : 'passed']]),
      );
      const earlier = isFirst || names.has('small') ? {} : { small: [RUN.id - 1, 'passed'] };
      expect(sections(github)).toEqual([{ ...earlier, ...expected }]);
      // Only what is of the newest run has a report there.
      const run = RUN.id + Math.max(...ended.map(({ later }) => later));
      const [comment] = github.comments;
      for (const { runs, text } of parseBoard(comment!.body)!.sections)
        expect(text !== '').toBe(runs.at(-1)!.id === run);
    }),
    { numRuns: ORDERS },
  );
});

test('legs that make the first comment together leave one with all their sections, however far the list lags behind', async () => {
  await using github = await FakeGitHub.start();
  const orders = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
  const legs = fc.shuffledSubarray(NAMES, { minLength: 2 });
  await fc.assert(
    fc.asyncProperty(legs, orders, fc.integer({ min: 1, max: 3 }), async (names, order, lag) => {
      github.comments.length = 0;
      github.lag = lag;
      const gate = turnstile(order);
      github.before = gate.pass;
      const shown = await Promise.all(names.map((name) => gate.run(() => show(github, { leg: { name } }))));
      const url = expect.stringContaining(String(github.comments[0]?.id));
      expect(shown).toEqual(names.map(() => ({ url })));
      expect(sections(github)).toEqual([Object.fromEntries(names.map((name) => [name, [RUN.id, 'passed']]))]);
    }),
    { numRuns: ORDERS / 2 },
  );
});

test('legs that ended without seeing each other are brought together by a post step, with a section of each', async () => {
  await using github = await FakeGitHub.start();
  github.lag = 1_000;
  const told = NAMES.slice(0, 2).map((name) => toldOf({ leg: { name } }));
  const shown = await Promise.all(told.map((each) => tellIn(github, each)));
  expect(github.comments).toHaveLength(2);
  for (const comment of github.comments) comment.lag = 0;
  await Promise.all(told.map((each, at) => tellIn(github, each, {}, shown[at]?.places)));
  expect(sections(github)).toEqual([{ small: [RUN.id, 'passed'], large: [RUN.id, 'passed'] }]);
});

test('legs whose edit history is refused lose no section once their post steps have looked again, and say what may be missing', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { id: RUN.id - 1, leg: { name: 'small' } });
  const before = github.comments[0]!.body;
  const orders = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(orders, async (order) => {
      github.comments.length = 0;
      github.add(before);
      github.history = 'refused';
      const gate = turnstile(order);
      github.before = gate.pass;
      const told = NAMES.map((name) => toldOf({ leg: { name } }));
      const shown = await Promise.all(told.map((each) => gate.run(() => tellIn(github, each))));
      for (const { trouble } of shown) expect(trouble).toContain('edit history of the comment cannot be read');
      // Post steps run one after the other here: when they overlap again, the last of them has seen all.
      github.before = undefined;
      for (const [at, each] of told.entries()) await tellIn(github, each, {}, shown[at]?.places);
      expect(sections(github)).toEqual([Object.fromEntries(NAMES.map((name) => [name, [RUN.id, 'passed']]))]);
    }),
    { numRuns: Math.ceil(ORDERS / 12) },
  );
});

/** The legs of one run of a matrix as jobs of the bundled action, whose steps all run at the same time. */
async function legsOf(github: FakeGitHub, found: Readonly<Record<string, Found>>, run = 0) {
  await using stack = new AsyncDisposableStack();
  const jobs = await Promise.all(
    Object.entries(found).map(async ([name, each]) => {
      const checkout = stack.use(await checkoutWith(each));
      const inputs = { mode: 'merge', group: 'models', legs: '3', name };
      const env = { GITHUB_RUN_ID: String(RUN.id + run) };
      return stack.use(await jobIn(checkout, { event: pullRequest(), github, inputs, env }));
    }),
  );
  const steps = await Promise.all(jobs.map(async (job) => (await job.main()).finished));
  const open = stack.move();
  return {
    notices: steps.flatMap(({ annotations }) => annotations).filter(({ level }) => level === 'notice'),
    // One after the other: when they overlap again, the last of them has seen all.
    post: () => Array.fromAsync(jobs, (job) => job.post()),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

const LEGS: Readonly<Record<string, Found>> = { small: { prefix: '' }, large: {}, huge: { prefix: '' } };
const TOLD = [{ small: [RUN.id + 1, 'passed'], large: [RUN.id + 1, 'failed'], huge: [RUN.id + 1, 'passed'] }];

test('three jobs of a group that end together lose no section under an edit history that lags 1.5 s behind', async () => {
  await using github = await FakeGitHub.start();
  await using _ = await legsOf(github, { small: { prefix: '' } });
  github.historyLag = 1_500;
  await using legs = await legsOf(github, LEGS, 1);
  expect(legs.notices).toEqual([]);
  expect(sections(github)).toEqual(TOLD);
});

test.for(['refused', 'absent'] as const)(
  'three jobs of a group whose edit history is %s lose no section once their post steps have looked again, and say what may be missing',
  async (history) => {
    await using github = await FakeGitHub.start();
    await using _ = await legsOf(github, { small: { prefix: '' } });
    github.history = history;
    await using legs = await legsOf(github, LEGS, 1);
    expect(legs.notices).toHaveLength(3);
    for (const { message } of legs.notices) expect(message).toContain('edit history of the comment cannot be read');
    for (const { exitCode, log } of await legs.post()) expect([exitCode, log]).toEqual([0, '']);
    expect(sections(github)).toEqual(TOLD);
  },
);

test('the box of a group names each check that did not pass, the worst first, and leads to the run of what has no result yet', async () => {
  await using github = await FakeGitHub.start();
  await using project = await projectWith({ sessions: { one: 'hang' } });
  const inputs = { group: 'models', legs: '4', name: 'huge' };
  await using job = await jobIn(project, { event: pullRequest(), github, inputs });
  const step = await job.main();
  await step.printed(/asked: hang/);
  for (const [name, found] of [
    ['small', { prefix: '' }],
    ['large', {}],
  ] as const)
    await tell(found, { event: pullRequest(), github, inputs: { ...inputs, name } });
  const run = `[run ${RUN.number}](https://github.com/Codertocat/Hello-World/actions/runs/${RUN.id})`;
  const box = github.comments.map(({ body }) =>
    body
      .split('\n')
      .filter((line) => line.startsWith('> '))
      .slice(0, 5),
  );
  expect(box).toEqual([
    [
      '> [!CAUTION]',
      '> **Look before you merge.**',
      '> ✘ **large**: 1 of 1 session changed',
      `> … **huge**: replaying <code>ec26c3e</code>: ${run}`,
      `> … 1 more check without a result yet: ${run}`,
    ],
  ]);
  step.kill();
  await step.finished;
});
