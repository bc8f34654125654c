import type { Json } from '../json/index.ts';

/**
 * The one shape in which the rest of the program sees a conversation: OpenAI's chat form, because most requests have
 * `messages` in it, and every framework can convert from it.
 */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export type SystemMessage = { role: 'system'; content: string | Part[]; name?: string };
type UserMessage = { role: 'user'; content: string | Part[]; name?: string };
export type AssistantMessage = {
  role: 'assistant';
  /** Null if it only contains calls. */
  content: string | Part[] | null;
  tool_calls?: MessageCall[];
  refusal?: string;
  name?: string;
};
export type ToolMessage = {
  role: 'tool';
  tool_call_id: string;
  name?: string;
  content: string | Part[];
  is_error?: boolean;
};

/** A call in a message; `arguments` is JSON text, or whatever the model wrote instead. */
export type MessageCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

export type Part = TextPart | ImagePart | AudioPart | FilePart;
type TextPart = { type: 'text'; text: string };
/** `url` may be a data URL. */
type ImagePart = { type: 'image_url'; image_url: { url: string; detail?: string } };
/** `data` is base64; `format` is `wav`, `mp3`, ... */
type AudioPart = { type: 'input_audio'; input_audio: { data: string; format: string } };
/** `file_data` is a data URL, or the address of the file. */
type FilePart = { type: 'file'; file: { file_data?: string; file_id?: string; filename?: string } };

/** A tool call that a model asked for, with its arguments parsed. */
export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Json | undefined;
  /** Its result, if the same output contains it because the provider runs the tool. */
  readonly result?: ToolResult;
}

/** A call's result, as the model received it. */
export interface ToolResult {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly value: Json;
  readonly isError: boolean;
}

export function textOf({ content }: Message, between = '\n'): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(between);
}
