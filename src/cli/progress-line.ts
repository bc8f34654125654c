import { fit } from '../report/index.ts';
import { duration, forTerminal } from '../text/index.ts';

export interface Progress {
  readonly sessionsDone: number;
  readonly sessions: number;
  readonly runsDone: number;
  readonly runs: number;
  /** Answered replays whose trace has not arrived yet. */
  readonly waitingForTraces: number;
  readonly elapsedMs: number;
  /** What happens before and after the replays: `starting the agent`. */
  readonly note?: string | undefined;
}

/** Fewer finished runs say little about the remaining time. */
const MIN_RUNS_FOR_ETA = 3;

/** At most `columns` wide: `3/8 sessions, 12/40 runs, 4 waiting for traces, about 12 s left`. */
export function progressLine(progress: Progress, columns = Number.POSITIVE_INFINITY): string {
  const { sessionsDone, sessions, runsDone, runs, waitingForTraces, note } = progress;
  const left = remainingMs(progress);
  const parts = [
    ...(note === undefined ? [] : [forTerminal(note)]),
    `${sessionsDone}/${sessions} sessions`,
    `${runsDone}/${runs} runs`,
    ...(waitingForTraces > 0 ? [`${waitingForTraces} waiting for traces`] : []),
    ...(left === undefined ? [] : [`about ${duration(left)} left`]),
  ];
  return fit(parts.join(', '), columns);
}

/** Assumes that the remaining runs take as long as the finished ones did. */
function remainingMs({ runsDone, runs, elapsedMs }: Progress): number | undefined {
  if (runsDone < MIN_RUNS_FOR_ETA || runsDone >= runs) return undefined;
  const ms = (elapsedMs / runsDone) * (runs - runsDone);
  // Tenths of a second would pretend precision.
  return Math.max(1, Math.round(ms / 1_000)) * 1_000;
}
