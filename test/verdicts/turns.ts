import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SentMessage } from '../../src/contract/index.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../src/json/index.ts';
import { type ChatMessage, type ChatToolCall, readTrials, type Trial } from '../tau/trials.ts';

/** One turn of an agent, as a person would write it down. `recordings.ts` makes recordings of it. */
export interface Turn {
  /** The conversation up to the user's message, or that message alone. */
  readonly ask: string | readonly SentMessage[];
  readonly system?: string;
  readonly model?: string;
  readonly params?: JsonObject;
  /** Names of the tools that the model is offered. */
  readonly offered?: readonly string[];
  /**
   * The shape of the messages: OpenAI's, Anthropic's blocks, OpenTelemetry's parts. `bare`: tools without generations.
   */
  readonly shape?: 'chat' | 'blocks' | 'parts' | 'bare';
  /** What the root's output holds: the answer, or the whole last message with its thinking. */
  readonly rootAs?: 'text' | 'message';
  readonly acts: readonly Act[];
  readonly answerThinks?: string | null;
  /** Null: the turn ends without an answer. */
  readonly answer: Json;
  /** The turn itself failed. */
  readonly error?: string;
  /** Objects are written with their keys in another order. */
  readonly reverseKeys?: boolean;
  /** Tools' observations hold their arguments as JSON text. */
  readonly argsAsText?: boolean;
}

/**
 * One message of the model with the calls that it asks for; or the work of a sub-agent (`agent`); or, in a whole
 * conversation, the next message of the user.
 */
export interface Act {
  readonly say?: string;
  readonly think?: string;
  readonly calls?: readonly Call[];
  readonly user?: string;
  readonly agent?: string;
  /** The tool by which the sub-agent is asked; without it the conversation is handed over. */
  readonly via?: string;
  readonly ask?: string;
  readonly acts?: readonly Act[];
  readonly answer?: Json;
}

/** Tool, arguments, result, and the error instead of it. */
export type Call = readonly [tool: string, args: JsonObject, result: Json, error?: string];

/** Changes to a turn, applied in the order of their keys. Calls are counted from 0, those of sub-agents too. */
export interface Edit {
  readonly system?: string;
  readonly inSystem?: Replacements;
  readonly model?: string;
  readonly params?: JsonObject;
  readonly offered?: readonly string[];
  readonly answer?: Json;
  readonly inAnswer?: Replacements;
  /** Values by JSON pointer. */
  readonly setAnswer?: JsonObject;
  readonly noKey?: string;
  readonly answerThinks?: string | null;
  readonly error?: string;
  readonly say?: readonly [act: number, text: string];
  readonly think?: readonly [act: number, text: string];
  readonly tool?: readonly [call: number, name: string];
  /** Merged into the arguments. */
  readonly args?: readonly [call: number, args: JsonObject];
  readonly noArg?: readonly [call: number, name: string];
  readonly inArgs?: readonly [call: number, texts: Replacements];
  readonly result?: readonly [call: number, result: Json];
  readonly inResult?: readonly [call: number, texts: Replacements];
  readonly fail?: readonly [call: number, error: string];
  readonly drop?: number | readonly number[];
  readonly repeat?: readonly [call: number, times: number];
  /** Before the call of that number, or after the last one. */
  readonly insert?: readonly [call: number, what: Call];
  readonly move?: readonly [from: number, to: number];
  /** What a sub-agent answers, is asked, is called; or that it is not asked at all. */
  readonly sub?: readonly [agent: number, answer: string];
  readonly subAsk?: readonly [agent: number, ask: string];
  readonly subName?: readonly [agent: number, name: string];
  readonly dropSub?: number;
  /** Does what another recorded turn did. */
  readonly as?: string;
  readonly reverseKeys?: boolean;
  readonly argsAsText?: boolean;
}

/** Each text must occur; all its places are replaced, in the order of the keys. */
type Replacements = Readonly<Record<string, string>>;

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type OpenTurn = Omit<Writable<Turn>, 'acts'> & { acts: OpenAct[] };
type OpenAct = Omit<Writable<Act>, 'acts' | 'calls'> & { acts?: OpenAct[]; calls?: OpenCall[] };
type OpenCall = [tool: string, args: JsonObject, result: Json, error?: string];

let bases: Record<string, Turn> | undefined;
let trials: Trial[] | undefined;

