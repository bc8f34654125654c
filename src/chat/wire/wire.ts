import type { Json, JsonObject } from '../../json/index.ts';
import type { ToolCall } from '../message.ts';

/** A model's answer, independent of the protocol. */
export interface ModelAnswer {
  /** Empty if it only calls tools. */
  readonly text: string;
  readonly calls: readonly Pick<ToolCall, 'id' | 'name' | 'args'>[];
  /** Whether it stopped because of its length. */
  readonly isCutShort: boolean;
}

/** With its place among the answers of a run, because agents keep messages by their ids. */
export interface NumberedAnswer extends ModelAnswer {
  readonly number: number;
}

/** How one provider's protocol writes an answer. */
export interface Wire {
  /** The whole answer, as one body. */
  body(answer: NumberedAnswer, request: JsonObject): JsonObject;
  /** The same as stream events, each with its name if the protocol has one. */
  events(answer: NumberedAnswer, request: JsonObject): WireEvent[];
  /** The end of the stream, after its events. */
  readonly end: string;
}

export interface WireEvent {
  readonly event?: string;
  readonly data: JsonObject;
}

/** An id for something recorded without one. @param part of the answer, from 1 */
export function idOf(prefix: string, { number }: NumberedAnswer, part = 0): string {
  return `${prefix}_recorded${number}${part === 0 ? '' : `_${part}`}`;
}

/** Models write arguments as JSON text, but recorded arguments may not be. */
export function argumentsText(args: Json | undefined): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {});
}

export function modelOf({ model }: JsonObject): string {
  return typeof model === 'string' ? model : 'recorded';
}
