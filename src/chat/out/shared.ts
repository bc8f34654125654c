import { AgentReplayError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject, spelledOut } from '../../json/index.ts';
import { requestMessages } from '../conversation.ts';
import { type Message, type Part, textOf } from '../message.ts';
import { written } from '../write.ts';

/** Messages as they arrive with a replay: in our one shape, or, for older pins, as recorded. */
export type SentMessages = readonly JsonObject[] | readonly Message[];

/** A call; arguments that spell no object become the only argument. */
interface SentCall {
  readonly id: string;
  readonly name: string;
  readonly args: { [key: string]: Json };
  /** The arguments as the model wrote them. */
  readonly json: string;
}

export interface SentResult {
  readonly id: string;
  readonly name: string | undefined;
  readonly text: string;
  readonly isError: boolean;
}

/** What a framework makes of each message; `last` is what it made before. */
interface Form<T> {
  system(text: string): T | [];
  user(content: string | Part[], last: T | undefined): T | [];
  assistant(text: string, calls: readonly SentCall[]): T | T[];
  result(result: SentResult, last: T | undefined): T | [];
}

export function converted<T extends object>(messages: SentMessages, form: Form<T>): T[] {
  const names = new Map<string, string>();
  const all: T[] = [];
  const made = (message: Message): T | T[] => {
    switch (message.role) {
      case 'system':
        return form.system(textOf(message));
      case 'user':
        return form.user(message.content, all.at(-1));
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: json } }): SentCall => {
          names.set(id, name);
          const args = spelledOut(json);
          return { id, name, args: isJsonObject(args) ? args : { input: args }, json };
        });
        return form.assistant(textOf(message, ''), calls);
      }
      case 'tool': {
        const { tool_call_id: id, name = names.get(id), is_error } = message;
        return form.result({ id, name, text: textOf(message), isError: is_error === true }, all.at(-1));
      }
    }
  };
  for (const message of written(requestMessages(messages as readonly JsonObject[])))
    all.push(...([made(message)].flat() as T[]));
  return all;
}

export function unlessEmpty<T>(text: string, entry: T): T[] {
  return text === '' ? [] : [entry];
}

export type Text = { type: 'text'; text: string };

/** A text alone stays text. */
export function textAndCalls<T>(
  text: string,
  calls: readonly SentCall[],
  call: (call: SentCall) => T,
): string | (Text | T)[] {
  return calls.length === 0 ? text : [...unlessEmpty<Text>(text, { type: 'text', text }), ...calls.map(call)];
}

export function partsOf(content: string | Part[]): Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export function contentAs<T>(content: string | Part[], part: (part: Part) => T): string | T[] {
  return typeof content === 'string' ? content : content.map(part);
}

const DATA_URL = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s;

export function dataIn(url: string): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

export function fileOf({ file }: Extract<Part, { type: 'file' }>, taker: string): { mediaType: string; data: string } {
  const { file_data: url } = file;
  if (url === undefined) throw notTaken(taker, "a file by OpenAI's id");
  return dataIn(url) ?? { mediaType: 'application/octet-stream', data: url };
}

export function notTaken(taker: string, what: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `${taker} takes no ${what.replace(/^a /, '')} in a message.`, {
    hint: 'Leave the session out, or convert its messages by hand in the replay endpoint.',
  });
}
