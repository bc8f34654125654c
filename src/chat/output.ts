import { isJsonObject, type Json, type JsonObject, MAX_DEPTH, own, tooDeep } from '../json/index.ts';
import { callIn, callsIn, type Item, joinTexts, partItems, resultsIn } from './items.ts';
import type { ToolCall } from './message.ts';
import { objectAt, textAt } from './names.ts';
import { bodyItems, readMessage } from './read.ts';

/** The output of a generation, in order of mention. */
export interface Output {
  /** Texts; a structured answer as its value. */
  readonly said: readonly Json[];
  readonly calls: readonly ToolCall[];
  /** The model's thoughts, as far as they are recorded. Only evidence. */
  readonly reasoning: readonly string[];
  /** Why the model stopped without finishing: `length`, `content_filter`, ... */
  readonly cutShort: string | undefined;
}

/** Reads a generation's output in any known shape. An unknown one counts as one structured text. */
export function readOutput(output: Json | undefined): Output {
  const reading = new Reading();
  if (output !== undefined) reading.read(output, 0);
  return reading.result();
}

/** Keys under which responses keep their content; each may be a list. */
const ENVELOPES = ['choices', 'candidates', 'generations', 'message', 'messages', 'output', 'outputs', 'response'];

class Reading {
  readonly #items: Item[] = [];
  /** Parts outside any message, in order. */
  #loose: Item[] = [];
  #cutShort: string | undefined;

  read(value: Json, depth: number): void {
    if (depth > MAX_DEPTH) throw tooDeep();
    if (value === null) return;
    if (Array.isArray(value)) {
      for (const each of value) this.read(each, depth + 1);
    } else if (typeof value === 'string') this.#loose.push({ kind: 'text', text: value });
    else if (isJsonObject(value)) this.#object(value, depth);
    else this.#loose.push({ kind: 'value', value });
  }

  #object(value: JsonObject, depth: number): void {
    this.#cutShort ??= stopReason(value);
    const part = partItems(value, { untyped: false }) ?? listedCall(value);
    if (part !== undefined) {
      this.#loose.push(...part);
      return;
    }
    const messages = readMessage(value);
    if (messages !== undefined) {
      for (const { role, items } of messages) if (role === 'assistant') this.#message(items);
      return;
    }
    const items = unnamedMessage(value);
    if (items !== undefined) {
      this.#message(items);
      return;
    }
    const envelope = ENVELOPES.find((key) => isEnvelope(own(value, key)));
    if (envelope === undefined) this.#loose.push({ kind: 'value', value });
    else this.read(own(value, envelope) as Json, depth + 1);
  }

  /** Keeps the texts of two messages apart. */
  #message(items: readonly Item[]): void {
    this.#flush();
    this.#items.push(...joinTexts(items));
  }

  #flush(): void {
    this.#items.push(...joinTexts(this.#loose));
    this.#loose = [];
  }

  result(): Output {
    this.#flush();
    const results = resultsIn(this.#items);
    return {
      said: this.#items.flatMap((item) => (item.kind === 'text' ? [item.text] : 'value' in item ? [item.value] : [])),
      calls: callsIn(this.#items).map((call) => {
        const result = call.result ?? (call.id === undefined ? undefined : results.find(({ id }) => id === call.id));
        return result === undefined ? call : { ...call, result };
      }),
      reasoning: this.#items.flatMap((item) => (item.kind === 'reasoning' ? [item.text] : [])),
      cutShort: this.#cutShort,
    };
  }
}

/** The AI SDK lists calls separately. */
function listedCall(value: JsonObject): Item[] | undefined {
  const call = callIn(value);
  return call && [{ kind: 'call', call }];
}

const SIGNS = ['tool_calls', 'toolCalls', 'finish_reason', 'finishReason', 'stop_reason', 'stopReason'];

/** A message without a role: it has calls, a reason for stopping, or parts as its content. */
function unnamedMessage(value: JsonObject): Item[] | undefined {
  const { content, parts, text } = value;
  const hasParts = [content, parts].some((list) => Array.isArray(list) && list.length > 0 && list.every(isPart));
  const isSigned =
    SIGNS.some((key) => own(value, key) !== undefined) && !ENVELOPES.some((key) => isEnvelope(own(value, key)));
  if (!hasParts && !isSigned && !isNested(content)) return undefined;
  const body =
    content === undefined && parts === undefined && typeof text === 'string' ? { ...value, content: text } : value;
  return bodyItems(body);
}

function isPart(value: Json): boolean {
  return partItems(value) !== undefined;
}

/** Gemini puts the parts into the content. */
function isNested(content: Json | undefined): boolean {
  return isJsonObject(content) && Array.isArray(content.parts);
}

/** Only values with messages or parts are searched, because a structured answer may use the same keys. */
function isEnvelope(value: Json | undefined, depth = 0): boolean {
  if (Array.isArray(value)) return value.length > 0 && depth < 3 && value.every((each) => isEnvelope(each, depth + 1));
  if (!isJsonObject(value)) return false;
  if (readMessage(value) !== undefined || partItems(value, { untyped: false }) !== undefined) return true;
  if (unnamedMessage(value) !== undefined) return true;
  return ENVELOPES.some((key) => own(value, key) !== undefined && depth < 3 && isEnvelope(own(value, key), depth + 1));
}

const REASONS = ['finish_reason', 'finishReason', 'stop_reason', 'stopReason', 'done_reason'];
/** Other reasons are normal ends: `stop`, `tool_calls`, ... */
const UNFINISHED = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'content_filter',
  'content-filter',
  'guardrail_intervened',
  'safety',
  'recitation',
  'prohibited_content',
  'blocklist',
  'spii',
]);

const BESIDE = ['response_metadata', 'generationInfo', 'generation_info', 'incomplete_details', 'incompleteDetails'];

function stopReason(value: JsonObject): string | undefined {
  const inner = objectAt(value, ['kwargs', 'data', 'message']) ?? value;
  const beside = [value, inner].map((each) => objectAt(each, BESIDE) ?? {});
  const reasons = [
    ...[value, inner].map((each) => textAt(each, REASONS)),
    ...beside.map((each) => textAt(each, [...REASONS, 'reason'])),
  ];
  return reasons.find((reason) => reason !== undefined && UNFINISHED.has(reason.toLowerCase()));
}
