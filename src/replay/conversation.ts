import { answerLike, requestMessages } from '../chat/index.ts';
import type { SentMessage, TurnRequest } from '../contract/index.ts';
import type { Json } from '../json/index.ts';

/**
 * The conversation of one run in which each turn builds on the replay's own answers. The first turn is sent as recorded.
 * Each later turn sends the messages of the turn before, the replay's answer to them, and then its own new messages: those
 * after the last recorded answer.
 */
export class Conversation {
  /** Includes the answer to the last turn sent; undefined if that turn had no answer. */
  #messages: readonly SentMessage[] | undefined = [];

  /** Undefined if the turn before has no answer. */
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

  /** Takes the replay's answer; undefined if there was none. */
  answered(output: Json | undefined): void {
    this.#messages =
      output === undefined || this.#messages === undefined
        ? undefined
        : [...this.#messages, answerLike(output, this.#messages)];
  }
}

function ownMessages({ messages, input }: TurnRequest): SentMessage[] {
  if (messages === undefined) return [{ role: 'user', content: input ?? '' }];
  const read = requestMessages(messages);
  const own = read.slice(read.findLastIndex(({ role }) => role === 'assistant') + 1);
  return own.filter(({ role }) => role !== 'system').map(({ raw }) => raw);
}
