import type { FurtherRecording, PinnedTurn } from './schema.ts';

/** A recording that a run of the agent made. */
export type RecordingMade = FurtherRecording & { readonly made: NonNullable<FurtherRecording['made']> };

/** Recordings made by runs, oldest first. The original is not among them, because somebody chose it. */
export function recordingsMade({ baselines = [] }: Pick<PinnedTurn, 'baselines'>): RecordingMade[] {
  return baselines
    .filter((each): each is RecordingMade => each.made !== undefined)
    .sort((a, b) => Date.parse(a.made.at) - Date.parse(b.made.at) || a.made.run - b.made.run);
}
