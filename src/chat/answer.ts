import { isJsonObject, type Json, type JsonObject, spelledInFence, spelledOut } from '../json/index.ts';
import { readOutput } from './output.ts';
import { readMessage } from './read.ts';

/**
 * What a turn's output says to the user. SDKs record the answer itself, the assistant's message around it, all messages,
 * or an agent's state with the messages in it: the text of the last one of the assistant is the answer, and may spell a
 * structured one. What else a state holds stays beside it.
 */
export function answerIn(output: Json): Json | undefined {
  const spelled = spelledOut(output);
  if (isJsonObject(spelled) && Array.isArray(spelled.messages)) {
    const { messages, ...state } = spelled;
    const answer = lastAnswer(messages as Json[]);
    if (answer === undefined) return spelled;
    return Object.keys(state).length === 0 ? answer : { ...state, messages: answer };
  }
  if (!Array.isArray(spelled) && !isOfAssistant(spelled)) return spelledInFence(spelled);
  return lastAnswer([spelled].flat()) ?? spelledInFence(spelled);
}

function lastAnswer(messages: readonly Json[]): Json | undefined {
  if (messages.length === 0 || !messages.every((each) => readMessage(each) !== undefined)) return undefined;
  const last = messages.findLast(isOfAssistant);
  const { said } = readOutput(last);
  if (said.length === 0) return undefined;
  return spelledInFence(said.length === 1 ? said[0] : said.map(asLine).join('\n'));
}

function isOfAssistant(value: Json | undefined): value is JsonObject {
  const messages = value === undefined ? undefined : readMessage(value);
  return (
    messages?.some(({ role, items }) => role === 'assistant' && items.some(({ kind }) => kind !== 'call')) === true
  );
}

function asLine(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
