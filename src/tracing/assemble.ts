import type { Json, JsonObject, Trace } from '../contract/index.ts';
import type { TraceFields, TraceRecord } from './mapping.ts';

/**
 * Makes one trace of its records. What the root says of the trace wins; observations inherit the trace's metadata,
 * and come by start and id. Records of several traces become one under the id of the earliest: an agent without a
 * span around its turn makes a trace per model call.
 */
export function assembleTrace(records: Iterable<TraceRecord>): Trace {
  const sorted = [...records].sort(byStart);
  const root = rootOf(sorted);
  const byWeight = [root, ...sorted.filter((record) => record !== root)].map(({ trace }) => trace);
  const metadata = merged([
    ...byWeight.map((fields) => fields.metadata).reverse(),
    ...(root.observation.metadata === undefined ? [] : [withoutAttributes(root.observation.metadata)]),
    root.trace.metadata,
  ]);
  const said = <Key extends keyof TraceFields>(key: Key): TraceFields[Key] | undefined =>
    byWeight.find((fields) => fields[key] !== undefined)?.[key];
  const tags = [...new Set(byWeight.flatMap((fields) => fields.tags ?? []))].sort();
  const trace: Trace = {
    id: sorted[0]?.traceId ?? root.traceId,
    name: said('name') ?? root.observation.name,
    timestamp: sorted[0]?.observation.startTime ?? root.observation.startTime,
    environment: said('environment') ?? 'default',
    metadata,
    observations: sorted.map(({ observation }) => ({
      ...observation,
      metadata: observation.metadata === undefined ? metadata : { ...observation.metadata, ...metadata },
    })),
  };
  for (const key of ['sessionId', 'userId', 'release', 'version'] as const) {
    const value = said(key);
    if (value !== undefined) trace[key] = value;
  }
  if (tags.length > 0) trace.tags = tags;
  const input: Json | undefined = said('input') ?? root.observation.input;
  if (input !== undefined) trace.input = input;
  const output: Json | undefined = said('output') ?? root.observation.output;
  if (output !== undefined) trace.output = output;
  return trace;
}

function byStart(a: TraceRecord, b: TraceRecord): number {
  return compare(a.observation.startTime, b.observation.startTime) || compare(a.observation.id, b.observation.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The earliest root, or else the earliest whose parent is not there, or else the earliest. */
function rootOf(sorted: readonly TraceRecord[]): TraceRecord {
  const ids = new Set(sorted.map(({ observation }) => observation.id));
  const root =
    sorted.find((record) => record.isRoot) ??
    sorted.find(({ observation }) => !ids.has(observation.parentId ?? '')) ??
    sorted[0];
  if (root === undefined) throw new RangeError('a trace has at least one record');
  return root;
}

/** Later objects win. `fromEntries` defines keys, so that `__proto__` is one of them. */
function merged(objects: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}

/** Bare span attributes are the span's own, not the trace's. */
function withoutAttributes({ attributes: _, ...rest }: JsonObject): JsonObject {
  return rest;
}
