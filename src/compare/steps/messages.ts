import { asText, isJsonObject, type Json, type JsonObject, MAX_DEPTH, messagesOf } from '../../contract/index.ts';
import { tooDeep } from '../values/canonical.ts';
import { spelledInFence, spelledOut } from '../values/spelled.ts';

/** A tool call that a model asked for. */
export interface AskedCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Json | undefined;
  /** What came of it, where that is told without an id. */
  readonly observed?: Json | undefined;
}

/** What a generation put out, in order of mention. */
export interface ModelOutput {
  /** Texts and thoughts; a structured answer as its value. */
  readonly texts: readonly Json[];
  readonly calls: readonly AskedCall[];
  /** Why the model stopped, when it did not finish: `length`, `content_filter`, ... */
  readonly cutShort: string | undefined;
}

/**
 * Reads a generation's output in any of the shapes that platforms record: OpenAI chat and responses, the `parts` of
 * OpenTelemetry GenAI and the AI SDK, Anthropic content blocks, plain text. An object of no known shape is one text.
 */
export function readModelOutput(output: Json | undefined): ModelOutput {
  const texts: Json[] = [];
  const calls: AskedCall[] = [];
  let cutShort: string | undefined;
  /** A stack, as values are as deep as their sender liked; what lies first is taken first. */
  const pending: { value: Json; inCallList: boolean; depth: number; top: boolean }[] = [];
  if (output !== undefined) pending.push({ value: output, inCallList: false, depth: 0, top: true });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, inCallList, depth, top } = next;
    if (depth > MAX_DEPTH) throw tooDeep();
    if (typeof value === 'string') {
      if (value.trim() !== '') texts.push(value);
    } else if (Array.isArray(value)) {
      for (const item of joined(value).reverse()) pending.push({ value: item, inCallList, depth: depth + 1, top });
    } else if (isJsonObject(value)) {
      cutShort ??= stopReason(value);
      const call = asCall(value, inCallList);
      if (call !== undefined) {
        calls.push(call);
        continue;
      }
      if (RESULT_TYPES.has(asText(value.type)) || value.role === 'tool') continue;
      const entered = TEXT_AND_LISTS.filter((key) => isWorthEntering(value, key));
      for (const key of entered.toReversed()) {
        pending.push({ value: value[key] as Json, inCallList: CALL_LISTS.has(key), depth: depth + 1, top: false });
      }
      if (entered.length === 0 && top && !hasMessageShape(value)) texts.push(value);
    } else if (value !== null && top) {
      texts.push(value);
    }
  }
  // A structured answer whose keys only look like those of a message.
  const isUntold = texts.length === 0 && calls.length === 0 && isJsonObject(output) && !hasMessageShape(output);
  return { texts: isUntold ? [output] : texts, calls, cutShort };
}

const TEXT_PARTS = new Set(['text', 'output_text', 'text-delta', 'text_delta']);

/** Text that was streamed arrives in as many parts as the network made of it. */
function joined(parts: readonly Json[]): Json[] {
  const items: Json[] = [];
  let run: string[] = [];
  const flush = (): void => {
    if (run.length > 0) items.push(run.join(''));
    run = [];
  };
  for (const part of parts) {
    const isText = isJsonObject(part) && TEXT_PARTS.has(asText(part.type));
    const text = isText ? textAt(part, ['text', 'content', 'delta']) : part;
    if (typeof text === 'string') run.push(text);
    else {
      flush();
      items.push(part);
    }
  }
  flush();
  return items;
}

/** The tool results that a generation was given, by call id, each id's in order. */
export function readGivenResults(input: Json | undefined): Map<string, Json[]> {
  const results = new Map<string, Json[]>();
  for (const message of messagesOf(input)) {
    for (const part of [message, ...partsOf(message)]) {
      const isResult = part.role === 'tool' || RESULT_TYPES.has(asText(part.type));
      const id = isResult ? textAt(part, RESULT_IDS) : undefined;
      if (id === undefined) continue;
      const value = RESULT_VALUES.map((key) => (Object.hasOwn(part, key) ? part[key] : undefined)).find(
        (each) => each !== undefined,
      );
      if (value === undefined || (part === message && partsOf(message).some(isResultPart))) continue;
      const known = results.get(id);
      if (known === undefined) results.set(id, [value]);
      else known.push(value);
    }
  }
  return results;
}

