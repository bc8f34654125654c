import type { Generation } from '../../chat/index.ts';
import { canonical } from '../../json/index.ts';
import { quotes } from '../shapes/excerpt.ts';
import { commonPrefix } from '../values/common-prefix.ts';
import { type CallPair, generationsAt, isText, MAX_QUOTED, type Runs, unread } from './model-calls.ts';

/** The origin of a difference between two model inputs, if it is not the agent's own. */
export type Source =
  /** What the model said in these earlier calls, which had equal inputs. */
  | { readonly at: 'output'; readonly pair: CallPair }
  /** What a tool answered. */
  | { readonly at: 'result'; readonly tool: string | undefined }
  /** What a user said in the middle of the turn. */
  | { readonly at: 'user'; readonly said: string };

/** Labels that agents which act in text write before each part of their prompt. */
const LABEL = /^[ \t]*(Thought|Action|Action Input|Observation|Final Answer|Question|User|Human|Customer)(?: \d+)?:/gm;
const USERS = new Set(['Question', 'User', 'Human', 'Customer']);
/** A shorter line can be in many places. */
const MIN_PIECE = 4;

/**
 * The origin of a difference between two prompts, if it lies in what the model said earlier or a tool answered, as in a
 * prompt that is one growing text.
 */
export function sourceOf(runs: Runs, [recorded, replayed]: CallPair, a: string, b: string): Source | undefined {
  const at = commonPrefix(a, b);
  // Everything before is equal, so both have the same call. A difference at the end of the prompt is the prompt's own.
  for (let call = 0; call <= Math.min(recorded, replayed); call++) {
    const [ours = '', theirs = ''] = generationsAt(runs, [call, call]).map((each) => each && saidBy(each));
    if (ours === theirs) continue;
    const left = call < recorded ? placeOf(piecesOf(ours), a, at) : atEnd(a, at);
    const right = call < replayed ? placeOf(piecesOf(theirs), b, at) : atEnd(b, at);
    if (left !== undefined && right !== undefined && (call === recorded || call === replayed || left === right))
      return { at: 'output', pair: [call, call] };
  }
  // After the text that all model calls are given, a label shows who wrote each part.
  const [first] = generationsAt(runs, [0, 0]);
  const label = [...a.slice(0, at).matchAll(LABEL)].at(-1)?.[1];
  if (first === undefined || !isText(first)) return undefined;
  if (label === 'Observation') return { at: 'result', tool: undefined };
  const isLater = at > (unread(first.input)[0]?.text.trimEnd().length ?? 0);
  if (!isLater || label === undefined || !USERS.has(label)) return undefined;
  return { at: 'user', said: userSaid(a, b) };
}

/** Where the piece that covers or touches a place begins. */
function placeOf(pieces: readonly string[], text: string, at: number): number | undefined {
  const starts = pieces.map((piece) => [text.lastIndexOf(piece, at), piece.length] as const);
  return starts.find(([start, length]) => start !== -1 && start + length >= at)?.[0];
}

function atEnd(text: string, at: number): number | undefined {
  return text.trimEnd().length <= at ? at : undefined;
}

/** The whole of what was said, then its lines: an agent may put only some lines into its next prompt. */
function piecesOf(said: string): string[] {
  return [said, ...said.split('\n').map((line) => line.trim())].filter((piece) => piece.length >= MIN_PIECE);
}

export function userSaid(a: string, b: string): string {
  const [recorded, replayed] = quotes(a, b, MAX_QUOTED);
  return `the user said something else: recorded ${recorded}, replayed ${replayed}`;
}

function saidBy({ said }: Generation): string {
  const texts = said.map((each) => (typeof each === 'string' ? each : canonical(each)));
  return texts.join('\n').trim();
}
