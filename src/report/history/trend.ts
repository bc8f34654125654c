import type { Verdict } from '../../compare/index.ts';
import { byName } from '../../natural.ts';
import { nameOfPin } from '../outputs/words.ts';
import type { Status } from '../schema.ts';
import type { HistoryEntry } from './history-entry.ts';

/** How a session did in one run of the history. */
export interface TrendPoint {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly commit?: string | undefined;
  readonly branch?: string | undefined;
  readonly models: readonly string[];
  /** Status of the whole run. */
  readonly status: Status;
  readonly verdict: Verdict;
  readonly asRecorded: number;
  /** Runs that could be compared. */
  readonly n: number;
  /** Share of them as recorded, 0 to 1; null if none could be compared. */
  readonly share: number | null;
  /** How much the replays agree with each other, 0 to 1. */
  readonly agreement: number | null;
  /** The smallest p of its turns, if judged by shift. */
  readonly p?: number | undefined;
  /** How far that turn had shifted: .03 is 3 %; null if no two runs of one side differ. */
  readonly shift?: number | null | undefined;
}

/** One session over time, oldest run first. There is at least one point. */
export interface Trend {
  readonly session: string;
  /** The pin's path in the latest run. */
  readonly pin: string;
  readonly agentId?: string | undefined;
  readonly points: readonly TrendPoint[];
}

/** Runs shown by default: a month of nightly runs. */
export const SHOWN_RUNS = 30;

/**
 * The trend of each session over its last runs, sorted by pin.
 * @param options.session only the one with this id, or with this name or path of its pin
 */
export function trendsOf(
  entries: readonly HistoryEntry[],
  { last = SHOWN_RUNS, session: only }: { last?: number | undefined; session?: string | undefined } = {},
): Trend[] {
  const trends = new Map<string, Omit<Trend, 'points'> & { points: TrendPoint[] }>();
  for (const { sessions, startedAt, commit, branch, models = [], status } of entries.slice(-last)) {
    for (const { id, pin, agentId, verdict, asRecorded, n, agreement, p, shift } of sessions) {
      if (only !== undefined && ![id, pin, nameOfPin(pin)].includes(only)) continue;
      const share = n === 0 ? null : asRecorded / n;
      const points = trends.get(id)?.points ?? [];
      points.push({ startedAt, commit, branch, models, status, verdict, asRecorded, n, share, agreement, p, shift });
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
export function sparkline(points: readonly Pick<TrendPoint, 'share'>[]): string {
  return points
    .map(({ share }) => (share === null ? UNKNOWN : LEVELS[Math.floor(share * (LEVELS.length - 1))]))
    .join('');
}
