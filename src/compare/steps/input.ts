import { generationOf, type Message, requestMessages, textOf, written } from '../../chat/index.ts';
import type { Recording, TurnRequest } from '../../contract/index.ts';
import { quotes } from '../excerpt.ts';
import { readable } from '../values/canonical.ts';

/**
 * Whether a replay was given another input than the pin's: then it says nothing of behaviour. The user messages of the
 * request must stand, in order, at the head of those of the replay's first generation that carries any; a simulated
 * user may say more later.
 * @returns what differs, for people; undefined when the input is the pinned one, or the trace tells of none
 */
export function inputDiffers(request: TurnRequest, recording: Recording): string | undefined {
  const given = recording.observations
    .filter(({ type }) => type === 'generation')
    .map((generation) => userTexts(generationOf(generation).messages))
    .find((texts) => texts.length > 0);
  if (given === undefined) return undefined;
  const asked =
    request.messages === undefined
      ? [readable(request.input ?? '')]
      : userTexts(written(requestMessages(request.messages)));
  // An endpoint that replays `input` may add the context of its own; the user's message is then the last one.
  if (request.messages === undefined) {
    return given.some((text) => text.includes(asked[0] as string)) ? undefined : difference(1, asked[0], given.at(-1));
  }
  const at = asked.findIndex((text, index) => given[index] !== text);
  return at === -1 ? undefined : difference(at + 1, asked[at], given[at]);
}

function userTexts(messages: readonly Message[]): string[] {
  return messages.filter(({ role }) => role === 'user').map((message) => readable(textOf(message)));
}

const MAX_QUOTED = 120;

function difference(position: number, asked = '', given: string | undefined): string {
  const [pinned, received] = quotes(asked, given, MAX_QUOTED);
  return `user message ${position} is ${pinned} in the pin; the model was given ${given === undefined ? 'none' : received}`;
}
