import { isJsonObject, type JsonObject, spelledOut } from '../../json/index.ts';
import { idOf, piecesOf, type Wire, type WireAnswer, type WireEvent } from './wire.ts';

/** https://docs.anthropic.com/en/api/messages and its streaming events */
export const anthropicMessages: Wire = {
  body: (answer) => messageOf(answer, blocksOf(answer), stopReason(answer)),
  events: (answer) => {
    const named = (data: JsonObject): WireEvent => ({ event: String(data.type), data });
    return [
      named({ type: 'message_start', message: messageOf(answer, [], null) }),
      ...blocksOf(answer).flatMap((block, index) => eventsOf(block, index).map(named)),
      named({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: 0 },
      }),
      named({ type: 'message_stop' }),
    ];
  },
  end: '',
};

function messageOf(answer: WireAnswer, content: JsonObject[], stop_reason: string | null): JsonObject {
  const head = { id: idOf('msg', answer), type: 'message', role: 'assistant', model: answer.model };
  const usage = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  return { ...head, content, stop_reason, stop_sequence: null, usage };
}

function blocksOf({ text, calls }: WireAnswer): JsonObject[] {
  return [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: objectOf(args) })),
  ];
}

/** The protocol only knows objects. */
function objectOf(args: string): JsonObject {
  const value = spelledOut(args);
  return isJsonObject(value) ? value : { value };
}

/** A block starts empty, grows and ends. */
function eventsOf(block: JsonObject, index: number): JsonObject[] {
  const isText = block.type === 'text';
  const content_block = isText ? { ...block, text: '' } : { ...block, input: {} };
  const deltaOf = (piece: string): JsonObject =>
    isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece };
  const pieces = piecesOf(isText ? (block.text as string) : JSON.stringify(block.input));
  return [
    { type: 'content_block_start', index, content_block },
    ...pieces.map((piece) => ({ type: 'content_block_delta', index, delta: deltaOf(piece) })),
    { type: 'content_block_stop', index },
  ];
}

function stopReason({ calls, isCutShort }: WireAnswer): string {
  return isCutShort ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn';
}
