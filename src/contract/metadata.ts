import { asText, type Json, type JsonObject } from '../json/index.ts';
import { type Identifiers, wireNames } from './identifiers.ts';
import type { ReplayMetadata } from './request.ts';

/** At trace level. SDKs turn booleans into strings, so both are read. */
interface TraceMetadata extends ReplayMetadata {
  readonly isReplay?: boolean | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
}

/** A value of the wrong kind counts as absent. */
export function readTraceMetadata(metadata: JsonObject, options: { identifiers?: Identifiers } = {}): TraceMetadata {
  const { keys } = wireNames(options.identifiers);
  return {
    isReplay: flag(metadata[keys.isReplay]),
    replayRunId: text(metadata[keys.replayRunId]),
    originalSessionId: text(metadata[keys.originalSessionId]),
    turnTraceId: text(metadata[keys.turnTraceId]),
    includePriorContext: flag(metadata[keys.includePriorContext]),
    agentId: text(metadata.agent_id),
    sessionId: text(metadata.session_id),
    runId: text(metadata.run_id),
  };
}

/** The platform's own, or the one in the metadata. A trace without either is a session of its own. */
export function sessionOf(
  trace: { readonly id: string; readonly sessionId?: string | undefined; readonly metadata: JsonObject },
  options: { identifiers?: Identifiers | undefined } = {},
): string {
  return trace.sessionId ?? readTraceMetadata(trace.metadata, options).sessionId ?? trace.id;
}

/** The trace of every turn must carry these keys. */
const REQUIRED = ['agent_id', 'session_id', 'run_id'] as const;

/** The keys of the contract that the trace of a normal turn lacks at trace level. */
export function missingMetadata(trace: {
  readonly sessionId?: string | undefined;
  readonly metadata: JsonObject;
}): (typeof REQUIRED)[number][] {
  const { agentId, sessionId = trace.sessionId, runId } = readTraceMetadata(trace.metadata);
  const said = { agent_id: agentId, session_id: sessionId, run_id: runId };
  return REQUIRED.filter((key) => said[key] === undefined);
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
}

function flag(value: Json | undefined): boolean | undefined {
  const word = asText(value).toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}
