import { isJsonObject, type JsonObject } from '../../json/index.ts';
import {
  argumentsText,
  idOf,
  type ModelAnswer,
  modelOf,
  type NumberedAnswer,
  piecesOf,
  type Wire,
  type WireEvent,
} from './wire.ts';

/** https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: Wire = {
  body: (answer, request) => {
    const { text, calls } = answer;
    const message = {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      refusal: null,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ args }, index) => callOf(answer, index, argumentsText(args))),
      }),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(answer) };
    return { ...headOf('chat.completion', answer, request), choices: [choice], usage: USAGE };
  },
  events: (answer, request) => {
    const { text } = answer;
    const chunk = (delta: JsonObject, finish_reason: string | null = null): WireEvent => ({
      data: { ...headOf('chat.completion.chunk', answer, request), choices: [{ index: 0, delta, finish_reason }] },
    });
    const { stream_options: options } = request;
    const isCounted = isJsonObject(options) && options.include_usage === true;
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(text === '' ? [] : piecesOf(text).map((content) => chunk({ content }))),
      ...answer.calls.flatMap(({ args }, index) => [
        chunk({ tool_calls: [{ index, ...callOf(answer, index, '') }] }),
        ...piecesOf(argumentsText(args)).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      chunk({}, finishReason(answer)),
      ...(isCounted
        ? [{ data: { ...headOf('chat.completion.chunk', answer, request), choices: [], usage: USAGE } }]
        : []),
    ];
  },
  end: 'data: [DONE]\n\n',
};

/** Pins hold no usage of single calls. */
const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function headOf(object: string, answer: NumberedAnswer, request: JsonObject): JsonObject {
  return { id: idOf('chatcmpl', answer), object, created: 0, model: modelOf(request, answer) };
}

function callOf(answer: NumberedAnswer, index: number, args: string): JsonObject {
  const { id, name = '' } = answer.calls[index] ?? {};
  return { id: id ?? idOf('call', answer, index + 1), type: 'function', function: { name, arguments: args } };
}

function finishReason({ calls, isCutShort }: ModelAnswer): string {
  return isCutShort ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
}
