import type { Report, SessionResult } from '../src/rims.ts';
import { askFor, type ReplayHow, type ReplayTrace, tracesOf } from './session.ts';

/** All that is known of a session that was replayed, whatever came of it. */
export interface RawReplay {
  /** Verdict, and for each turn the comparison and what kept runs from being compared: as in `report.json`. */
  readonly result: SessionResult;
  /** The distinct behaviours: by turn, most frequent first. */
  readonly traces: readonly ReplayTrace[];
  /** One entry a replay: ids, times, outcome. */
  readonly runs: Report['evidence']['runs'];
}

/**
 * Replays a pinned session and gives the raw results: divergences and doubts are data, too. Given up when the test is.
 * @throws CouldNotTell when nothing could be replayed at all
 */
export type Replay = (id: string, how?: ReplayHow & { readonly turn?: number }) => Promise<RawReplay>;

/** Fixtures for `test.extend(withReplay)`: the test gets `replay`. */
export const withReplay = {
  replay: async ({ signal }: { readonly signal: AbortSignal }, use: (replay: Replay) => Promise<void>) => {
    await use(async (id, { turn, ...how } = {}) => {
      const replayed = await askFor({ id, turn }, how, signal);
      return { result: replayed.session, traces: tracesOf(replayed), runs: replayed.report.evidence.runs };
    });
  },
};
