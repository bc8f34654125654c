import { z } from 'zod';
import { type Json, json, jsonObject } from '../json/index.ts';

/** The tracing platform's observation types, in the spelling of its SDKs. */
export const observationType = z.enum([
  'span',
  'generation',
  'event',
  'embedding',
  'agent',
  'tool',
  'chain',
  'retriever',
  'evaluator',
  'guardrail',
]);
export type ObservationType = z.infer<typeof observationType>;

const observationLevel = z.enum(['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']);

const isoTime = z.iso.datetime({ offset: true });

/**
 * What a span holds under a name that we do not know. `value`: the step's arguments, result or messages, without which the
 * step is compared; `content`: anything more.
 */
export const unread = z.object({ attribute: z.string(), degree: z.enum(['value', 'content']) });
export type Unread = z.infer<typeof unread>;

/**
 * One observation of a trace, from any source: an SDK, OpenTelemetry, or either read API.
 * Times are ISO 8601 with milliseconds, in UTC. An absent key was not recorded; `null` was recorded as null.
 */
export const observation = z.object({
  id: z.string().min(1),
  /** The parent's id; null for a root. It may name an observation that never arrives (a filtered HTTP span). */
  parentId: z.string().nullable(),
  type: observationType,
  name: z.string(),
  startTime: isoTime,
  /** Null until it has ended, and for ever on a root that the platform made up. */
  endTime: isoTime.nullable(),
  /** Input and output as values: a string that spells a JSON object or array was parsed where it entered. */
  input: json.optional(),
  output: json.optional(),
  level: observationLevel.optional(),
  statusMessage: z.string().optional(),
  /** On a tool call: the id under which the model asked for it. */
  callId: z.string().optional(),
  model: z.string().optional(),
  modelParameters: jsonObject.optional(),
  /** Tokens by kind (`input`, `output`, `total`, ...). */
  usage: z.record(z.string(), z.number()).optional(),
  /** Cost by kind, in US dollars. */
  cost: z.record(z.string(), z.number()).optional(),
  metadata: jsonObject.optional(),
  /** Reported when the trace arrives. Of a recording only lost values are pinned: with them it is unfit. */
  unread: z.array(unread).optional(),
});
export type Observation = z.infer<typeof observation>;

/** Those without a parent among them: that of a root may be a span that is not exported. */
export function topsOf(observations: readonly Observation[]): Observation[] {
  const ids = new Set(observations.map(({ id }) => id));
  return observations.filter(({ parentId }) => parentId === null || !ids.has(parentId));
}

/** Tools by type, and spans that older SDKs record under a tool call's id. */
export function isTool({ type, callId }: Observation): boolean {
  return type === 'tool' || type === 'retriever' || (type === 'span' && callId !== undefined);
}

/** The names of the tools that ran, one per call. */
export function calledTools(observations: readonly Observation[]): string[] {
  return observations.filter(isTool).map(({ name }) => name);
}

/** Steps that all recordings of a turn have and its trace has not, and why no more is expected. Never pinned. */
interface Ended {
  readonly without: string[];
  /** Milliseconds since its last span came; null: its agent had ended. */
  readonly silentMs: number | null;
  /** How long after their root the recordings end, in milliseconds. */
  readonly recordedMs: number;
  /** The longest time in this run until more of a trace was seen, in milliseconds. */
  readonly seenMs: number;
}

/** One trace: what the agent did for one turn. `observations` are in no particular order. */
export const trace = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  /** Start of the trace. */
  timestamp: isoTime,
  sessionId: z.string().optional(),
  release: z.string().optional(),
  version: z.string().optional(),
  /** Metadata at trace level: what the root carries and every observation inherits. */
  metadata: jsonObject,
  /** The trace's own input and output, or else those of its root. */
  input: json.optional(),
  output: json.optional(),
  observations: z.array(observation),
});
export type Trace = z.infer<typeof trace> & {
  readonly ended?: Ended;
  /** Ids of the traces that are joined in this one; its own alone: what it goes on with is not here. Never pinned. */
  readonly pieces?: readonly string[];
};

/** What all calls of one model in a trace used. An amount is absent if one of the calls does not report it. */
const modelUsage = z.object({
  model: z.string().optional(),
  calls: z.int().positive(),
  inputTokens: z.number().nonnegative().optional(),
  outputTokens: z.number().nonnegative().optional(),
  /** US dollars, if the trace reports them. */
  cost: z.number().nonnegative().optional(),
});
export type ModelUsage = z.infer<typeof modelUsage>;

/** Start and end of a clock, in milliseconds since 1970. */
const clock = z.object({ from: z.number(), to: z.number() });

/** What one turn did: the part of a trace that is compared and pinned. */
export const recording = z.object({
  traceId: z.string().min(1).optional(),
  /** The turn's output: the output of the trace's root, or of the response if there is no trace. */
  output: json.optional(),
  /** When the tool results that came from recordings were recorded: times in those results are of these clocks. */
  resultClocks: z.array(clock).optional(),
  /** By model. Never compared. */
  usage: z.array(modelUsage).optional(),
  observations: z.array(observation),
});

/** A call of a tool that the recording does not hold. */
const missedCall = z.object({
  name: z.string(),
  arguments: json,
  /** How often the replay had made this call with these arguments before. */
  before: z.int().nonnegative(),
  callId: z.string().optional(),
});
export type MissedCall = z.infer<typeof missedCall>;

/** What a replay did. */
export const replayedRecording = recording.extend({
  /** Calls that ended the replay, in order. Nothing after the first one is compared. Never pinned. */
  missed: z.array(missedCall).optional(),
  /** What its model, answered as recorded, was first asked that is not recorded or not asked at the base; empty: nothing. Never pinned. */
  asked: z.string().optional(),
});
export type Recording = z.infer<typeof replayedRecording>;

/** A recording, and the run that made it, if one did. */
type OfRun = Recording & { readonly made?: { readonly at: string; readonly run: number } | undefined };

/** Each recording once: a copy has the same trace or, without a trace, was made in the same run. */
export function withoutCopies<Any extends OfRun>(recordings: readonly Any[]): Any[] {
  const known = new Set<string>();
  return recordings.filter(({ traceId, made }) => {
    const name = traceId ?? (made && `${made.at} ${made.run}`);
    return name === undefined || (!known.has(name) && known.add(name));
  });
}

/** A turn compared without traces: its output is all there is. */
export function responseOnly(output: Json | undefined): Recording {
  return output === undefined ? { observations: [] } : { output, observations: [] };
}