/** A turn by its name in `bases.json`, or a recorded one: `tau:TASK.TRIAL#TURN`, `#FROM-TO`, or without it all of it. */
export function turnNamed(name: string): Turn {
  if (name.startsWith('tau:')) return recordedTurn(name);
  bases ??= JSON.parse(readFileSync(path.join(import.meta.dirname, 'bases.json'), 'utf8')) as Record<string, Turn>;
  const turn = bases[name];
  if (turn === undefined) throw new Error(`bases.json has no turn ${name}`);
  return turn;
}

function recordedTurn(name: string): Turn {
  const [, task, number, from, to] = /^tau:(\d+)\.(\d)(?:#(\d+)(?:-(\d+))?)?$/.exec(name) ?? [];
  trials ??= readTrials();
  const trial = trials.find((each) => each.task === Number(task) && each.trial === Number(number));
  if (trial === undefined) throw new Error(`there is no recorded run ${name}`);
  const starts = [...trial.messages.keys()].filter((index) => trial.messages[index]?.role === 'user');
  const last = from === undefined ? starts.length - 1 : Number(to ?? from);
  const start = starts[Number(from ?? 0)];
  if (start === undefined) throw new Error(`there is no recorded turn ${name}`);
  const before = trial.messages.slice(0, start + 1);
  const done = trial.messages.slice(start + 1, starts[last + 1]);
  const answered = done.findLastIndex(({ role }) => role === 'assistant');
  const hasAnswer = answered !== -1 && callsIn(done[answered]).length === 0;
  return {
    ask: before.filter(({ role }) => role !== 'system'),
    system: before.find(({ role }) => role === 'system')?.content ?? '',
    model: 'gpt-4o',
    acts: actsOf(hasAnswer ? done.slice(0, answered) : done),
    answer: hasAnswer ? (done[answered]?.content ?? '') : null,
  };
}

function actsOf(messages: readonly ChatMessage[]): Act[] {
  return messages.flatMap((message, index): Act[] => {
    const content = message.content ?? '';
    if (message.role === 'user') return [{ user: content }];
    if (message.role !== 'assistant') return [];
    const calls = callsIn(message).map(({ function: { name, arguments: args } }, position): Call => {
      const result = messages[index + 1 + position]?.content ?? '';
      return [name, parseJson(args) as JsonObject, /^[[{]/.test(result) ? parseJson(result) : result];
    });
    return [{ ...(content === '' ? {} : { say: content }), calls }];
  });
}

function callsIn(message: ChatMessage | undefined): ChatToolCall[] {
  return (message?.tool_calls ?? []) as unknown as ChatToolCall[];
}

/** The turn done by a sub-agent, to whom the conversation is handed over. */
export function handedOver(turn: Turn, agent: string): Turn {
  return { ...turn, acts: [{ agent, ask: 'Please take over.', acts: turn.acts, answer: turn.answer }] };
}

/** @throws when an edit does not fit the turn, because then a pair would be equal by mistake */
export function edited(turn: Turn, edits: readonly Edit[]): Turn {
  const copy = structuredClone(turn) as OpenTurn;
  for (const edit of edits) for (const key of Object.keys(edit) as (keyof Edit)[]) apply(copy, key, edit);
  return copy;
}

function apply(turn: OpenTurn, key: keyof Edit, edit: Edit): void {
  switch (key) {
    case 'system':
    case 'model':
    case 'params':
    case 'offered':
    case 'answer':
    case 'answerThinks':
    case 'error':
    case 'reverseKeys':
    case 'argsAsText':
      Object.assign(turn, { [key]: edit[key] });
      return;
    case 'inSystem':
      turn.system = replaced(turn.system ?? '', edit.inSystem);
      return;
    case 'inAnswer':
      turn.answer = replaced(turn.answer as string, edit.inAnswer);
      return;
    case 'setAnswer':
      for (const [pointer, value] of Object.entries(edit.setAnswer ?? {})) {
        (turn.answer as JsonObject)[pointer.slice(1)] = value;
      }
      return;
    case 'noKey':
      delete (turn.answer as JsonObject)[edit.noKey?.slice(1) ?? ''];
      return;
    case 'as': {
      const other = structuredClone(turnNamed(edit.as ?? '')) as OpenTurn;
      turn.acts = other.acts;
      turn.answer = other.answer;
      return;
    }
    case 'say':
    case 'think': {
      const [act, text] = need(edit[key]);
      need(turn.acts[act])[key] = text;
      return;
    }
    case 'sub':
    case 'subAsk':
    case 'subName': {
      const [number, text] = need(edit[key]);
      const field = { sub: 'answer', subAsk: 'ask', subName: 'agent' } as const;
      const agent = need(turn.acts.filter((act) => act.agent !== undefined)[number]);
      agent[field[key]] = text;
      return;
    }
    case 'dropSub': {
      const agent = need(turn.acts.filter((act) => act.agent !== undefined)[need(edit.dropSub)]);
      turn.acts.splice(turn.acts.indexOf(agent), 1);
      return;
    }
    default:
      applyToCalls(turn, key, edit);
  }
}

interface Place {
  readonly acts: OpenAct[];
  readonly act: OpenAct;
  readonly calls: OpenCall[];
  readonly call: OpenCall;
}

function placesIn(acts: OpenAct[]): Place[] {
  return acts.flatMap((act) => {
    const calls = act.calls ?? [];
    return [...calls.map((call) => ({ acts, act, calls, call })), ...placesIn(act.acts ?? [])];
  });
}

type CallEdit =
  | 'tool'
  | 'args'
  | 'noArg'
  | 'inArgs'
  | 'result'
  | 'inResult'
  | 'fail'
  | 'drop'
  | 'repeat'
  | 'insert'
  | 'move';

function applyToCalls(turn: OpenTurn, key: CallEdit, edit: Edit): void {
  const places = placesIn(turn.acts);
  const callAt = (number: number) => need(places[number]).call;
  switch (key) {
    case 'tool':
      callAt(need(edit.tool)[0])[0] = need(edit.tool)[1];
      return;
    case 'args':
      Object.assign(callAt(need(edit.args)[0])[1], need(edit.args)[1]);
      return;
    case 'noArg':
      delete callAt(need(edit.noArg)[0])[1][need(edit.noArg)[1]];
      return;
    case 'inArgs': {
      const call = callAt(need(edit.inArgs)[0]);
      call[1] = JSON.parse(replaced(JSON.stringify(call[1]), need(edit.inArgs)[1]));
      return;
    }
    case 'result':
      callAt(need(edit.result)[0])[2] = need(edit.result)[1];
      return;
    case 'inResult': {
      const call = callAt(need(edit.inResult)[0]);
      call[2] = JSON.parse(replaced(JSON.stringify(call[2]), need(edit.inResult)[1]));
      return;
    }
    case 'fail':
      callAt(need(edit.fail)[0])[3] = need(edit.fail)[1];
      return;
    case 'drop':
      for (const number of [need(edit.drop)].flat()) remove(need(places[number]));
      return;
    case 'repeat': {
      const [number, times] = need(edit.repeat);
      const { acts, act, call } = need(places[number]);
      const copies = Array.from({ length: times }, (_, n): OpenAct => ({ calls: [withOtherIds(call, n + 1)] }));
      acts.splice(acts.indexOf(act) + 1, 0, ...copies);
      return;
    }
    case 'insert': {
      const [number, call] = need(edit.insert);
      insert(turn, places[number], structuredClone(call) as OpenCall);
      return;
    }
    case 'move': {
      const [from, to] = need(edit.move);
      const place = need(places[from]);
      if (need(places[to]).act === place.act) {
        const target = place.calls.indexOf(callAt(to));
        place.calls.splice(place.calls.indexOf(place.call), 1);
        place.calls.splice(target, 0, place.call);
        return;
      }
      remove(place);
      insert(turn, placesIn(turn.acts)[to], place.call);
    }
  }
}

function remove({ acts, act, calls, call }: Place): void {
  calls.splice(calls.indexOf(call), 1);
  if (calls.length === 0 && act.say === undefined) acts.splice(acts.indexOf(act), 1);
}

function insert(turn: OpenTurn, before: Place | undefined, call: OpenCall): void {
  if (before === undefined) turn.acts.push({ calls: [call] });
  else before.acts.splice(before.acts.indexOf(before.act), 0, { calls: [call] });
}

/** A copy of a call returns another id. */
function withOtherIds(call: OpenCall, copy: number): OpenCall {
  const [tool, args, result, error] = structuredClone(call);
  const text = JSON.stringify(result).replace(
    /\{(\w+):(\d+)\}/g,
    (_, kind, n) => `{${kind}:${Number(n) + 100 * copy}}`,
  );
  return [tool, args, JSON.parse(text), ...(error === undefined ? [] : [error])] as OpenCall;
}

function replaced(text: string, texts: Replacements | undefined): string {
  for (const [from, to] of Object.entries(texts ?? {})) {
    if (!text.includes(from)) throw new Error(`nothing to replace: ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no such call, act or agent');
  return value;
}

/** All objects with their keys in the opposite order. */
export function withReversedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(withReversedKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]): [string, Json] => [name, withReversedKeys(item)]);
  return Object.fromEntries(entries.reverse());
}
