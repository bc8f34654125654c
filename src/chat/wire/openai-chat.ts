import { isJsonObject, type JsonObject } from '../../json/index.ts';
import { idOf, piecesOf, type Wire, type WireAnswer, type WireEvent } from './wire.ts';

/** https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: Wire = {
  body: (answer) => {
    const { text = null, calls } = answer;
    const tool_calls = calls.map((call) => callOf(call, call.args));
    const message = { role: 'assistant', content: text, refusal: null, ...(calls.length > 0 && { tool_calls }) };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(answer) };
    return { ...headOf('chat.completion', answer), choices: [choice], usage: USAGE };
  },
  events: (answer, { stream_options: options }) => {
    const { text = '', calls } = answer;
    const head = headOf('chat.completion.chunk', answer);
    const chunk = (delta: JsonObject, finish_reason: string | null = null): WireEvent => ({
      data: { ...head, choices: [{ index: 0, delta, finish_reason }] },
    });
    const isCounted = isJsonObject(options) && options.include_usage === true;
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(text === '' ? [] : piecesOf(text).map((content) => chunk({ content }))),
      ...calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...callOf(call, '') }] }),
        ...piecesOf(call.args).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, finishReason(answer)),
      ...(isCounted ? [{ data: { ...head, choices: [], usage: USAGE } }] : []),
    ];
  },
  end: 'data: [DONE]\n\n',
};

/** Pins hold no usage of single calls. */
const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function headOf(object: string, answer: WireAnswer): JsonObject {
  return { id: idOf('chatcmpl', answer), object, created: 0, model: answer.model };
}

function callOf({ id, name }: WireAnswer['calls'][number], args: string): JsonObject {
  return { id, type: 'function', function: { name, arguments: args } };
}

function finishReason({ calls, isCutShort }: WireAnswer): string {
  return isCutShort ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
}
