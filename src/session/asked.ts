import { lastUserText, requestMessages } from '../chat/index.ts';
import type { TurnRequest } from '../contract/index.ts';
import { cut } from '../text/index.ts';

/** What the user last wrote, on one line; undefined without such text. */
export function askedIn(request: TurnRequest | undefined, maxChars: number): string | undefined {
  const text = request?.input ?? lastUserText(requestMessages(request?.messages ?? []));
  const line = text?.replace(/\s+/g, ' ').trim();
  return line && cut(line, maxChars);
}
