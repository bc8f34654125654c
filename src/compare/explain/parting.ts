import { canonical, isJsonObject } from '../../json/index.ts';
import { quotes } from '../shapes/excerpt.ts';
import {
  besidesOf,
  type CallPair,
  clocksOf,
  conversationOf,
  type Given,
  generationsAt,
  isOutputSame,
  lengthOf,
  MAX_QUOTED,
  outputOf,
  type Runs,
  type Said,
} from './model-calls.ts';
import { differingByDay } from './of-the-day.ts';
import { type OwnChange, sayDay } from './own-input.ts';
import { type Source, sourceOf, userSaid } from './sources.ts';

/** The first place where the conversations given to two model calls differ. */
export type Parting =
  | { readonly at: 'nothing' }
  | Source
  /** In the model's earlier thoughts, which it was given back. */
  | { readonly at: 'thoughts' }
  /** In something of unknown shape. */
  | { readonly at: 'unread' }
  /** In something that the agent itself assembled. */
  | { readonly at: 'own'; readonly change: OwnChange };

export function partingOf(runs: Runs, pair: CallPair): Parting {
  const [ours, theirs] = generationsAt(runs, pair);
  // A growing prompt may be in a system message.
  const grown =
    ours?.system === theirs?.system ? undefined : sourceOf(runs, pair, ours?.system ?? '', theirs?.system ?? '');
  if (grown !== undefined) return grown;
  const [left, right] = [conversationOf(runs[0], pair[0]), conversationOf(runs[1], pair[1])];
  const at = firstOther(left, right);
  const [a, b] = [left[at], right[at]];
  if (a === undefined && b === undefined)
    return isContinued(runs, pair) ? partingBefore(runs, pair) : partingBesides(runs, pair);
  // If one conversation has nothing more, its own model call came here: it answered the same messages differently.
  const sayers: (number | undefined)[] = [
    a === undefined ? pair[0] : sayerOf(runs[0], pair[0], at),
    b === undefined ? pair[1] : sayerOf(runs[1], pair[1], at),
  ];
  const [i, j] = sayers;
  if (i !== undefined && j !== undefined && (i !== pair[0] || j !== pair[1]) && !isOutputSame(runs, [i, j]))
    return { at: 'output', pair: [i, j] };
  if (a?.role === 'tool' && b?.role === 'tool') return { at: 'result', tool: a.tool };
  if (a === undefined || b === undefined || a.role !== b.role) {
    const said = `its messages differ from message ${at + 1} on: recorded ${messageText(a)}, replayed ${messageText(b)}`;
    return { at: 'own', change: { part: 'messages', said, isOfDay: false } };
  }
  const source = sourceOf(runs, pair, a.text, b.text);
  if (source !== undefined) return source;
  const [recorded, replayed] = quotes(a.text, b.text, MAX_QUOTED);
  const day = differingByDay(a.text, b.text, clocksOf(runs));
  const isLater = earlierCalls(runs[0], pair[0]).some((each) => lengthOf(runs[0], each) <= at);
  if (day === undefined && a.role === 'user' && isLater) return { at: 'user', said: userSaid(a.text, b.text) };
  const said = `its message ${at + 1} differs: recorded ${recorded}, replayed ${replayed}`;
  return {
    at: 'own',
    change: { part: 'messages', said: sayDay(day, 'its messages') ?? said, isOfDay: day !== undefined },
  };
}

/** Compares the parts that are not messages, once all messages are equal. */
function partingBesides(runs: Runs, pair: CallPair): Parting {
  const [ours, theirs] = [besidesOf(runs[0], pair[0]), besidesOf(runs[1], pair[1])];
  if (ours.unread !== theirs.unread) return { at: 'unread' };
  return { at: ours.thoughts === theirs.thoughts ? 'nothing' : 'thoughts' };
}

/** Whether the provider stores earlier messages: then the model was given those too. */
function isContinued(runs: Runs, pair: CallPair): boolean {
  return generationsAt(runs, pair).some((generation, side) => {
    const input = generation?.input;
    const isLinked = isJsonObject(input) && CONTINUING.some((key) => typeof input[key] === 'string');
    return isLinked || conversationOf(runs[side] as Given, pair[side] as number)[0]?.role === 'tool';
  });
}

/** Keys with which a request names the response it continues. */
const CONTINUING = ['previous_response_id', 'previousResponseId', 'conversation', 'conversation_id'];

/** The first of the agent's earlier model calls at which the runs part. */
function partingBefore(runs: Runs, [recorded, replayed]: CallPair): Parting {
  const [ours, theirs] = [earlierCalls(runs[0], recorded), earlierCalls(runs[1], replayed)];
  for (const [index, a] of ours.entries()) {
    const b = theirs[index];
    if (b === undefined) break;
    const [left, right] = [conversationOf(runs[0], a), conversationOf(runs[1], b)];
    if (left[firstOther(left, right)] !== right[firstOther(left, right)]) return partingOf(runs, [a, b]);
    if (!isOutputSame(runs, [a, b])) return { at: 'output', pair: [a, b] };
  }
  return { at: 'nothing' };
}

function messageText(message: Said | undefined): string {
  return message === undefined ? 'none' : `one of the ${message.role}`;
}

function firstOther(a: readonly Said[], b: readonly Said[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at]?.key === b[at]?.key) at++;
  return at;
}

/** The agent's model calls before this one. */
function earlierCalls({ modelCalls }: Given, call: number): number[] {
  const owner = modelCalls[call]?.owner;
  return modelCalls.slice(0, call).flatMap(({ owner: other }, index) => (other === owner ? [index] : []));
}

/** The earlier model call of the same agent that wrote a message; undefined if the message came from elsewhere. */
function sayerOf(run: Given, call: number, at: number): number | undefined {
  const conversation = conversationOf(run, call);
  const message = conversation[at];
  if (message?.role !== 'assistant') return undefined;
  const earlier = earlierCalls(run, call);
  const before = conversation.slice(0, at);
  // It was given everything before this message.
  const wasGivenIt = (each: number) =>
    lengthOf(run, each) === at && firstOther(before, conversationOf(run, each)) === at;
  return earlier.findLast(wasGivenIt) ?? earlier.find((each) => isOf(run, each, message));
}

/** Whether a message contains the output of a model call, for histories that were cut or reassembled. */
function isOf(run: Given, call: number, { text, calls }: Said): boolean {
  const output = outputOf(run, call);
  if (calls.length > 0) return canonical([...calls]) === canonical([...output.calls]);
  return text.trim() !== '' && output.text.trim() === text.trim();
}
