import type { TraceRecord } from '../mapping/record.ts';
import { progressOf } from '../receiver/complete.ts';
import type { TracingHabits } from '../receiver/habits.ts';
import type { Sighting } from './api.ts';

/** How long what is there must stay as it is, in milliseconds. Measured on real servers. */
export interface PlatformPatience {
  /** A complete trace. */
  readonly quietMs: number;
  /**
   * A trace that may lack something: model calls became visible up to 3 s after their root, SDKs flush every 5 s, and
   * a tool result, an end or a filtered parent may never come.
   */
  readonly settleMs: number;
  /** A span that was sent twice: its copies can take turns, each for seconds. */
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

/** What is known of one replay's trace. */
export interface Findings {
  readonly sightings: readonly Sighting[];
  readonly records: readonly TraceRecord[];
  readonly hasDuplicates: boolean;
  /** How long the bulk read has shown the same, in milliseconds. */
  readonly stillForMs: number;
  /** How long whole reads have brought the same, in milliseconds. */
  readonly sameForMs: number;
  /** The call ended without an answer: its trace may be broken off too. */
  readonly isBroken: boolean;
  /** Observations that the trace has, where a receiver has counted them on their way. */
  readonly expected: number | undefined;
  /** Rows say which one is the root, so that one must be there. */
  readonly marksRoots: boolean;
  readonly habits: TracingHabits | undefined;
}

/** Whether nothing more is to be expected. Pure. */
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
  // What the bulk read does not show has to be read whole twice.
  return isShown(records, sightings) || sameForMs >= quietMs;
}

function isShown(records: readonly TraceRecord[], sightings: readonly Sighting[]): boolean {
  return records.every(
    ({ observation }) => observation === undefined || sightings.some((seen) => seen.observationIds.has(observation.id)),
  );
}
