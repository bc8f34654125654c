import { hash } from 'node:crypto';
import { canonical, parseJson } from '../../json/index.ts';
import type { Recording } from '../../trace/index.ts';

/**
 * Equal for recordings that differ only in ids and times of tracing. Positions replace the ids and ranks the times, so
 * order and overlap still count.
 */
export function behaviourDigest({ output, observations, resultClocks, missed }: Recording): string {
  const places = new Map(observations.map(({ id }, place) => [id, place]));
  const times = observations.flatMap(({ startTime, endTime }) => [startTime, endTime ?? startTime]).map(Date.parse);
  const ranks = new Map([...new Set(times)].sort((a, b) => a - b).map((time, rank) => [time, rank]));
  const rank = (time: string | null): number | null => (time === null ? null : (ranks.get(Date.parse(time)) ?? null));
  const plain = observations.map(({ id, parentId, startTime, endTime, ...rest }) => ({
    ...rest,
    parent: parentId === null ? null : (places.get(parentId) ?? 'unseen'),
    start: rank(startTime),
    end: rank(endTime),
  }));
  return digestOf({ output, observations: plain, resultClocks, missed });
}

/** The start of a run by its own clock, in milliseconds since 1970; undefined without observations. */
export function startOf({ observations }: Recording): number | undefined {
  const times = observations.map(({ startTime }) => Date.parse(startTime));
  return times.length === 0 ? undefined : times.reduce((first, time) => Math.min(first, time));
}

/** The recording of a run that did the same at another time. */
export function startedAt(recording: Recording, start: number): Recording {
  const by = start - (startOf(recording) ?? start);
  if (by === 0) return recording;
  const moved = (time: string) => new Date(Date.parse(time) + by).toISOString();
  return {
    ...recording,
    observations: recording.observations.map((each) => ({
      ...each,
      startTime: moved(each.startTime),
      endTime: each.endTime === null ? null : moved(each.endTime),
    })),
  };
}

/** SHA-256 of a JSON value, whatever the order of its keys. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonical(parseJson(JSON.stringify(value))), 'hex');
}
