import { isJsonObject, type Json } from '../json/index.ts';

const STAND_IN = /\[tool(?:-result)?: /;

/**
 * Mastra's steps have a preview of their messages, with `[tool-result: lookup]` in the place of a result; the call around them has those
 * that it began with whole.
 * @param given to the model, as its own observation tells
 * @param around the input of the observation above it
 */
export function inFull(given: Json | undefined, around: Json | undefined): Json | undefined {
  if (!isJsonObject(around) || !Array.isArray(around.messages) || !Array.isArray(given)) return given;
  const { messages } = around;
  const begun = given.slice(0, messages.length);
  const roles = [messages, begun].map((each) => each.map((message) => isJsonObject(message) && message.role).join());
  return roles[0] === roles[1] && STAND_IN.test(JSON.stringify(begun))
    ? [...messages, ...given.slice(messages.length)]
    : given;
}
