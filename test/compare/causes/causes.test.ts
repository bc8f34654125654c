import { expect, test } from 'vitest';
import { divergenceWords, renderMarkdown, renderTerminal } from '../../../src/report/index.ts';
import { report, session, turn } from '../../report/fixtures/reports.ts';
import { compare } from '../agents.ts';
import { CAUSE_CASES } from './cases.ts';
import { REQUEST, recordingOf } from './run.ts';

test.each(CAUSE_CASES)('$kind: $name', ({ recorded, replayed, rules, kind, changed, says, never, why }) => {
  const comparison = compare(recordingOf(recorded), recordingOf(replayed), rules, REQUEST);
  const cause = comparison.divergence?.cause;
  const sentence = divergenceWords(comparison);
  const told = `${why}: ${sentence}`;
  expect(cause?.kind, told).toBe(kind);
  if (changed !== undefined) expect(cause?.changed, told).toEqual(changed);
  if (says !== undefined) expect(sentence, told).toContain(says);
  if (never !== undefined) expect(sentence, told).not.toContain(never);
});

test('other words alone name the edit of the prompt that they probably come from, in the terminal and in Markdown', () => {
  const answer = 'Your parcel with order AB-1042 has left our house this morning and will be with you on Monday.';
  const reworded = 'Order AB-1042 has left our house this morning, so your parcel will be with you on Monday.';
  const run = (system: string, said: string) => recordingOf({ system, acts: [], answer: said });
  const compared = (system: string) =>
    compare(run('You help.\nBe kind.', answer), run(system, reworded), undefined, REQUEST);
  const edited = compared('You help.\nBe brief.');
  const told = report([session('parcel', { turns: [turn({ verdict: edited.verdict, over: edited })] })]);
  expect(edited.divergence).toBe(null);
  expect(renderTerminal(told)).toContain(
    'cause  likely one edit: system prompt, line 2\n     - Be kind.\n     + Be brief.\n',
  );
  expect(renderMarkdown(told)).toContain('Likely because its system prompt differs at line 2');
  expect(compared('You help.\nBe kind.')).not.toHaveProperty('edit');
});
