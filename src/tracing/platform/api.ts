import type { JsonObject } from '../../json/index.ts';
import type { Trace } from '../../trace/index.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';

/**
 * The questions that a place with traces can answer; everything specific to one kind of place is behind it. The tracing
 * platform has two such APIs, and some of its servers lack one of them.
 */
export interface ReadApi {
  /** What is read there. */
  readonly name: 'traces' | 'observations' | 'files' | 'command';
  /** Whether rows mark the root, even if its parent is not exported. */
  readonly marksRoots: boolean;
  /** Whether this server has the API. @throws AgentReplayError `PLATFORM_UNAUTHORIZED` and others */
  probe(signal: AbortSignal): Promise<boolean>;
  /** All traces since then whose replay run id has this prefix: one read for all replays of a run. */
  sightings(query: { runIdPrefix: string; since: string }, signal: AbortSignal): Promise<Sighting[]>;
  /** Undefined if there is no such trace, or not yet. */
  read(traceId: string, since: string, signal: AbortSignal): Promise<Reading | undefined>;
  /**
   * Several traces whole, by reading everything since then, whatever it belongs to: for many traces that takes far fewer
   * reads than one by one. Undefined if it would take more than `maxReads`; a missing trace is left out.
   */
  readMany?(
    sightings: readonly Sighting[],
    query: { since: string; maxReads: number },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Reading> | undefined>;
  /** The traces of a session, the platform's own or one that their metadata names; empty if there is none. */
  tracesOf(sessionId: string, signal: AbortSignal): Promise<string[]>;
  /** Newest first, with at most the root as observation. A trace may come twice. */
  heads(query: TraceQuery, signal: AbortSignal): AsyncIterable<Trace>;
}

/** One trace, read whole. */
export interface Reading {
  readonly records: readonly TraceRecord[];
  /** Some observation came more than once. Its copies may differ, and the server may show another one next time. */
  readonly hasDuplicates: boolean;
}

/** What a bulk read shows of one trace. */
export interface Sighting {
  readonly traceId: string;
  readonly replayRunId: string;
  /** Changes with anything that the bulk read shows of the trace. */
  readonly fingerprint: string;
  /** Ids of the observations that it stands for. */
  readonly observationIds: ReadonlySet<string>;
  /** What was read of the trace itself, if {@link ReadApi.readMany} needs it. */
  readonly row?: JsonObject;
}

/** Before there was any platform. */
export const EVER = '2020-01-01T00:00:00.000Z';

export interface TimeRange {
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601, itself left out. */
  readonly until?: string;
}
export interface TraceQuery extends TimeRange {
  /** Value of `agent_id` in the metadata. Not every place filters, so the caller checks again. */
  readonly agentId?: string;
  /** The whole name of the trace. */
  readonly name?: string;
}
