import { byName } from '../../json/index.ts';
import { nameOfPin } from '../words/words.ts';
import type { HistoryEntry } from './history-entry.ts';

/** How a session did in one run of the history. */
export interface TrendPoint
  extends Pick<HistoryEntry, 'startedAt' | 'commit' | 'branch' | 'status'>,
    Pick<HistoryEntry['sessions'][number], 'verdict' | 'asRecorded' | 'n' | 'agreement'> {
  readonly models: readonly string[];
  /** Share of the compared runs as recorded, 0 to 1; null if none could be compared. */
  readonly share: number | null;
}

/** One session over time, oldest run first. There is at least one point. */
export interface Trend {
  readonly session: string;
  /** The pin's path in the latest run. */
  readonly pin: string;
  readonly agentId?: string;
  readonly points: readonly TrendPoint[];
}

/** Runs shown by default: a month of nightly runs. */
export const SHOWN_RUNS = 30;

/** Sorted by pin. @param options.session only the one with this id, or with this name or path of its pin */
export function trendsOf(
  entries: readonly HistoryEntry[],
  { last = SHOWN_RUNS, session: only }: { last?: number; session?: string } = {},
): Trend[] {
  const trends = new Map<string, Omit<Trend, 'points'> & { points: TrendPoint[] }>();
  for (const { sessions, startedAt, commit, branch, models = [], status } of entries.slice(-last)) {
    for (const { id, pin, agentId, verdict, asRecorded, n, agreement } of sessions) {
      if (only !== undefined && ![id, pin, nameOfPin(pin)].includes(only)) continue;
      const share = n === 0 ? null : asRecorded / n;
      const points = trends.get(id)?.points ?? [];
      points.push({ startedAt, commit, branch, models, status, verdict, asRecorded, n, share, agreement });
      trends.set(id, { session: id, pin, agentId, points });
    }
  }
  return [...trends.values()].sort((a, b) => byName(a.pin, b.pin));
}

/** The run in which the present verdict began. */
export function since({ points }: Trend): TrendPoint {
  const latest = points.at(-1) as TrendPoint;
  const before = points.findLastIndex(({ verdict }) => verdict !== latest.verdict);
  return points[before + 1] as TrendPoint;
}

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const UNKNOWN = '·';

/**
 * The share of runs as recorded over time, one character per run: `█████▁▁▅·`. A full block means all, a dot that none
 * could be compared.
 */
export function sparkline(points: readonly TrendPoint[]): string {
  return points
    .map(({ share }) => (share === null ? UNKNOWN : LEVELS[Math.floor(share * (LEVELS.length - 1))]))
    .join('');
}
