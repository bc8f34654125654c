import { generationOf } from '../../chat/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { isJsonObject, type Json } from '../../json/index.ts';
import { isTool, type Trace } from '../../trace/index.ts';
import type { AgentEvidence, Call, TimedSpan } from './evidence.ts';
import { skip } from './rule.ts';

export const NOT_REACHED = skip('not reached: an earlier call failed');

/** The first call, sent as `run` does; rules before `answers` do not need it. */
export function plainOf({ calls }: AgentEvidence): Call {
  return calls[0] as Call;
}

/** Of the plain call; rules that need `complete` have it. */
export function traceOf(evidence: AgentEvidence): Trace {
  return plainOf(evidence).trace as Trace;
}

/** The call that a span belongs to, by the traces of the call, or by what the span says. */
export function callOf(calls: readonly Call[], span: TimedSpan | undefined): Call | undefined {
  if (span === undefined) return undefined;
  const known = calls.find(({ trace }) => trace?.id === span.traceId || trace?.pieces?.includes(span.traceId));
  return known ?? calls.find(({ trace, replayRunId }) => trace !== undefined && saysRun(span, replayRunId));
}

function saysRun({ metadata, attributes }: TimedSpan, replayRunId: string): boolean {
  return JSON.stringify(metadata ?? attributes).includes(replayRunId);
}

export function ownSpans({ trace, spans }: Call): Call['spans'] {
  const ids = new Set(trace?.observations.map(({ id }) => id));
  return spans.filter(({ id }) => ids.has(id));
}

/** The repetition of the plain call; undefined if it was not reached. */
export function againOf({ calls: [plain, again] }: AgentEvidence): Call | undefined {
  return again?.turnTraceId === plain?.turnTraceId ? again : undefined;
}

export function failureOf({ outcome }: Call): AgentReplayError | undefined {
  return outcome.kind === 'unverified' ? outcome.error : undefined;
}

/** Answered and, where traces are read, traced. */
export function isReplayed({ outcome }: Call): boolean {
  return outcome.kind === 'replayed';
}

/** The answer arrived completely. */
export function statusOf({ exchanges }: Call): number | undefined {
  const last = exchanges.at(-1);
  return last?.error === undefined ? last?.status : undefined;
}

/** With JSON and a success status. */
export function isAnswered(call: Call): boolean {
  const status = statusOf(call) ?? 0;
  return status >= 200 && status < 300 && isJsonObject(call.body);
}

/** A problem in between, which says nothing about the endpoint. */
const OBSTACLES = new Set([
  'AGENT_CRASHED',
  'CALL_TIMEOUT',
  'CALL_FAILED',
  'TARGET_UNREACHABLE',
  'RESPONSE_TOO_LARGE',
  'INTERRUPTED',
]);
const OBSTACLE_STATUSES = new Set([401, 403, 407, 429, 503]);

export function obstacleOf(call: Call): AgentReplayError | undefined {
  const failure = failureOf(call);
  if (failure === undefined) return undefined;
  const isStatus = failure.code === 'RESPONSE_STATUS' && OBSTACLE_STATUSES.has(statusOf(call) ?? 0);
  return isStatus || OBSTACLES.has(failure.code) ? failure : undefined;
}

export function answeredWith({ body }: Call, key: string): Json | undefined {
  return isJsonObject(body) && Object.hasOwn(body, key) ? body[key] : undefined;
}

/** Whether two calls sent the same: `messages`, `input`, or both. */
export function hasSameForm({ request: a }: Call, { request: b }: Call): boolean {
  return (
    (a.messages === undefined) === (b.messages === undefined) && (a.input === undefined) === (b.input === undefined)
  );
}

/** A call and why it failed, for the evidence of a rule. */
export function callLines(call: Call): string[] {
  const failure = failureOf(call);
  const name = `call ${call.number} (${call.name})`;
  if (failure === undefined) return [`${name}: status ${statusOf(call)}`];
  return [`${name}: ${failure.message}`, ...failure.evidence.filter((line) => /^(body|reason|came|agent):/.test(line))];
}

/** Whether the input of a model, or else of any observation, contains a text. */
export function shows(trace: Trace, text: string): boolean {
  const inputs = modelInputs(trace);
  const all = inputs.length > 0 ? inputs : [trace.input, ...trace.observations.map(({ input }) => input)];
  return JSON.stringify(all).includes(JSON.stringify(text).slice(1, -1));
}

/** Whether a model received a tool result of an earlier turn. Its trace may only mention it. */
export function holdsResult({ observations }: Trace): boolean {
  return observations.some((observation) => {
    if (observation.type !== 'generation') return false;
    const { read } = generationOf(observation);
    const question = read.findLastIndex(({ role }) => role === 'user');
    return read.slice(0, question).some(({ role }) => role === 'tool');
  });
}

/** Names of the agent's tools, as far as a trace shows them. */
export function toolsIn(trace: Trace | undefined): string[] {
  return (trace?.observations ?? []).flatMap((observation) => {
    if (isTool(observation)) return observation.name;
    return observation.type === 'generation' ? (generationOf(observation).tools ?? []).map(({ name }) => name) : [];
  });
}

export function modelInputs({ observations }: Trace): Json[] {
  return observations.flatMap(({ type, input }) => (type === 'generation' && input !== undefined ? [input] : []));
}

/** Where metadata is if not at trace level: on one observation, or as a bare attribute of its span. */
export function misplaced({ metadata, observations }: Trace, key: string): string | undefined {
  if (Object.hasOwn(metadata, key)) return undefined;
  const has = (value: Json | undefined) => isJsonObject(value) && Object.hasOwn(value, key);
  const holder = observations.find((one) => has(one.metadata) || has(one.metadata?.attributes));
  if (holder === undefined) return undefined;
  const where = has(holder.metadata) ? 'metadata' : 'bare attributes';
  return `${where} of ${holder.type} "${holder.name}" alone`;
}

/** The id of a trace that a replay continued instead of starting a new one. */
export function oldTraceOf({ calls }: AgentEvidence): string | undefined {
  const seen = new Set<string>();
  for (const { trace, turnTraceId, outcome, spans, replayRunId } of calls) {
    if (trace?.id === turnTraceId) return turnTraceId;
    const isLost = outcome.kind === 'unverified' && outcome.error.code === 'TRACE_MISSING';
    // Spans of an earlier trace with this call's id.
    const late = spans.find((span) => seen.has(span.traceId) && saysRun(span, replayRunId));
    if (isLost && late !== undefined) return late.traceId;
    if (trace !== undefined && seen.has(trace.id)) return trace.id;
    if (trace !== undefined) seen.add(trace.id);
  }
  return undefined;
}

/** A value as it is shown in evidence. */
export function shortJson(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
