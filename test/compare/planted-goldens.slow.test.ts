import { expect, test } from 'vitest';
import { compareRules, selfTest } from '../../src/compare/index.ts';
import {
  exportedBy,
  fromPhoenix,
  type Golden,
  HAND_WRITTEN,
  ingested,
  PLATFORM_READS,
  readFrom,
  SENDERS,
  writtenByHand,
} from './goldens.ts';

const GOLDENS: readonly Golden[] = [
  ...SENDERS.map(exportedBy),
  ...(await ingested()),
  ...PLATFORM_READS.flatMap(readFrom),
  fromPhoenix(),
  ...HAND_WRITTEN.map(writtenByHand),
];

test.each(['exact', 'behaviour'] as const)(
  'in the traces of every SDK each change is told at its step as its kind, and no harmless one is flagged, at %s',
  (strictness) => {
    let planted = 0;
    for (const { name, recording } of GOLDENS) {
      const trials = selfTest([recording], compareRules.parse({ strictness }));
      expect(
        trials.filter(({ isRight }) => !isRight),
        name,
      ).toEqual([]);
      planted += trials.length;
    }
    // Each of them has a number of things to change, or the traces are not read.
    expect(planted).toBeGreaterThan(GOLDENS.length * 15);
  },
);
