import type { TraceRecord } from '../mapping/trace-record.ts';
import { progressOf } from '../receiver/complete.ts';
import type { TracingHabits } from '../receiver/habits.ts';
import type { Sighting } from './api.ts';

/** How long data must stay unchanged, in milliseconds. Measured on real servers. */
export interface PlatformPatience {
  /** A complete trace. */
  readonly quietMs: number;
  /**
   * A trace that may lack something: model calls became visible up to 3 s after their root, SDKs flush every 5 s, and a
   * tool result, an end or a filtered parent may never come.
   */
  readonly settleMs: number;
  /** A span that was sent twice: its copies may alternate, each for seconds. */
  readonly duplicatesMs: number;
  /** Between polls, at first and at most. */
  readonly firstPollMs: number;
  readonly maxPollMs: number;
}

export const PATIENCE: PlatformPatience = {
  quietMs: 3_000,
  settleMs: 10_000,
  duplicatesMs: 30_000,
  firstPollMs: 500,
  maxPollMs: 4_000,
};

/** What is known about one replay's trace. */
export interface Findings {
  readonly sightings: readonly Sighting[];
  readonly records: readonly TraceRecord[];
  readonly hasDuplicates: boolean;
  /** How long the bulk read has been unchanged, in milliseconds. */
  readonly stillForMs: number;
  /** How long whole reads have been unchanged, in milliseconds. */
  readonly sameForMs: number;
  /** The call ended without an answer, so its trace may be broken off too. */
  readonly isBroken: boolean;
  /** The trace's number of observations, if a receiver counted them on their way. */
  readonly expected: number | undefined;
  /** Rows mark the root, so there must be one. */
  readonly marksRoots: boolean;
  readonly habits: TracingHabits | undefined;
}

/** Whether nothing more is expected. Pure. */
export function isSettled(findings: Findings, { quietMs, settleMs, duplicatesMs }: PlatformPatience): boolean {
  const { sightings, records, hasDuplicates, stillForMs, sameForMs, isBroken, expected, marksRoots, habits } = findings;
  const { missing, open, hiddenTop, areCallsMatched } = progressOf(records, habits);
  const isHidden = hiddenTop !== undefined && habits?.hidesTop !== true;
  if (missing.length > 0 || (isHidden && marksRoots)) return false;
  const isComplete = open.length === 0 && !isHidden;
  if (!isComplete && isBroken) return false;
  if (expected !== undefined && records.filter(({ observation }) => observation).length < expected) return false;
  const isAllThere = expected !== undefined || (isComplete && areCallsMatched);
  if (stillForMs < (isAllThere ? quietMs : settleMs)) return false;
  if (hasDuplicates && sameForMs < duplicatesMs) return false;
  // Data that the bulk read does not show must be read whole twice.
  return isShown(records, sightings) || sameForMs >= quietMs;
}

function isShown(records: readonly TraceRecord[], sightings: readonly Sighting[]): boolean {
  return records.every(
    ({ observation }) => observation === undefined || sightings.some((seen) => seen.observationIds.has(observation.id)),
  );
}
