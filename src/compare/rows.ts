import { matchRuns } from './explain/match.ts';
import type { Difference, ShownStep } from './result.ts';
import type { KeyedStep } from './values/keys.ts';

/** A step with its place in its run, from 1. */
export interface NumberedStep extends ShownStep {
  readonly number: number;
}

/** One line of two runs laid side by side; null where a side has nothing. */
export interface PairRow {
  readonly recorded: NumberedStep | null;
  readonly replayed: NumberedStep | null;
  /** Both sides are the same, after renaming. */
  readonly same: boolean;
  /** What differs here, in order. */
  readonly differences: readonly Difference[];
}

/** Lays the steps of a replay beside those of the recording, each difference where it is. */
export function rowsOf(
  recorded: readonly KeyedStep[],
  replayed: readonly KeyedStep[],
  differences: readonly Difference[],
): PairRow[] {
  const told = new Set<Difference>();
  const match = matchRuns(recorded, replayed);
  return match.pairs.map(({ a, b }): PairRow => {
    const [left, right] = [match.recorded[a], match.replayed[b]];
    const here = differences.filter((each) => !told.has(each) && isAt(each, left, right));
    for (const each of here) told.add(each);
    return {
      recorded: left === undefined ? null : numbered(left),
      replayed: right === undefined ? null : numbered(right),
      same: left !== undefined && left.exact === right?.exact,
      differences: here,
    };
  });
}

/** A difference belongs to the recorded step, or to the replayed one where only the replay has it. */
function isAt(
  { recordedStep, replayedStep }: Difference,
  left: KeyedStep | undefined,
  right: KeyedStep | undefined,
): boolean {
  return recordedStep === null ? replayedStep === right?.number : recordedStep === left?.number;
}

function numbered({ number, kind, name, value }: KeyedStep): NumberedStep {
  return { number, kind, ...(name === undefined ? {} : { name }), ...(value === undefined ? {} : { value }) };
}
