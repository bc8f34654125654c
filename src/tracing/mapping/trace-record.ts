import type { Json, JsonObject } from '../../json/index.ts';
import type { Observation } from '../../trace/index.ts';

/** What a record says about its trace. Absent keys are unknown. */
export interface TraceFields {
  /** Only the older ingestion API gives it; otherwise it is the earliest start. */
  timestamp?: string;
  name?: string;
  sessionId?: string;
  release?: string;
  version?: string;
  /** At trace level: a filter on trace metadata finds these. */
  metadata: JsonObject;
  input?: Json;
  output?: Json;
}

/** One record of a trace, stored until the trace is complete. `observation.metadata` contains nothing inherited. */
export interface TraceRecord {
  readonly traceId: string;
  /** Undefined if it concerns only the trace, as in the older ingestion API. */
  readonly observation?: Observation;
  readonly trace: TraceFields;
  /** It has no parent, or its SDK marked it as the topmost exported span. */
  readonly isRoot: boolean;
}

/** The immediately known part of a record. The rest costs more, and is computed when first needed. */
export interface Arrival {
  readonly traceId: string;
  readonly id: string;
  /** The replay run id at any level, even where a platform would not look for it. */
  readonly replayRunId: string | undefined;
  record(): TraceRecord;
  /**
   * For records in pieces: merges this with earlier pieces of the same id. Without it, the later record replaces the
   * earlier.
   */
  join?(earlier: Arrival): Arrival;
}
