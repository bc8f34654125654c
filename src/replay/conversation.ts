import { isJsonObject, type Json, type JsonObject, type Message, type TurnRequest } from '../contract/index.ts';

/**
 * The conversation of one run in which each turn is given the replay's own answers. The first turn is sent as it was
 * recorded. Every later one is: the messages that were sent before, the replay's answer to them, and the messages of
 * its own, which are those after the last recorded answer.
 */
export class Conversation {
  /** With the answer to the turn that was sent last; undefined when it had none. */
  #messages: readonly Message[] | undefined = [];

  /** The request of the next turn; undefined when the one before has no answer. */
  request(recorded: TurnRequest): TurnRequest | undefined {
    if (this.#messages === undefined) return undefined;
    if (this.#messages.length === 0) {
      this.#messages = recorded.messages ?? ownMessages(recorded);
      return recorded;
    }
    const messages = [...this.#messages, ...ownMessages(recorded)];
    this.#messages = messages;
    return { ...recorded, messages, includesPriorContext: true };
  }

  /** Takes in what the replay answered; undefined when it did not. */
  answered(output: Json | undefined): void {
    this.#messages =
      output === undefined || this.#messages === undefined
        ? undefined
        : [...this.#messages, asMessage(output, this.#messages.findLast(isUser))];
  }
}

function ownMessages({ messages, input }: TurnRequest): Message[] {
  if (messages === undefined) return [{ role: 'user', content: input ?? '' }];
  const own = messages.slice(messages.findLastIndex(isAssistant) + 1);
  return own.filter((message) => !isSystem(message));
}

/** An answer as a message of the shape that the conversation has: `content` as text, or parts. */
function asMessage(output: Json, like: Message | undefined): Message {
  if (isJsonObject(output) && typeof output.role === 'string') return output;
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const part = Array.isArray(like?.parts) ? like.parts.find(isTextPart) : undefined;
  if (part === undefined) return { role: 'assistant', content: text };
  return { role: 'assistant', parts: [{ type: 'text', [Object.hasOwn(part, 'text') ? 'text' : 'content']: text }] };
}

const isUser = ({ role }: Message) => role === 'user' || role === 'human';
const isAssistant = ({ role }: Message) => role === 'assistant' || role === 'model' || role === 'ai';
const isSystem = ({ role }: Message) => role === 'system' || role === 'developer';

function isTextPart(part: Json): part is JsonObject {
  return isJsonObject(part) && part.type === 'text';
}
