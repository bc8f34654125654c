import type { Json, JsonObject } from '../../json/index.ts';
import type { ToolCall } from '../message.ts';

/** What a model answers, whatever the protocol. */
export interface ModelAnswer {
  /** Empty where it only calls tools. */
  readonly text: string;
  readonly calls: readonly Pick<ToolCall, 'id' | 'name' | 'args'>[];
  /** Whether it stopped for the length of its answer. */
  readonly isCutShort: boolean;
}

/** How one provider's protocol says an answer. */
export interface Wire {
  /** The whole answer, as one body. */
  body(answer: ModelAnswer, request: JsonObject): JsonObject;
  /** The same as the events of a stream, each with its name where the protocol has one. */
  events(answer: ModelAnswer, request: JsonObject): WireEvent[];
  /** What ends the stream, besides its events. */
  readonly end: string;
}

export interface WireEvent {
  readonly event?: string;
  readonly data: JsonObject;
}

/** An id for what the recording has none of. */
export function idOf(prefix: string, index = 0): string {
  return `${prefix}_recorded${index === 0 ? '' : index}`;
}

/** Models write arguments as text; what was recorded of them may be none. */
export function argumentsText(args: Json | undefined): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {});
}

export function modelOf({ model }: JsonObject): string {
  return typeof model === 'string' ? model : 'recorded';
}
