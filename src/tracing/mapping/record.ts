import type { Json, JsonObject } from '../../json/index.ts';
import type { Observation } from '../../trace/index.ts';

/** What a record says of its trace. Absent keys were not said. */
export interface TraceFields {
  /** Said outright only by the older ingestion API; else it is the earliest start. */
  timestamp?: string;
  name?: string;
  sessionId?: string;
  userId?: string;
  tags?: string[];
  environment?: string;
  release?: string;
  version?: string;
  /** At trace level, as the platform sees it: what a filter on trace metadata finds. */
  metadata: JsonObject;
  input?: Json;
  output?: Json;
}

/** One record of a trace, as it is stored until the trace is complete. `observation.metadata` is its own, nothing inherited. */
export interface TraceRecord {
  readonly traceId: string;
  /** Undefined when it speaks of the trace alone, which only the older ingestion API does. */
  readonly observation?: Observation;
  readonly trace: TraceFields;
  /** It has no parent, or its SDK marked it as the topmost span that it exports. */
  readonly isRoot: boolean;
}

/** What is known of a record at once. The rest costs more and is made when it is first asked for, if ever. */
export interface Arrival {
  readonly traceId: string;
  readonly id: string;
  /** The replay run id that it carries at any level, also where a platform would not look for it. */
  readonly replayRunId: string | undefined;
  record(): TraceRecord;
  /** Where records come in pieces: this and what came earlier under the same id. Otherwise the later one replaces it. */
  join?(earlier: Arrival): Arrival;
}
