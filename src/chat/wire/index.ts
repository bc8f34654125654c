import type { JsonObject } from '../../json/index.ts';
import { anthropicMessages } from './anthropic.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { ModelAnswer, Wire } from './wire.ts';

export type { ModelAnswer } from './wire.ts';

/** By the end of the request's path. */
const WIRES: readonly (readonly [RegExp, Wire])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/messages$/, anthropicMessages],
];

/** Whether this path belongs to a known model protocol. */
export function asksModel(path: string): boolean {
  return wireOf(path) !== undefined;
}

/** An answer as the provider would send it: whole, or as a stream if the request asks for one. */
export function answeredAs(path: string, answer: ModelAnswer, request: JsonObject): { type: string; body: string } {
  const wire = wireOf(path);
  if (wire === undefined) throw new TypeError(`No model is asked under ${path}.`);
  if (request.stream !== true) return { type: 'application/json', body: JSON.stringify(wire.body(answer, request)) };
  const events = wire
    .events(answer, request)
    .map(({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
  return { type: 'text/event-stream', body: events.join('') + wire.end };
}

function wireOf(path: string): Wire | undefined {
  return WIRES.find(([end]) => end.test(path))?.[1];
}
