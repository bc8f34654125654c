import type { Json, JsonObject } from '../../json/index.ts';
import type { ToolCall } from '../message.ts';

/** A model's answer, independent of the protocol. */
export interface ModelAnswer {
  /** Empty if it only calls tools. */
  readonly text: string;
  readonly calls: readonly Pick<ToolCall, 'id' | 'name' | 'args'>[];
  /** Whether it stopped because of its length. */
  readonly isCutShort: boolean;
  /** The recorded model, by its name. */
  readonly model?: string;
}

/** With its place among the answers of a run, because agents keep messages by their ids. */
export interface NumberedAnswer extends ModelAnswer {
  readonly number: number;
}

/** As it is written in every protocol. */
export interface WireAnswer extends Pick<NumberedAnswer, 'number' | 'isCutShort'> {
  /** Undefined if it only calls tools. */
  readonly text: string | undefined;
  /** With arguments as JSON text. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly model: string;
}

/** How one provider's protocol writes an answer. */
export interface Wire {
  /** The whole answer, as one body. */
  body(answer: WireAnswer, request: JsonObject): JsonObject;
  /** The same as stream events, each with its name if the protocol has one. */
  events(answer: WireAnswer, request: JsonObject): WireEvent[];
  /** The end of the stream, after its events. */
  readonly end: string;
}

export interface WireEvent {
  readonly event?: string;
  readonly data: JsonObject;
}

export function wireAnswer(answer: NumberedAnswer, { model: asked }: JsonObject): WireAnswer {
  const { number, text, calls, isCutShort, model } = answer;
  // The model that answered, if its name is more exact than the one that was asked for.
  const isMoreExact = typeof asked !== 'string' || model?.startsWith(asked);
  return {
    number,
    isCutShort,
    text: text === '' && calls.length > 0 ? undefined : text,
    calls: calls.map(({ id, name, args }, index) => ({
      id: id ?? idOf('call', answer, index + 1),
      name,
      args: argumentsText(args),
    })),
    model: (isMoreExact ? model : asked) ?? 'recorded',
  };
}

/** An id for something recorded without one. @param part of the answer, from 1 */
export function idOf(prefix: string, { number }: Pick<NumberedAnswer, 'number'>, part = 0): string {
  return `${prefix}_recorded${number}${part === 0 ? '' : `_${part}`}`;
}

/** Models write arguments as JSON text, but recorded arguments may not be. */
function argumentsText(args: Json | undefined): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {});
}

/** Fewest characters, and most pieces. */
const LEAST_CHARACTERS = 7;
const MOST_PIECES = 100;

/** A text in the pieces in which a model says it. An empty one is one piece. */
export function piecesOf(text: string): string[] {
  const characters = [...text];
  const size = Math.max(LEAST_CHARACTERS, Math.ceil(characters.length / MOST_PIECES));
  const count = Math.max(1, Math.ceil(characters.length / size));
  return Array.from({ length: count }, (_, at) => characters.slice(at * size, (at + 1) * size).join(''));
}
