import { hash } from 'node:crypto';
import { isJsonObject, isRawNumber, type Json, type Recording } from '../contract/index.ts';
import { recordingOf } from '../session/index.ts';
import type { ReplayOutcome } from './result.ts';

/** What a replay did, as it is compared and pinned. */
export function behaviourOf({ trace, response }: Extract<ReplayOutcome, { kind: 'replayed' }>): Recording {
  return trace === null ? responseOnly(response?.output) : recordingOf(trace);
}

/** A turn as it is compared without traces. */
export function responseOnly(output: Json | undefined): Recording {
  return output === undefined ? { observations: [] } : { output, observations: [] };
}

/**
 * The same for recordings that are the same but for the ids and the times that tracing gave them. Places stand for the
 * former and ranks for the latter: what came before what, and what overlapped, counts.
 */
export function behaviourDigest({ output, observations }: Recording): string {
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
  return hash('sha256', canonical({ output, observations: plain } as unknown as Json), 'hex');
}

/** JSON with sorted keys, so that equal values have equal text. */
function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value) || isRawNumber(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.keys(value)
    .sort()
    .flatMap((key) => (value[key] === undefined ? [] : `${JSON.stringify(key)}:${canonical(value[key])}`));
  return `{${entries.join(',')}}`;
}