/** All text of a message, whatever its shape, joined by line breaks. */
export function messageText(message: JsonObject): string {
  if (typeof message.content === 'string') return message.content;
  const texts = partsOf(message).map((part) => textAt(part, ['text', 'content', 'output_text']));
  return texts.filter((text) => text !== undefined).join('\n');
}

/**
 * What a turn's output says to the user. SDKs record the answer itself, the assistant's message around it, or all
 * messages: the text of the last one of the assistant is the answer, and may spell a structured one.
 */
export function answerIn(output: Json): Json | undefined {
  const spelled = spelledOut(output);
  const isState = isJsonObject(spelled) && Array.isArray(spelled.messages) && Object.keys(spelled).length === 1;
  const messages = isState ? spelled.messages : spelled;
  const last = Array.isArray(messages) && messages.every(isMessage) ? messages.findLast(isOfAssistant) : messages;
  if (!isMessage(last) || !isOfAssistant(last)) return spelledInFence(spelled);
  const { texts } = readModelOutput(last);
  return texts.length === 0 ? spelled : spelledInFence(texts.length === 1 ? texts[0] : texts.join('\n'));
}

function isMessage(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.role === 'string' && ('content' in value || 'parts' in value);
}

function isOfAssistant({ role }: JsonObject): boolean {
  return role === 'assistant' || role === 'model' || role === 'ai';
}

const TEXT_AND_LISTS = [
  'thinking',
  'reasoning',
  'text',
  'refusal',
  'content',
  'parts',
  'message',
  'messages',
  'choices',
  'output',
  'tool_calls',
  'toolCalls',
];
const CALL_LISTS = new Set(['tool_calls', 'toolCalls']);
const CALL_TYPES = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call']);
const CALL_IDS = ['call_id', 'toolCallId', 'id'];
const CALL_ARGS = ['arguments', 'args', 'input'];
const RESULT_TYPES = new Set(['tool_call_response', 'tool-result', 'tool_result', 'function_call_output', 'tool']);
const RESULT_IDS = ['tool_call_id', 'toolCallId', 'tool_use_id', 'call_id', 'id'];
const RESULT_VALUES = ['response', 'result', 'output', 'content'];
const UNFINISHED = new Set(['length', 'max_tokens', 'content_filter', 'content-filter']);

function asCall(object: JsonObject, inCallList: boolean): AskedCall | undefined {
  const isCall = inCallList || CALL_TYPES.has(asText(object.type)) || typeof object.toolName === 'string';
  if (!isCall || RESULT_TYPES.has(asText(object.type))) return undefined;
  const inner = isJsonObject(object.function) ? object.function : object;
  const name = textAt(inner, ['name', 'toolName']);
  if (name === undefined) return undefined;
  const args = CALL_ARGS.map((key) => (Object.hasOwn(inner, key) ? inner[key] : undefined)).find(
    (each) => each !== undefined,
  );
  return { id: textAt(object, CALL_IDS), name, args: spelledOut(args) };
}

function stopReason(object: JsonObject): string | undefined {
  const reason = textAt(object, ['finish_reason', 'finishReason', 'stop_reason']);
  return reason !== undefined && UNFINISHED.has(reason) ? reason : undefined;
}

function isWorthEntering(object: JsonObject, key: string): boolean {
  if (!Object.hasOwn(object, key)) return false;
  const value = object[key];
  // `text` and `content` say something only in a message or a part; elsewhere they are fields of a structured answer.
  return value !== null && value !== undefined && (typeof value === 'object' || hasMessageShape(object));
}

function hasMessageShape(object: JsonObject): boolean {
  return (
    typeof object.role === 'string' ||
    typeof object.type === 'string' ||
    Object.hasOwn(object, 'finish_reason') ||
    Object.hasOwn(object, 'toolCalls')
  );
}

function partsOf(message: JsonObject): JsonObject[] {
  const parts = message.parts ?? message.content;
  return Array.isArray(parts) ? parts.filter((part): part is JsonObject => isJsonObject(part)) : [];
}

function isResultPart(part: JsonObject): boolean {
  return RESULT_TYPES.has(asText(part.type));
}

function textAt(object: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
