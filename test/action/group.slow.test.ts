import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBoard } from '../../action/board.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { show, tellIn, toldOf } from './show.ts';
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

test.for(['refused', 'absent'] as const)(
  'legs whose edit history is %s lose no section once their post steps have looked again, and say what may be missing',
  async (history) => {
    await using github = await FakeGitHub.start();
    await show(github, { id: RUN.id - 1, leg: { name: 'small' } });
    const before = github.comments[0]!.body;
    const orders = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        github.comments.length = 0;
        github.add(before);
        github.history = history;
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
  },
);

test('legs that end together lose no section under an edit history that lags 1.5 s behind', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { id: RUN.id - 1, leg: { name: 'small' } });
  github.historyLag = 1_500;
  const gate = turnstile([0, 1, 2, 0, 2, 1, 1]);
  github.before = gate.pass;
  const shown = await Promise.all(NAMES.map((name) => gate.run(() => show(github, { leg: { name } }))));
  expect(shown.filter(({ trouble }) => trouble !== undefined)).toEqual([]);
  expect(sections(github)).toEqual([Object.fromEntries(NAMES.map((name) => [name, [RUN.id, 'passed']]))]);
});
