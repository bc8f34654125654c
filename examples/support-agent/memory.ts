import type { ModelMessage } from 'ai';

/** What was said in each conversation, for as long as the process lives. */
export class Memory {
  readonly #conversations = new Map<string, ModelMessage[]>();

  recall(sessionId: string): readonly ModelMessage[] {
    return this.#conversations.get(sessionId) ?? [];
  }

  remember(sessionId: string, messages: readonly ModelMessage[]): void {
    this.#conversations.set(sessionId, [...this.recall(sessionId), ...messages]);
  }
}
