import type { JsonObject } from '../../json/index.ts';
import type { Trace } from '../../trace/index.ts';
import type { TraceRecord } from '../mapping/record.ts';
import type { LookedUp } from './look-up.ts';

/**
 * What can be asked of a place where traces are kept; all that is known of one kind of place is behind it. The tracing
 * platform has two, each missing on some of its servers.
 */
export interface ReadApi {
  /** What is read there. */
  readonly name: 'traces' | 'observations' | 'spans' | 'runs' | 'files' | 'command';
  /** What the smallest plan allows, where there are plans. */
  readonly readsPerMinute: number;
  /** Whether rows say which one is the root, also where its parent is not exported. */
  readonly marksRoots: boolean;
  /** Whether this server has it. @throws AgentReplayError `PLATFORM_UNAUTHORIZED` and others */
  probe(signal: AbortSignal): Promise<boolean>;
  /** All traces since then whose replay run id begins so: one read for all replays of a run. */
  sightings(query: { runIdPrefix: string; since: string }, signal: AbortSignal): Promise<Sighting[]>;
  /** Undefined when there is no such trace, or not yet. */
  read(traceId: string, since: string, signal: AbortSignal): Promise<Reading | undefined>;
  /**
   * Several traces whole, by reading all that began since then, whosesoever it is: with many traces that is far less than
   * one by one. Undefined when it takes more reads than `maxReads`; a trace that is not there is left out.
   */
  readMany?(
    sightings: readonly Sighting[],
    query: { since: string; maxReads: number },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Reading> | undefined>;
  /** The traces of a session, whether it is the platform's own or one that the metadata of its traces names. */
  tracesOf(sessionId: string, signal: AbortSignal): Promise<string[]>;
  /** Newest first, with no observation but perhaps the root: enough to choose what is read whole. */
  heads(query: TraceQuery, signal: AbortSignal): AsyncIterable<Trace>;
  /** Traces that the server itself finds by a word; missing where no server can be asked for one. */
  lookUp?(word: string, range: TimeRange, signal: AbortSignal): Promise<LookedUp>;
}

/** One trace, read whole. */
export interface Reading {
  readonly records: readonly TraceRecord[];
  /** Some observation came more than once: its copies may differ, and which one is shown may change. */
  readonly hasDuplicates: boolean;
}

/** What a bulk read shows of one trace. */
export interface Sighting {
  readonly traceId: string;
  readonly replayRunId: string;
  /** Changes when anything about the trace changes that the bulk read shows. */
  readonly fingerprint: string;
  /** Ids of the observations that it stands for. */
  readonly observationIds: ReadonlySet<string>;
  /** What was read of the trace itself, where that is of use for {@link ReadApi.readMany}. */
  readonly row?: JsonObject;
}

export interface TimeRange {
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601, itself left out. */
  readonly until?: string | undefined;
}
export interface TraceQuery extends TimeRange {
  /** Value of `agent_id` in the metadata. Servers up to version 2 do not filter: the caller checks again. */
  readonly agentId?: string | undefined;
  /** Name of the trace, whole. */
  readonly name?: string | undefined;
}
