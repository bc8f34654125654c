import {
  converterFor,
  foreignIn,
  generationOf,
  type Message,
  requestMessages,
  textOf,
  written,
} from '../../chat/index.ts';
import type { TurnRequest } from '../../contract/index.ts';
import { canonical, type JsonObject } from '../../json/index.ts';
import { cut } from '../../text/index.ts';
import { echoesIn, type Recording } from '../../trace/index.ts';
import { quotes } from '../shapes/excerpt.ts';
import { leavesIn, readable } from '../values/canonical.ts';

/** User messages that a run sends, to whichever turn. */
export type Sent = ReadonlySet<string>;

/**
 * Whether a replay was given another input than the pin's; then it shows nothing about behaviour. The user messages that
 * were sent must be in its model's input, in order: as they are, inside a template, or put in other words by an agent whose
 * trace shows that it was given them. Examples before them are the agent's own, unless the run sent them elsewhere: those
 * come from a memory that replays share. A simulated user may add messages later.
 * A message of a shape that is not known is sent as it was recorded: the recorded model was given it, and so must be the other.
 * @param original of the turn; undefined: nothing may stand around what was sent
 * @param sent what may not come before; undefined: what this turn was sent
 * @returns the difference in words; undefined if the input is the pinned one, or the trace does not show it
 */
export function inputDiffers(
  request: TurnRequest,
  recording: Recording,
  original?: Recording,
  sent?: Sent,
): string | undefined {
  const isText = request.messages === undefined;
  const lost = original && lostMessage(request, recording, original);
  if (lost !== undefined) return lost;
  const asked = askedBy(request);
  const last = asked.at(-1);
  const given = conversationWith(recording, asked);
  if (given === undefined || last === undefined) return undefined;
  const pinned = original && conversationWith(original, asked);
  // An endpoint that replays `input` may add context of its own.
  if (isText && pinned === undefined) {
    return given.some((text) => text.includes(last)) ? undefined : difference(1, last, given.at(-1));
  }
  // Redacted text in the recording is not the text that was sent, so its position decides.
  const before = pinned === undefined ? 0 : (placeOf(pinned, asked) ?? Math.max(pinned.length - asked.length, 0));
  const received = leavesIn(recording.observations.find(({ parentId }) => parentId === null)?.input ?? null).map(
    (leaf) => readable(String(leaf)),
  );
  const holds = (text: string | undefined, index: number): boolean => {
    const recorded = pinned?.[before + index];
    const words = asked[index] as string;
    if (text === words || text === undefined) return text === words;
    const isTemplate = recorded !== undefined && (recorded !== words || words.length >= MIN_IN_TEMPLATE);
    if (isTemplate && text.includes(words)) return true;
    return received.includes(words) && sharedWords(words, text) >= SHARED_BY_REWRITING;
  };
  const place = given.findIndex((_, at) => asked.every((__, index) => holds(given[at + index], index)));
  if (place === -1) {
    const at = asked.findIndex((_, index) => !holds(given[before + index], index));
    return difference(at + 1, asked[at], given[before + at]);
  }
  const foreign = sent ?? new Set(asked);
  const extra = place > before ? given.slice(0, place).filter((text) => foreign.has(text)) : [];
  return extra.length === 0 ? undefined : shared(extra);
}

/** A message of unknown shape that only the recorded model was given. */
function lostMessage({ messages = [] }: TurnRequest, recording: Recording, original: Recording): string | undefined {
  const lost = foreignIn(requestMessages(messages)).find(
    (message) => isGiven(original, message) && !isGiven(recording, message),
  );
  if (lost === undefined) return undefined;
  return `a message of a shape that is not known was sent as it was recorded, and the model was not given it: ${cut(canonical(lost), MAX_QUOTED)}`;
}

function isGiven({ observations }: Recording, message: JsonObject): boolean {
  const text = canonical(message);
  return observations.some(({ type, input }) => type === 'generation' && canonical(input ?? null).includes(text));
}

/** A shorter message could be in another one by chance. */
const MIN_IN_TEMPLATE = 8;
/** A question in other words keeps this share of its own. */
const SHARED_BY_REWRITING = 0.5;

function sharedWords(a: string, b: string): number {
  const [ours, theirs] = [a, b].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]{1,100}/gu)));
  return [...(ours as Set<string>)].filter((word) => theirs?.has(word)).length / Math.max(1, ours?.size ?? 0);
}

function askedBy({ messages, input }: TurnRequest): string[] {
  return messages === undefined ? [readable(input ?? '')] : userTexts(written(requestMessages(messages)));
}

export function sentTo(turns: readonly { readonly request?: TurnRequest | undefined }[]): Sent {
  return new Set(turns.flatMap(({ request }) => (request === undefined ? [] : askedBy(request))));
}

/** What a replay was given instead of the pinned input, in words, and what would convert it for the agent. */
interface OtherInput {
  readonly difference: string;
  /** The recording holds a message that nobody can read. */
  readonly isUnfit: boolean;
  readonly converter: string | undefined;
}

/** {@link inputDiffers} for a pinned turn; also undefined if the turn asks nothing. */
export function otherInput(
  { request, recorded }: { readonly request?: TurnRequest | undefined; readonly recorded: Recording },
  replay: Recording,
  sent?: Sent,
): OtherInput | undefined {
  const difference = request && inputDiffers(request, replay, recorded, sent);
  if (request === undefined || difference === undefined) return undefined;
  const isUnfit = lostMessage(request, replay, recorded) !== undefined;
  return { difference, isUnfit, converter: converterOf(request, recorded) };
}

/** The function of `agent-replay/endpoint` that converts to the messages which this agent's model was given. */
function converterOf({ messages }: TurnRequest, { observations }: Recording): string | undefined {
  const inputs = observations.filter(({ type }) => type === 'generation').map(({ input }) => input);
  for (const input of [messages, ...inputs]) {
    const name = converterFor(input);
    if (name !== undefined) return name;
  }
  return undefined;
}

/**
 * The user messages of the first model call that was given all of these; or of one that was given only the last, such as a
 * guard model; or of the first call with any.
 */
function conversationWith({ observations }: Recording, asked: readonly string[]): readonly string[] | undefined {
  const echoes = echoesIn(observations);
  const conversations = observations
    .filter((each) => each.type === 'generation' && !echoes.has(each))
    .map((generation) => userTexts(generationOf(generation).messages))
    .filter((texts) => texts.length > 0);
  return (
    conversations.find((texts) => placeOf(texts, asked) !== undefined) ??
    conversations.find((texts) => placeOf(texts, asked.slice(-1)) !== undefined) ??
    conversations[0]
  );
}

function placeOf(texts: readonly string[], asked: readonly string[]): number | undefined {
  const place = texts.findIndex((_, at) => asked.every((sent, index) => texts[at + index]?.includes(sent)));
  return place === -1 ? undefined : place;
}

function userTexts(messages: readonly Message[]): string[] {
  return messages.filter(({ role }) => role === 'user').map((message) => readable(textOf(message)));
}

const MAX_QUOTED = 120;

function shared(messages: readonly string[]): string {
  const [first] = quotes(messages[0] ?? '', undefined, MAX_QUOTED);
  const count = messages.length;
  return `the model was given ${count} more user ${count === 1 ? 'message' : 'messages'} before them, which the run sent elsewhere; the first is ${first}`;
}

function difference(position: number, asked = '', given: string | undefined): string {
  const [pinned, received] = quotes(asked, given, MAX_QUOTED);
  return `user message ${position} is ${pinned} in the pin; the model was given ${given === undefined ? 'none' : received}`;
}
