import { canonical, isJsonObject, type Json, type JsonObject } from '../json/index.ts';
import { conversationIn, type Found } from './conversation.ts';
import { definitionsIn, type ToolDefinition } from './definitions.ts';
import { itemsIn } from './items.ts';
import { type Message, type ToolCall, type ToolResult, textOf } from './message.ts';
import { type Output, readOutput } from './output.ts';
import { parametersIn } from './parameters.ts';
import type { ReadMessage } from './read.ts';
import { written } from './write.ts';

/** Input and output of a model call, from any SDK. Parsed once, when first needed. */
export interface Generation extends Omit<Given, 'calls'>, Output {
  /** Number of calls in its input. */
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
  return new Reader(input, output, model, modelParameters);
}

export function given(input: Json | undefined): Given {
  return remembered(inputs, input, (value) => new GivenReader(value));
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

class GivenReader implements Given {
  readonly #found: Found | undefined;
  #messages: readonly Message[] | undefined;

  constructor(input: Json | undefined) {
    this.#found = conversationIn(input);
  }

  get messages(): readonly Message[] {
    this.#messages ??= written(this.#found?.messages ?? []);
    return this.#messages;
  }

  get system(): string {
    const beside = (this.#found?.system ?? []).map(systemText);
    const among = this.messages.filter(({ role }) => role === 'system').map((message) => textOf(message));
    return [...among, ...beside].join('\n');
  }

  get read(): readonly ReadMessage[] {
    return this.#found?.messages ?? [];
  }

  get calls(): readonly ToolCall[] {
    const items = (this.#found?.messages ?? []).flatMap((message) => message.items);
    return items.flatMap((item) => (item.kind === 'call' ? [item.call] : []));
  }

  get results(): readonly ToolResult[] {
    const items = (this.#found?.messages ?? []).flatMap((message) => message.items);
    return items.flatMap((item) => (item.kind === 'result' ? [item.result] : []));
  }

  get tools(): readonly ToolDefinition[] | undefined {
    const tools = definitionsIn(this.#found?.tools ?? []);
    return tools.length === 0 ? undefined : tools;
  }
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

class Reader implements Generation {
  readonly model: string | undefined;
  readonly input: Json | undefined;
  readonly #output: Json | undefined;
  readonly #parameters: JsonObject | undefined;

  constructor(
    input: Json | undefined,
    output: Json | undefined,
    model: string | undefined,
    parameters: JsonObject | undefined,
  ) {
    this.input = input;
    this.#output = output;
    this.model = model ?? (isJsonObject(input) && typeof input.model === 'string' ? input.model : undefined);
    this.#parameters = parameters;
  }

  get system(): string {
    const { system } = given(this.input);
    return system === '' ? echoedSystem(this.#output) : system;
  }
  get messages(): readonly Message[] {
    return given(this.input).messages;
  }
  get read(): readonly ReadMessage[] {
    return given(this.input).read;
  }
  get asked(): number {
    return given(this.input).calls.length;
  }
  get results(): readonly ToolResult[] {
    return given(this.input).results;
  }
  get tools(): readonly ToolDefinition[] | undefined {
    const beside = this.#parameters?.tools ?? (isJsonObject(this.#output) ? this.#output.tools : undefined);
    const { tools } = given(this.input);
    if (tools !== undefined || beside === undefined) return tools;
    const found = definitionsIn([beside]);
    return found.length === 0 ? undefined : found;
  }
  get said(): readonly Json[] {
    return putOut(this.#output).said;
  }
  get calls(): readonly ToolCall[] {
    return putOut(this.#output).calls;
  }
  get reasoning(): readonly string[] {
    return putOut(this.#output).reasoning;
  }
  get cutShort(): string | undefined {
    return putOut(this.#output).cutShort;
  }
  get parameters(): JsonObject | undefined {
    return parametersIn({ ...(isJsonObject(this.input) ? this.input : {}), ...this.#parameters });
  }
}
