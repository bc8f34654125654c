import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStamp } from '../../action/stamp.ts';
import { FakeGitHub } from './github.ts';
import { RUN } from './runner/job.ts';
import { show } from './show.ts';
import { turnstile } from './turnstile.ts';

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
    { numRuns: 200 },
  );
});
