import { expect, test } from 'vitest';
import { parseBoard } from '../../action/board.ts';
import fc from '../fast-check.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { show, tellIn, toldOf } from './show.ts';
import { turnstile } from './turnstile.ts';

/** 400 of each in `npm run test:soak`. */
const ORDERS = Number(process.env.ORDERS ?? 24);

test('fault 44: of runs that end together the latest wins, in whatever order their requests arrive', async () => {
  await using github = await FakeGitHub.start();
  await show(github, { id: RUN.id - 1 });
  const before = github.comments[0]!.body;
  const orders = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
  const ended = fc.tuple(fc.boolean(), fc.shuffledSubarray([0, 1, 2], { minLength: 2 }), orders);
  await fc.assert(
    fc.asyncProperty(ended, async ([isFirst, runs, order]) => {
      github.comments.length = 0;
      if (!isFirst) github.add(before);
      const gate = turnstile(order);
      github.before = gate.pass;
      const shown = await Promise.all(runs.map((later) => gate.run(() => show(github, { id: RUN.id + later }))));
      const { trouble } = shown.find((each) => each.trouble !== undefined) ?? {};
      expect(trouble).toBeUndefined();
      const last = RUN.id + Math.max(...runs);
      expect(github.comments.map(({ body }) => parseBoard(body)?.sections[0]?.runs.at(-1)?.id)).toEqual([last]);
    }),
    { numRuns: ORDERS },
  );
});

test('fault 44: of runs that end together under a list that lags behind the latest wins, and one comment is left', async () => {
  await using github = await FakeGitHub.start();
  const orders = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
  const runs = fc.shuffledSubarray([0, 1, 2], { minLength: 2 });
  await fc.assert(
    fc.asyncProperty(runs, orders, fc.integer({ min: 1, max: 3 }), async (runs, order, lag) => {
      github.comments.length = 0;
      github.lag = lag;
      const gate = turnstile(order);
      github.before = gate.pass;
      const shown = await Promise.all(runs.map((later) => gate.run(() => show(github, { id: RUN.id + later }))));
      expect(shown.filter(({ trouble }) => trouble !== undefined)).toEqual([]);
      const last = RUN.id + Math.max(...runs);
      expect(github.comments.map(({ body }) => parseBoard(body)?.sections[0]?.runs.at(-1)?.id)).toEqual([last]);
    }),
    { numRuns: ORDERS },
  );
});

test('fault 44: what no list has shown when the step ends, its post step looks for again by the id', async () => {
  await using github = await FakeGitHub.start();
  github.lag = 1_000;
  const told = [0, 1].map((later) => toldOf({ id: RUN.id + later }));
  const shown = await Promise.all(told.map((each) => tellIn(github, each)));
  expect(github.comments).toHaveLength(2);
  for (const comment of github.comments) comment.lag = 0;
  expect(shown.map(({ places }) => places?.[0]?.id)).toEqual(github.comments.map(({ id }) => id));
  await Promise.all(told.map((each, at) => tellIn(github, each, {}, shown[at]?.places)));
  expect(github.comments.map(({ body }) => parseBoard(body)?.sections[0]?.runs.at(-1)?.id)).toEqual([RUN.id + 1]);
});
