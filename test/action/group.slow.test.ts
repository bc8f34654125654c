import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sectionsIn } from '../../action/group.ts';
import { REPORTS } from '../report/fixtures/reports.ts';
import { FakeGitHub } from './github.ts';
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

test('a list that lags behind costs no section: the next leg brings together what was made apart', async () => {
  await using github = await FakeGitHub.start();
  github.lag = 3;
  const legs = NAMES.map((name) => ({ leg: { name } }));
  await Promise.all(legs.slice(0, 2).map((leg) => show(github, leg)));
  for (const comment of github.comments) comment.lag = 0;
  await show(github, legs[2]);
  const passed = [RUN.id, 'passed'];
  expect(told(github)).toEqual([{ small: passed, large: passed, huge: passed }]);
});
