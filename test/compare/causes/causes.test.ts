import { expect, test } from 'vitest';
import { compare } from '../agents.ts';
import { CAUSE_CASES } from './cases.ts';
import { REQUEST, recordingOf } from './run.ts';

test.each(CAUSE_CASES)('$kind: $name', ({ recorded, replayed, rules, kind, changed, says, never, why }) => {
  const { divergence } = compare(recordingOf(recorded), recordingOf(replayed), rules, REQUEST);
  const cause = divergence?.cause;
  const told = `${why}: ${divergence?.sentence}`;
  expect(cause?.kind, told).toBe(kind);
  if (changed !== undefined) expect(cause?.changed, told).toEqual(changed);
  if (says !== undefined) expect(divergence?.sentence, told).toContain(says);
  if (never !== undefined) expect(divergence?.sentence, told).not.toContain(never);
});
