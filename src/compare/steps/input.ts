import { converterFor, generationOf, type Message, requestMessages, textOf, written } from '../../chat/index.ts';
import type { TurnRequest } from '../../contract/index.ts';
import { echoesIn, type Recording } from '../../trace/index.ts';
import { quotes } from '../excerpt.ts';
import { readable } from '../values/canonical.ts';

/**
 * Whether a replay was given another input than the pin's: then it says nothing of behaviour. The user messages that
 * were sent must stand, in order, in what its model was given, with as many before them as the original's had (examples,
 * instructions), and in a template only where the original's stood in one; a simulated user may say more later.
 * @param original of the turn; undefined: nothing may stand before what was sent, and nothing round it
 * @returns what differs, for people; undefined when the input is the pinned one, or the trace tells of none
 */
export function inputDiffers(request: TurnRequest, recording: Recording, original?: Recording): string | undefined {
  const isText = request.messages === undefined;
  const asked = isText
    ? [readable(request.input ?? '')]
    : userTexts(written(requestMessages(request.messages as NonNullable<TurnRequest['messages']>)));
  const last = asked.at(-1);
  const given = conversationWith(recording, asked);
  if (given === undefined || last === undefined) return undefined;
  const pinned = original && conversationWith(original, asked);
  // An endpoint that replays `input` may add the context of its own.
  if (isText && pinned === undefined) {
    return given.some((text) => text.includes(last)) ? undefined : difference(1, last, given.at(-1));
  }
  // What was redacted in the recording is not what is sent: then the place tells.
  const before = pinned === undefined ? 0 : (placeOf(pinned, asked) ?? Math.max(pinned.length - asked.length, 0));
  const holds = (text: string | undefined, index: number): boolean => {
    const recorded = pinned?.[before + index];
    const sent = asked[index] as string;
    return text === sent || (recorded !== undefined && recorded !== sent && text?.includes(sent) === true);
  };
  const place = given.findIndex((_, at) => asked.every((__, index) => holds(given[at + index], index)));
  if (place === before) return undefined;
  if (place > before) return foreign(place - before, given);
  if (place !== -1) return `${before - place} fewer user messages precede them than in the recording`;
  const at = asked.findIndex((_, index) => !holds(given[before + index], index));
  return difference(at + 1, asked[at], given[before + at]);
}

/** What a replay was given in place of what the pin asks, for people, and what converts for its agent. */
interface OtherInput {
  readonly difference: string;
  readonly converter: string | undefined;
}

/** {@link inputDiffers} of a pinned turn; undefined also where it asks nothing. */
export function otherInput(
  { request, recorded }: { readonly request?: TurnRequest | undefined; readonly recorded: Recording },
  replay: Recording,
): OtherInput | undefined {
  const difference = request && inputDiffers(request, replay, recorded);
  if (request === undefined || difference === undefined) return undefined;
  return { difference, converter: converterOf(request, recorded) };
}

/** Of `agent-replay/endpoint`, what converts for an agent whose model was given these messages when it was recorded. */
function converterOf({ messages }: TurnRequest, { observations }: Recording): string | undefined {
  const inputs = observations.filter(({ type }) => type === 'generation').map(({ input }) => input);
  for (const input of [messages, ...inputs]) {
    const name = converterFor(input);
    if (name !== undefined) return name;
  }
  return undefined;
}

/**
 * The user messages of the first model call that was given all of these; of one that was given the last of them alone, as a
 * guard model is; of the first with any, where none was.
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

function foreign(count: number, given: readonly string[]): string {
  const [first] = quotes(given[0] ?? '', undefined, MAX_QUOTED);
  return `the model was given ${count} more user ${count === 1 ? 'message' : 'messages'} before them that nobody sent; the first is ${first}`;
}

function difference(position: number, asked = '', given: string | undefined): string {
  const [pinned, received] = quotes(asked, given, MAX_QUOTED);
  return `user message ${position} is ${pinned} in the pin; the model was given ${given === undefined ? 'none' : received}`;
}
