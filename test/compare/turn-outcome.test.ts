import { expect, test } from 'vitest';
import { outcome as anyOutcome, type Outcome } from '../../src/compare/index.ts';
import { turnOutcome } from '../../src/compare/turn-outcome.ts';
import { sessionVerdict } from '../../src/report/build.ts';
import { outcomes } from '../outcomes.ts';

const NONE = { runs: 0, isShared: false };

/** @param apart runs that differ in what they did @param isShared all in the same */
function counts(asRecorded: number, apart: number, lost: number, isShared = false) {
  const conclusive = asRecorded + apart;
  return {
    requested: conclusive + lost,
    conclusive,
    asRecorded,
    minor: 0,
    inOtherWords: 0,
    isUnread: false,
    apart: { did: { runs: apart, isShared }, said: NONE, path: NONE },
  };
}

/** Runs as recorded, runs that did something else, runs lost, whether the same fact differs in all, and what comes of it. */
const TABLE: [number, number, number, boolean, Outcome, string | null][] = [
  [1, 0, 0, false, outcomes.asRecorded, null],
  [5, 0, 0, false, outcomes.asRecorded, null],
  [4, 0, 1, false, outcomes.couldNotTell, '1 of 5 could not tell'],
  [0, 0, 0, false, outcomes.couldNotTell, null],
  [0, 0, 5, false, outcomes.couldNotTell, '5 of 5 could not tell'],
  [4, 1, 0, false, outcomes.varies, null],
  [3, 1, 1, false, outcomes.varies, '1 of 5 could not tell'],
  [0, 5, 0, false, outcomes.varies, null],
  [0, 5, 0, true, outcomes.changed, null],
  [0, 1, 0, true, outcomes.changed, null],
  [0, 4, 1, true, outcomes.changed, '1 of 5 could not tell'],
];

test.each(TABLE)(
  '%i as recorded, %i apart, %i lost, the same in all: %s: %s',
  (asRecorded, apart, lost, isShared, verdict, note) => {
    expect(turnOutcome(counts(asRecorded, apart, lost, isShared))).toMatchObject({ verdict, note });
  },
);

test('an aspect in which no run differs is in doubt where a run was lost, and only there', () => {
  expect(turnOutcome(counts(3, 1, 1)).aspects).toEqual({
    did: { outcome: outcomes.varies, runs: 1 },
    said: { outcome: outcomes.couldNotTell, runs: 0 },
    path: { outcome: outcomes.couldNotTell, runs: 0 },
  });
  expect(turnOutcome(counts(3, 1, 0)).aspects.said.outcome).toBe(outcomes.asRecorded);
});

test('other words are a doubt about what was said, and hide no difference', () => {
  for (const [given, verdict] of [
    [counts(5, 0, 0), outcomes.couldNotTell],
    [counts(3, 2, 0), outcomes.varies],
    [counts(4, 0, 1), outcomes.couldNotTell],
  ] as const) {
    const { aspects, note, ...told } = turnOutcome({ ...given, inOtherWords: 1 });
    expect([told.verdict, aspects.said.outcome]).toEqual([verdict, outcomes.couldNotTell]);
    expect(note).toContain(
      `${given.asRecorded - 1} of ${given.conclusive} as recorded, 1 could not tell: worded differently`,
    );
  }
  expect(turnOutcome({ ...counts(3, 2, 0), isUnread: true }).aspects.said.outcome).toBe(outcomes.couldNotTell);
});

test('a session has the verdict of its worst turn', () => {
  expect(anyOutcome.options).toEqual([outcomes.changed, outcomes.varies, outcomes.couldNotTell, outcomes.asRecorded]);
  for (const [rank, worst] of anyOutcome.options.entries()) {
    for (const other of anyOutcome.options.slice(rank)) {
      expect([sessionVerdict([worst, other]), sessionVerdict([other, worst, other])]).toEqual([worst, worst]);
    }
  }
  expect(sessionVerdict([])).toBe(outcomes.couldNotTell);
});
