import { matchRuns } from './explain/match.ts';
import { type KeyedStep, withoutKeys } from './keys/keys.ts';
import type { Difference, ShownStep } from './shapes/result.ts';

/** A step with its place in its run, from 1. */
export interface NumberedStep extends ShownStep {
  /** In its run, from 1. */
  readonly number: number;
  /** The real values of ids that it shows by a name. */
  readonly ids?: readonly NamedId[];
}

/** A generated id: its name, `<refund_order.hex#1>`, and its value in this run. */
export interface NamedId {
  readonly name: string;
  readonly text: string;
}

/** One row of two aligned runs; null if a side has nothing. */
export interface PairRow {
  readonly recorded: NumberedStep | null;
  readonly replayed: NumberedStep | null;
  /** Both sides are equal after renaming. */
  readonly same: boolean;
  readonly differences: readonly Difference[];
}

/** Lays the steps of a replay beside those of the recording, with each difference in its row. */
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
      recorded: left === undefined ? null : numbered(left, match.names.recorded),
      replayed: right === undefined ? null : numbered(right, match.names.replayed),
      same: left !== undefined && left.exact === right?.exact,
      differences: here,
    };
  });
}

/** A difference belongs to the recorded step, or to the replayed one if only the replay has it. */
function isAt(
  { recordedStep, replayedStep }: Difference,
  left: KeyedStep | undefined,
  right: KeyedStep | undefined,
): boolean {
  return recordedStep === null ? replayedStep === right?.number : recordedStep === left?.number;
}

const OWN_NAMES: ReadonlyMap<string, string> = new Map();

/** @param names of ids that are shown by other names than the run's own */
export function numbered(step: KeyedStep, names = OWN_NAMES): NumberedStep {
  const { number, ids } = step;
  const known = ids
    .map(({ name, text }) => ({ name: names.get(name) ?? name, text }))
    .filter(({ name, text }) => name !== text);
  return { ...withoutKeys(step), number, ...(known.length > 0 && { ids: known }) };
}
