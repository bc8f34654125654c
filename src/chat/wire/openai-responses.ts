import { isJsonObject, type Json, type JsonObject } from '../../json/index.ts';
import { idOf, piecesOf, type Wire, type WireAnswer, type WireEvent } from './wire.ts';

/** https://platform.openai.com/docs/api-reference/responses and its streaming events */
export const openaiResponses: Wire = {
  body: (answer, request) => responseOf(answer, request, endOf(answer)),
  events: (answer, request) => {
    const events: JsonObject[] = [];
    const started = { ...responseOf(answer, request, 'in_progress'), output: [] };
    events.push({ type: 'response.created', response: started }, { type: 'response.in_progress', response: started });
    for (const [output_index, item] of itemsOf(answer).entries()) events.push(...eventsOf(item, output_index));
    const end = endOf(answer);
    events.push({ type: `response.${end}`, response: responseOf(answer, request, end) });
    return events.map(
      (event, sequence_number): WireEvent => ({ event: String(event.type), data: { ...event, sequence_number } }),
    );
  },
  end: '',
};

function endOf({ isCutShort }: WireAnswer): 'completed' | 'incomplete' {
  return isCutShort ? 'incomplete' : 'completed';
}

function responseOf(answer: WireAnswer, request: JsonObject, status: string): JsonObject {
  const given = (key: string, otherwise: Json): JsonObject => ({ [key]: request[key] ?? otherwise });
  return {
    id: idOf('resp', answer),
    object: 'response',
    created_at: 0,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    model: answer.model,
    output: itemsOf(answer),
    ...given('instructions', null),
    ...given('max_output_tokens', null),
    ...given('metadata', {}),
    ...given('parallel_tool_calls', true),
    ...given('previous_response_id', null),
    ...given('temperature', null),
    ...given('text', { format: { type: 'text' } }),
    ...given('tool_choice', 'auto'),
    ...given('tools', []),
    ...given('top_p', null),
    ...given('truncation', 'disabled'),
    usage: {
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    },
  };
}

function itemsOf(answer: WireAnswer): JsonObject[] {
  const { text, calls } = answer;
  const about = { type: 'message', id: idOf('msg', answer), status: 'completed', role: 'assistant' };
  return [
    ...(text === undefined
      ? []
      : [{ ...about, content: [{ type: 'output_text', text, annotations: [], logprobs: [] }] }]),
    ...calls.map(({ id, name, args }, index) => ({
      type: 'function_call',
      id: idOf('fc', answer, index + 1),
      call_id: id,
      name,
      arguments: args,
      status: 'completed',
    })),
  ];
}

/** An item starts empty, grows and is completed. */
function eventsOf(item: JsonObject, output_index: number): JsonObject[] {
  const about = { item_id: item.id as string, output_index };
  const added = (empty: JsonObject) => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, ...empty, status: 'in_progress' },
  });
  const done = { type: 'response.output_item.done', output_index, item };
  const [part] = Array.isArray(item.content) ? item.content : [];
  if (!isJsonObject(part)) {
    const args = item.arguments as string;
    const kind = 'response.function_call_arguments';
    return [
      added({ arguments: '' }),
      ...piecesOf(args).map((delta) => ({ type: `${kind}.delta`, ...about, delta })),
      { type: `${kind}.done`, ...about, name: item.name as string, arguments: args },
      done,
    ];
  }
  const place = { ...about, content_index: 0 };
  const text = part.text as string;
  return [
    added({ content: [] }),
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...piecesOf(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    done,
  ];
}
