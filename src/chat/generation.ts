import { canonical, isJsonObject, type Json, type JsonObject } from '../json/index.ts';
import { conversationIn } from './conversation.ts';
import { definitionsIn, type ToolDefinition } from './definitions.ts';
import { callsIn, itemsIn, resultsIn } from './items.ts';
import { type Message, type ToolCall, type ToolResult, textOf } from './message.ts';
import { type Output, readOutput } from './output.ts';
import { parametersIn } from './parameters.ts';
import type { ReadMessage } from './read.ts';
import { written } from './write.ts';

/** Input and output of a model call, from any SDK. Parsed once, when first needed. */
export interface Generation extends Omit<Given, 'calls'>, Output {
  /** Calls in its input. */
  readonly asked: number;
  readonly model: string | undefined;
  /** What the caller set; undefined if unknown. */
  readonly parameters: JsonObject | undefined;
  /** Its whole input, as recorded. */
  readonly input: Json | undefined;
}

export interface Given {
  /** Its system prompts, joined; empty if it had none. */
  readonly system: string;
  /** The conversation, including system prompts. */
  readonly messages: readonly Message[];
  /** The same as parsed, with thoughts and parts of unknown shape. */
  readonly read: readonly ReadMessage[];
  readonly calls: readonly ToolCall[];
  /** Their results, with the ids of the calls. */
  readonly results: readonly ToolResult[];
  readonly tools: readonly ToolDefinition[] | undefined;
}

export interface RecordedCall {
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly model?: string | undefined;
  readonly modelParameters?: JsonObject | undefined;
}

export function generationOf({ input, output, model, modelParameters }: RecordedCall): Generation {
  return {
    input,
    model: model ?? (isJsonObject(input) && typeof input.model === 'string' ? input.model : undefined),
    get system() {
      return given(input).system || echoedSystem(output);
    },
    get messages() {
      return given(input).messages;
    },
    get read() {
      return given(input).read;
    },
    get asked() {
      return given(input).calls.length;
    },
    get results() {
      return given(input).results;
    },
    get tools() {
      const beside = modelParameters?.tools ?? (isJsonObject(output) ? output.tools : undefined);
      return given(input).tools ?? (beside === undefined ? undefined : offered([beside]));
    },
    get said() {
      return putOut(output).said;
    },
    get calls() {
      return putOut(output).calls;
    },
    get reasoning() {
      return putOut(output).reasoning;
    },
    get cutShort() {
      return putOut(output).cutShort;
    },
    get parameters() {
      return parametersIn({ ...(isJsonObject(input) ? input : {}), ...modelParameters });
    },
  };
}

export function given(input: Json | undefined): Given {
  return remembered(inputs, input, givenIn);
}

export function putOut(output: Json | undefined): Output {
  return remembered(outputs, output, readOutput);
}

/** Cache of parsed values: traces are walked several times, and prompts are most of them. */
const inputs = new WeakMap<object, Given>();
const outputs = new WeakMap<object, Output>();

function remembered<T>(known: WeakMap<object, T>, value: Json | undefined, read: (value: Json | undefined) => T): T {
  if (typeof value !== 'object' || value === null) return read(value);
  const before = known.get(value);
  if (before !== undefined) return before;
  const now = read(value);
  known.set(value, now);
  return now;
}

function givenIn(input: Json | undefined): Given {
  const { messages: read, system, tools } = conversationIn(input) ?? { messages: [], system: [], tools: [] };
  let messages: readonly Message[] | undefined;
  return {
    read,
    get messages() {
      messages ??= written(read);
      return messages;
    },
    get system() {
      const among = this.messages.filter(({ role }) => role === 'system').map((message) => textOf(message));
      return [...among, ...system.map(systemText)].join('\n');
    },
    get calls() {
      return read.flatMap(({ items }) => callsIn(items));
    },
    get results() {
      return read.flatMap(({ items }) => resultsIn(items));
    },
    get tools() {
      return offered(tools);
    },
  };
}

function offered(tools: readonly Json[]): ToolDefinition[] | undefined {
  const found = definitionsIn(tools);
  return found.length === 0 ? undefined : found;
}

/** A system prompt beside the messages: text, or parts. */
function systemText(value: Json): string {
  const parts = isJsonObject(value) ? (value.parts ?? value.content ?? [value]) : value;
  const texts = itemsIn(parts).flatMap((item) => (item.kind === 'text' ? [item.text] : []));
  return texts.length === 0 ? canonical(value) : texts.join('\n');
}

/** The Responses API returns the instructions it was given, and one instrumentation records them only there. */
function echoedSystem(output: Json | undefined): string {
  const isResponse = isJsonObject(output) && output.object === 'response';
  return isResponse && typeof output.instructions === 'string' ? output.instructions : '';
}
