import { expect, test } from 'vitest';
import { divergenceWords } from '../../../src/report/index.ts';
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
