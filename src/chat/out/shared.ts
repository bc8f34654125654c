import { AgentReplayError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject, spelledOut } from '../../json/index.ts';
import { requestMessages } from '../conversation.ts';
import type { AssistantMessage, Message, Part } from '../message.ts';
import { written } from '../write.ts';

/** Messages as they arrive with a replay: in our one shape, or, for older pins, as recorded. */
export type SentMessages = readonly JsonObject[] | readonly Message[];

/** A conversation in our one shape, each result with its tool's name. */
export function conversationOf(messages: SentMessages): Message[] {
  const names = new Map<string, string>();
  return written(requestMessages(messages as readonly JsonObject[])).map((message) => {
    if (message.role === 'assistant')
      for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
    const name = message.role === 'tool' ? (message.name ?? names.get(message.tool_call_id)) : undefined;
    return message.role === 'tool' && name !== undefined ? { ...message, name } : message;
  });
}

export type Text = { type: 'text'; text: string };

export function textParts(text: string): Text[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

export function partsOf(content: string | Part[]): Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export function contentAs<T>(content: string | Part[], part: (part: Part) => T): string | T[] {
  return typeof content === 'string' ? content : content.map(part);
}

/** Calls with their arguments as an object; a text that spells no object becomes the only argument. */
export function callsOf({
  tool_calls = [],
}: AssistantMessage): { id: string; name: string; args: { [key: string]: Json } }[] {
  return tool_calls.map(({ id, function: { name, arguments: text } }) => {
    const args = spelledOut(text);
    return { id, name, args: isJsonObject(args) ? args : { input: args } };
  });
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
