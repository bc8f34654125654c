import type { Report, SessionResult } from '../src/rims.ts';
import { askFor, type ReplayHow, type ReplayTrace, tracesOf } from './session.ts';

/** Everything known about a session that was replayed, whatever the result. */
export interface RawReplay {
  /** The verdict, and for each turn the comparison and its problems, as in `report.json`. */
  readonly result: SessionResult;
  /** The distinct behaviours: by turn, most frequent first. */
  readonly traces: readonly ReplayTrace[];
  /** One entry per replay: ids, times, outcome. */
  readonly runs: Report['evidence']['runs'];
}

/**
 * Returns the raw results, including divergences and doubts. Given up when the test is.
 * @throws CouldNotTell if nothing could be replayed at all
 */
export type Replay = (id: string, how?: ReplayHow & { readonly turn?: number }) => Promise<RawReplay>;

/** For `test.extend(withReplay)`: the test gets `replay`. */
export const withReplay = {
  replay: async ({ signal }: { readonly signal: AbortSignal }, use: (replay: Replay) => Promise<void>) => {
    await use(async (id, { turn, ...how } = {}) => {
      const replayed = await askFor({ id, turn }, how, signal);
      return { result: replayed.session, traces: tracesOf(replayed), runs: replayed.report.evidence.runs };
    });
  },
};
