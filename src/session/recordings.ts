import { withoutCopies } from '../trace/index.ts';
import type { FurtherRecording, PinnedTurn, Session } from './schema.ts';

/** A recording that a run of the agent made. */
export type RecordingMade = FurtherRecording & { readonly made: NonNullable<FurtherRecording['made']> };

/** Oldest first, each once. The original is not among them, because somebody chose it. */
export function recordingsMade({ baselines = [] }: Pick<PinnedTurn, 'baselines'>): RecordingMade[] {
  return withoutCopies(baselines)
    .filter((each): each is RecordingMade => each.made !== undefined)
    .sort((a, b) => Date.parse(a.made.at) - Date.parse(b.made.at) || a.made.run - b.made.run);
}

/** How many of its further recordings are copies of others. */
export function copiesIn({ turns }: Session): number {
  return turns.reduce((sum, { baselines = [] }) => sum + baselines.length - withoutCopies(baselines).length, 0);
}
