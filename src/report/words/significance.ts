import { baselinesNeeded, type TurnComparison } from '../../compare/index.ts';
import type { Report } from '../schema.ts';
import { sessionName } from './words.ts';

type Permutation = NonNullable<TurnComparison['permutation']>;

/** Below this, a difference between recordings and replays is rarely chance. */
const SIGNIFICANT = 0.05;

/**
 * The results of the permutation tests of turns with several recordings, and how many recordings the tests would need to
 * show anything. Printed, never a gate.
 */
export function significanceLines({ results }: Report): string[] {
  const tests = results.sessions.flatMap((session) =>
    session.turns.flatMap(({ turn, comparison: { permutation } }) =>
      permutation === null ? [] : [{ place: `${sessionName(session)}, turn ${turn}`, permutation }],
    ),
  );
  const adjusted = holm(tests.map(({ permutation }) => permutation.p));
  const lines = tests.map(({ place, permutation: { p, baselines, replays } }, index) => {
    const among = tests.length > 1 ? `, ${adjusted[index]} among ${tests.length} tests (Holm)` : '';
    return `${place}: p = ${p}${among}: ${baselines} recordings against ${replays} replays`;
  });
  return [...lines, ...hintFor(tests.map(({ permutation }) => permutation))];
}

/**
 * Holm's step-down adjustment (1979) of the p-values of several tests, in the given order. Each may then be read as if it
 * were alone.
 */
export function holm(ps: readonly number[]): number[] {
  let largest = 0;
  const inOrder = [...ps.entries()].sort(([, a], [, b]) => a - b);
  const adjusted = inOrder.map(([at, p], rank) => {
    largest = Math.max(largest, Math.min(1, (ps.length - rank) * p));
    return [at, Number(largest.toPrecision(6))] as const;
  });
  return adjusted.sort(([a], [b]) => a - b).map(([, p]) => p);
}

function hintFor(tests: readonly Permutation[]): string[] {
  const weak = tests.filter(({ smallest }) => smallest * tests.length > SIGNIFICANT);
  const replays = Math.max(...weak.map((each) => each.replays));
  const needed = weak.length === 0 ? null : baselinesNeeded(replays, tests.length);
  if (needed === null) return [];
  const which = weak.length === tests.length ? 'no test can' : `${weak.length} of ${tests.length} tests cannot`;
  return [`${which} reach p = ${SIGNIFICANT}: with ${replays} replays that takes ${needed} recordings of a turn`];
}
