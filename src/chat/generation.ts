import { canonical, isJsonObject, type Json, type JsonObject, own, present, spelledOut } from '../json/index.ts';
import { conversationIn } from './conversation.ts';
import { callsIn, itemsIn, resultsIn } from './items.ts';
import { type Message, type ToolCall, type ToolResult, textOf } from './message.ts';
import { objectAt, textAt, valueAt } from './names.ts';
import { type Output, readOutput } from './output.ts';
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
  readonly input?: Json;
  readonly output?: Json;
  readonly model?: string;
  readonly modelParameters?: JsonObject;
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

/**
 * Settings of a caller in providers' spellings, in lower case without separators. Other recorded values (ids and times of
 * the response, usage, retries) are not settings.
 */
const SET_BY_CALLERS = new Set([
  'temperature',
  'topp',
  'topk',
  'topa',
  'minp',
  'maxtokens',
  'maxoutputtokens',
  'maxcompletiontokens',
  'maxtokenstosample',
  'maxnewtokens',
  'maxgenlen',
  'n',
  'choicecount',
  'candidatecount',
  'seed',
  'randomseed',
  'stop',
  'stopsequences',
  'presencepenalty',
  'frequencypenalty',
  'repetitionpenalty',
  'logitbias',
  'toolchoice',
  'functioncall',
  'toolconfig',
  'paralleltoolcalls',
  'responseformat',
  'responsemimetype',
  'responseschema',
  'outputtype',
  'outputformat',
  'text',
  'format',
  'reasoning',
  'reasoningeffort',
  'effort',
  'thinking',
  'thinkingconfig',
  'thinkingbudget',
  'budgettokens',
  'verbosity',
  'safetysettings',
  'modalities',
  'truncation',
  'servicetier',
  'mode',
]);
/** Senders put a call's settings below one of these. */
const NESTED = new Set(['generationconfig', 'inferenceconfig', 'settings', 'modelsettings', 'config', 'options']);

/** The settings of a caller, taken from everything recorded about a model call. Undefined if there are none. */
function parametersIn(recorded: JsonObject | undefined): JsonObject | undefined {
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(recorded ?? {})) {
    const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
    const spelled = NESTED.has(plain) ? spelledOut(value) : undefined;
    if (isJsonObject(spelled)) entries.push(...Object.entries(parametersIn(spelled) ?? {}));
    else if (value !== null && value !== '' && SET_BY_CALLERS.has(plain)) entries.push([name, value]);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters?: Json;
  /** All other keys. */
  readonly more?: JsonObject;
}

/** Lists of definitions one level deeper, as in Gemini and Bedrock. */
const LISTS = ['functionDeclarations', 'function_declarations', 'tools'];
const WRAPPERS = ['function', 'toolSpec', 'tool', 'json_schema'];
const PARAMETERS = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema', 'schema'];

/** Tool definitions in providers' shapes, in order. Anything else is left out. */
function definitionsIn(recorded: readonly Json[]): ToolDefinition[] {
  return recorded.flatMap((each): ToolDefinition[] => {
    const value = spelledOut(each);
    if (Array.isArray(value)) return definitionsIn(value);
    if (!isJsonObject(value)) return [];
    const list = LISTS.map((key) => own(value, key)).find(Array.isArray);
    if (list !== undefined) return definitionsIn(list);
    return definition(value) ?? definitionsOf(value);
  });
}

function definition(value: JsonObject): ToolDefinition[] | undefined {
  const inner = objectAt(value, WRAPPERS);
  if (inner !== undefined && textAt(value, ['name']) === undefined) return definition(inner);
  const spelled = WRAPPERS.map((key) => spelledOut(own(value, key))).find(isJsonObject);
  if (spelled !== undefined && spelled !== inner) return definition(spelled);
  const name = textAt(value, ['name', 'type']);
  if (name === undefined) return undefined;
  const more = Object.entries(value).filter(([key]) => !KNOWN.has(key));
  return [
    present({
      name,
      description: textAt(value, ['description']),
      parameters: schemaOf(valueAt(value, PARAMETERS)),
      more: more.length === 0 ? undefined : Object.fromEntries(more),
    }),
  ];
}

const KNOWN = new Set(['name', 'description', 'type', ...PARAMETERS]);

/** The AI SDK and Bedrock put the schema into an object of its own. */
function schemaOf(value: Json | undefined): Json | undefined {
  const schema = spelledOut(value);
  return isJsonObject(schema) ? (objectAt(schema, ['json', 'jsonSchema']) ?? schema) : schema;
}

/** An object of tools by name, as passed to the AI SDK. */
function definitionsOf(tools: JsonObject): ToolDefinition[] {
  return Object.entries(tools).flatMap(([name, tool]) =>
    isJsonObject(tool) ? (definition({ ...tool, name }) ?? []) : [],
  );
}
