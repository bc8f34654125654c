import type { JsonObject } from '../../json/index.ts';
import { anthropicMessages } from './anthropic.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { type NumberedAnswer, type Wire, type WireAnswer, wireAnswer } from './wire.ts';

export type { ModelAnswer, NumberedAnswer } from './wire.ts';

/** By the end of the request's path. */
const WIRES: readonly (readonly [RegExp, Wire])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/messages$/, anthropicMessages],
];

/** The text of a response, and its content type. */
interface Answered {
  readonly type: string;
  readonly body: string;
}

/**
 * How a model answers that is asked under this path, as the provider would send it: whole, or as a stream if the request asks
 * for one. Undefined if no protocol known here is spoken there.
 */
export function answererOf(path: string): ((answer: NumberedAnswer, request: JsonObject) => Answered) | undefined {
  const wire = WIRES.find(([end]) => end.test(path))?.[1];
  return wire && ((answer, request) => answeredBy(wire, wireAnswer(answer, request), request));
}

function answeredBy(wire: Wire, answer: WireAnswer, request: JsonObject): Answered {
  if (request.stream !== true) return { type: 'application/json', body: JSON.stringify(wire.body(answer, request)) };
  const events = wire
    .events(answer, request)
    .map(({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
  return { type: 'text/event-stream', body: events.join('') + wire.end };
}
