import { inFull } from '../../chat/index.ts';
import { byCodeUnit, type JsonObject, present } from '../../json/index.ts';
import { joinTraces, type Observation, type Trace } from '../../trace/index.ts';
import type { TraceFields, TraceRecord } from './trace-record.ts';

/**
 * The root's statements about the trace win; observations inherit the trace's metadata, and are sorted by start and id.
 */
export function assembleTrace(records: readonly TraceRecord[]): Trace {
  const traces = [...Map.groupBy(records, ({ traceId }) => traceId).values()].map(assembled);
  return joinTraces(traces as [Trace, ...Trace[]]);
}

function assembled(records: readonly TraceRecord[]): Trace {
  const sorted = [...records].sort(byStart);
  const root = rootOf(sorted);
  const byWeight = [root, ...sorted.filter((record) => record !== root)].map(({ trace }) => trace);
  const metadata = merged([
    ...byWeight.map((fields) => fields.metadata).reverse(),
    ownMetadata(root.observation),
    root.trace.metadata,
  ]);
  const said = <Key extends keyof TraceFields>(key: Key): TraceFields[Key] =>
    byWeight.find((fields) => fields[key] !== undefined)?.[key] as TraceFields[Key];
  const observations = sorted.flatMap(({ observation }) => observation ?? []);
  const byId = new Map(observations.map((each) => [each.id, each]));
  return present({
    id: root.traceId,
    timestamp: root.trace.timestamp ?? startOf(sorted[0] ?? root),
    metadata,
    observations: observations.map((each) => ({
      ...withMessagesInFull(each, byId),
      metadata: { ...each.metadata, ...metadata },
    })),
    sessionId: said('sessionId'),
    release: said('release'),
    version: said('version'),
    name: said('name') ?? root.observation?.name,
    input: said('input') ?? root.observation?.input,
    output: said('output') ?? root.observation?.output,
  });
}

function withMessagesInFull(observation: Observation, byId: ReadonlyMap<string, Observation>): Observation {
  const { type, parentId, input } = observation;
  const around = type === 'generation' && parentId !== null ? byId.get(parentId)?.input : undefined;
  return around === undefined ? observation : present({ ...observation, input: inFull(input, around) });
}

function byStart(a: TraceRecord, b: TraceRecord): number {
  return byCodeUnit(startOf(a), startOf(b)) || byCodeUnit(a.observation?.id ?? '', b.observation?.id ?? '');
}

function startOf({ observation, trace }: TraceRecord): string {
  return observation?.startTime ?? trace.timestamp ?? '';
}

/** The record of the trace itself, or the earliest root, or the earliest record without its parent. */
function rootOf(sorted: readonly TraceRecord[]): TraceRecord {
  const ids = new Set(sorted.map(({ observation }) => observation?.id));
  const root =
    sorted.find(({ observation }) => observation === undefined) ??
    sorted.find(({ isRoot }) => isRoot) ??
    sorted.find(({ observation }) => !ids.has(observation?.parentId ?? '')) ??
    sorted[0];
  if (root === undefined) throw new RangeError('a trace has at least one record');
  return root;
}

/** Later objects win. `fromEntries` defines keys, so that `__proto__` is one of them. */
function merged(objects: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}

/** Without bare span attributes, which belong to the span and not to the trace. */
function ownMetadata(observation: Observation | undefined): JsonObject {
  const { attributes: _, ...own } = observation?.metadata ?? {};
  return own;
}
