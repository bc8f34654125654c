import type { Generation, Item, ReadMessage, ToolCall } from '../../chat/index.ts';
import { byCodeUnit, canonical, type Json, plain, present, spelledOut } from '../../json/index.ts';
import { Names } from '../keys/names.ts';
import type { ModelCall } from '../steps/recorded-steps.ts';
import type { Clock } from '../steps/tree.ts';
import { readable } from '../values/canonical.ts';
import { remembered } from '../values/remembered.ts';
import type { Clocks } from './of-the-day.ts';

/** The inputs of one run's model calls, as needed to find causes. */
export interface Given {
  readonly modelCalls: readonly ModelCall[];
  readonly clock: Clock | undefined;
  /** Clocks of the recordings that tool results came from. */
  readonly otherClocks?: readonly Clock[];
}

/** A model call of each run. */
export type CallPair = readonly [recorded: number, replayed: number];
export type Runs = readonly [recorded: Given, replayed: Given];

/** Longest text inside a sentence, in characters. */
export const MAX_QUOTED = 100;

/** How much of a model call's input the trace holds. */
type InputHeld = 'whole' | 'missing' | 'cut off';

export function inputHeld(run: Given, call: number): InputHeld {
  const input = run.modelCalls[call]?.generation.input;
  if (input === undefined || input === null) return 'missing';
  // JSON text was parsed where it entered, so text that still looks like JSON has lost its end.
  return typeof input === 'string' && /^\s*(?:\[\s*\{|\{\s*")/.test(input) ? 'cut off' : 'whole';
}

export function isOutputSame(runs: Runs, [a, b]: CallPair): boolean {
  return outputKey(runs[0], a) === outputKey(runs[1], b);
}

/** Equal for equal outputs. */
export function outputKey(run: Given, call: number): string {
  const { text, calls } = outputOf(run, call);
  return canonical([text, ...calls]);
}

/** A message as it is compared: generated ids and times under their names, parallel calls in a fixed order. */
export interface Said {
  readonly role: Exclude<ReadMessage['role'], 'system'>;
  readonly text: string;
  readonly key: string;
  readonly tool?: string | undefined;
  readonly calls: readonly string[];
}

interface Conversation {
  readonly messages: readonly Said[];
  /** Names of what was generated in it. */
  readonly names: Names;
}

const conversations = new WeakMap<Generation, Conversation>();

/** The messages of a model call without its system prompts. A prompt of unknown shape counts as one user message. */
export function conversationOf(run: Given, call: number): readonly Said[] {
  const generation = run.modelCalls[call]?.generation;
  return generation === undefined ? [] : readConversation(run, generation).messages;
}

/** Number of messages of {@link conversationOf}, without reading them. */
export function lengthOf({ modelCalls }: Given, call: number): number {
  const generation = modelCalls[call]?.generation;
  if (generation === undefined) return 0;
  return isText(generation) ? unread(generation.input).length : turnsIn(generation.read).length;
}

function readConversation({ clock, otherClocks = [] }: Given, generation: Generation): Conversation {
  return remembered(conversations, generation, () => {
    const names = new Names([clock, ...otherClocks], undefined);
    const messages = isText(generation)
      ? unread(generation.input)
      : inOrder(turnsIn(generation.read), names).map((turn) => saidIn(turn, names));
    return { messages, names };
  });
}

/** A prompt that is a single text with everything that came before. */
export function isText({ read, system }: Generation): boolean {
  return read.length === 0 && system === '';
}

export function unread(input: Json | undefined): Said[] {
  if (input === undefined || input === null) return [];
  const text = typeof input === 'string' ? input : canonical(input);
  return [{ role: 'user', text, key: `user\0${text}`, calls: [] }];
}

/** One result, or the rest of one message. SDKs may put results and text into one message, or split one message. */
interface Turn {
  readonly role: Said['role'];
  readonly items: readonly Item[];
}

function turnsIn(read: readonly ReadMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, items, isContinued } of read) {
    if (role === 'system') continue;
    const said = items.filter((item) => !isResult(item) && !isEmpty(item));
    turns.push(...items.filter(isResult).map((result): Turn => ({ role: 'tool', items: [result] })));
    if (said.length === 0) continue;
    const last = turns.at(-1);
    if (isContinued && role === 'assistant' && last?.role === role) {
      turns[turns.length - 1] = { role, items: [...last.items, ...said] };
    } else turns.push({ role, items: said });
  }
  return turns;
}

function isResult(item: Item): boolean {
  return item.kind === 'result';
}

/** Thoughts are compared separately. */
function isEmpty(item: Item): boolean {
  return item.kind === 'reasoning' || (item.kind === 'text' && item.text.trim() === '');
}

function saidIn({ role, items }: Turn, names: Names): Said {
  const [first] = items;
  if (first?.kind === 'result') {
    const { name: tool, value } = first.result;
    const step = { kind: 'result' as const, ...present({ name: tool }), value: spelledOut(value) };
    const text = canonical(names.rename(step).value);
    return { role, text, key: `tool\0${tool ?? ''}\0${text}`, tool, calls: [] };
  }
  const texts = items.flatMap((item): string[] => {
    if (item.kind === 'call') return [];
    const value = item.kind === 'text' ? plain(item.text) : asJson(item);
    const { value: named } = names.rename({ kind: 'text', value });
    return [typeof named === 'string' ? named : canonical(named)];
  });
  const calls = items.flatMap((item) => (item.kind === 'call' ? [callKey(item.call, names)] : []));
  // A stream comes in pieces. The layout of a model's text is noise.
  const text = role === 'assistant' ? readable(texts.join('')) : texts.join('\n');
  return { role, text, key: [role, text, ...calls].join('\0'), calls };
}

function asJson(item: Exclude<Item, { kind: 'text' }>): Json {
  return item.kind === 'media' ? (item.part as Json) : item.kind === 'value' ? item.value : null;
}

function callKey({ id, name, args }: ToolCall, names: Names): string {
  const { value } = names.rename({ kind: 'call', name, callId: id, value: args });
  return `${name}\0${canonical(value)}`;
}

/** Parallel calls and their results have no order of their own, so they are sorted by what the calls say. */
function inOrder(turns: readonly Turn[], names: Names): readonly Turn[] {
  const ordered = [...turns];
  for (const [at, { role, items }] of turns.entries()) {
    const calls = items.flatMap((item) => (item.kind === 'call' ? [item.call] : []));
    if (calls.length < 2) continue;
    const keyOf = ({ name, args }: ToolCall) => `${name}\0${canonical(names.sketch(args ?? null, true))}`;
    const sorted = calls.toSorted((a, b) => byCodeUnit(keyOf(a), keyOf(b)));
    const others = items.filter(({ kind }) => kind !== 'call');
    ordered[at] = { role, items: [...others, ...sorted.map((call) => ({ kind: 'call' as const, call }))] };
    let end = at + 1;
    while (turns[end]?.role === 'tool') end++;
    const placeOf = ({ items: [result] }: Turn) =>
      sorted.findIndex(({ id }) => result?.kind === 'result' && id === result.result.id);
    const results = turns.slice(at + 1, end).sort((a, b) => placeOf(a) - placeOf(b));
    ordered.splice(at + 1, results.length, ...results);
  }
  return ordered;
}

/** With ids under their names. */
export function outputOf(run: Given, call: number): { text: string; calls: readonly string[] } {
  const generation = run.modelCalls[call]?.generation;
  if (generation === undefined) return { text: '', calls: [] };
  const { names } = readConversation(run, generation);
  const texts = generation.said.map((value) => names.rename({ kind: 'text', value }).value);
  const calls = generation.calls.map((each) => callKey(each, names));
  const text = readable(texts.map((each) => (typeof each === 'string' ? each : canonical(each))).join(''));
  return { text: `${text}${generation.cutShort ?? ''}`, calls: calls.sort(byCodeUnit) };
}

/** Parts of a conversation besides its messages: thoughts, and parts of unknown shape. */
export function besidesOf(
  { modelCalls, clock, otherClocks = [] }: Given,
  call: number,
): { thoughts: string; unread: string } {
  const read = modelCalls[call]?.generation.read ?? [];
  const thoughts = read.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'reasoning' ? [item.text] : [])));
  const isUnread = ({ role, items }: (typeof read)[number]) =>
    role === 'other' || items.some(({ kind }) => kind === 'unknown');
  const unreadParts = read.filter(isUnread).map(({ raw }) => raw);
  const names = new Names([clock, ...otherClocks], undefined);
  return { thoughts: canonical(thoughts), unread: canonical(names.sketch(unreadParts, true)) };
}

export function generationsAt(runs: Runs, [a, b]: CallPair): [Generation | undefined, Generation | undefined] {
  return [runs[0].modelCalls[a]?.generation, runs[1].modelCalls[b]?.generation];
}

export function clocksOf([a, b]: Runs): Clocks {
  return [a.clock, b.clock];
}
