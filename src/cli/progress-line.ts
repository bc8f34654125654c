import { fit } from '../report/index.ts';
import { duration, forTerminal } from '../text/index.ts';

export interface Progress {
  readonly sessionsDone: number;
  readonly sessions: number;
  readonly replaysDone: number;
  readonly replays: number;
  /** Answered replays whose trace has not arrived yet. */
  readonly waitingForTraces: number;
  readonly elapsedMs: number;
  /** What happens before and after the replays: `starting the agent`. */
  readonly note?: string;
}

/** Fewer finished replays say little about the remaining time. */
const MIN_REPLAYS_FOR_ETA = 3;

/** At most `columns` wide: `3/8 sessions, 12/40 replays, 4 waiting for traces, about 12 s left`. */
export function progressLine(progress: Progress, columns = Number.POSITIVE_INFINITY): string {
  const { sessionsDone, sessions, replaysDone, replays, waitingForTraces, note } = progress;
  const left = remainingMs(progress);
  const parts = [
    ...(note === undefined ? [] : [forTerminal(note)]),
    `${sessionsDone}/${sessions} sessions`,
    `${replaysDone}/${replays} replays`,
    ...(waitingForTraces > 0 ? [`${waitingForTraces} waiting for traces`] : []),
    ...(left === undefined ? [] : [`about ${duration(left)} left`]),
  ];
  return fit(parts.join(', '), columns);
}

/** Assumes that the remaining replays take as long as the finished ones did. */
function remainingMs({ replaysDone, replays, elapsedMs }: Progress): number | undefined {
  if (replaysDone < MIN_REPLAYS_FOR_ETA || replaysDone >= replays) return undefined;
  const ms = (elapsedMs / replaysDone) * (replays - replaysDone);
  // Tenths of a second would pretend precision.
  return Math.max(1, Math.round(ms / 1_000)) * 1_000;
}
