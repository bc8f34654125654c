import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookAgain, type MadeComment } from '../../action/comment.ts';
import { sectionsIn } from '../../action/group.ts';
import { patience } from '../patience.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { FakeGitHub, TOKEN } from './github.ts';
import { RUN } from './runner/job.ts';
import { show } from './show.ts';
import { turnstile } from './turnstile.ts';

const NAMES = ['small', 'large', 'huge'];

/** What stands in the comments, by the names of the legs. */
const told = (github: FakeGitHub) =>
  github.comments.map(({ body }) =>
    Object.fromEntries(sectionsIn(body).map(({ name, runs }) => [name, [runs.at(-1)!.id, runs.at(-1)!.status]])),
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
      expect(told(github)).toEqual([{ ...earlier, ...expected }]);
      // Only what is of the newest run has a report there.
      const run = RUN.id + Math.max(...ended.map(({ later }) => later));
      const [comment] = github.comments;
      for (const { runs, text } of sectionsIn(comment!.body)) expect(text !== '').toBe(runs.at(-1)!.id === run);
    }),
    { numRuns: 100 },
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
      expect(told(github)).toEqual([Object.fromEntries(names.map((name) => [name, [RUN.id, 'passed']]))]);
    }),
    { numRuns: 50 },
  );
});

test('legs that ended without seeing each other are brought together by a post step, with a section of each', async () => {
  await using github = await FakeGitHub.start();
  github.lag = 1_000;
  const made: MadeComment[] = [];
  const legs = NAMES.slice(0, 2).map((name) => ({
    leg: { name },
    onMade: (each: MadeComment) => void made.push(each),
  }));
  await Promise.all(legs.map((leg) => show(github, leg)));
  expect(github.comments).toHaveLength(2);
  for (const comment of github.comments) comment.lag = 0;
  const access = { token: TOKEN, env: github.env, signal: patience() };
  await Promise.all(made.map((each) => lookAgain(each, access)));
  expect(told(github)).toEqual([{ small: [RUN.id, 'passed'], large: [RUN.id, 'passed'] }]);
});
