import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { keepMade, lookAtMade } from '../../action/made-comments.ts';
import { parseStamp } from '../../action/stamp.ts';
import { folderWith } from '../config/folder.ts';
import { FakeGitHub, TOKEN } from './github.ts';
import { readPairs } from './runner/command-files.ts';
import { RUN } from './runner/job.ts';
import { KEY, show } from './show.ts';
import { turnstile } from './turnstile.ts';

/** 400 of each in `npm run test:soak`. */
const ORDERS = Number(process.env.ORDERS ?? 80);

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
      expect(github.comments.map(({ body }) => parseStamp(body)?.runs.at(-1)?.id)).toEqual([last]);
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
      expect(github.comments.map(({ body }) => parseStamp(body)?.runs.at(-1)?.id)).toEqual([last]);
    }),
    { numRuns: ORDERS },
  );
});

test('fault 44: what no list has shown when the step ends, its post step looks for again by the id', async () => {
  await using github = await FakeGitHub.start();
  await using state = await folderWith({ state: '' });
  vi.stubEnv('GITHUB_STATE', path.join(state.path, 'state'));
  github.lag = 1_000;
  await Promise.all([0, 1].map((later) => show(github, { id: RUN.id + later, onMade: keepMade })));
  vi.unstubAllEnvs();
  expect(github.comments).toHaveLength(2);
  for (const comment of github.comments) comment.lag = 0;
  const { comments = '' } = readPairs(await readFile(path.join(state.path, 'state'), 'utf8')).pairs;
  expect(JSON.parse(comments)).toMatchObject(github.comments.map(({ id }) => ({ id, pull: 2, key: KEY })));
  github.requests.length = 0;
  await lookAtMade(comments, TOKEN, github.env);
  expect(github.requests[0]?.route).toBe('comment');
  expect(github.comments.map(({ body }) => parseStamp(body)?.runs.at(-1)?.id)).toEqual([RUN.id + 1]);
});
