import { isJsonObject, type Json, type JsonObject, spelledInFence, spelledOut, textOrJson } from '../json/index.ts';
import { partItems } from './items.ts';
import { readOutput } from './output.ts';
import { readMessage } from './read.ts';

/**
 * What a turn's output says to the user. SDKs record the answer itself, the assistant's message around it, all messages, or
 * an agent's state with messages in it. The answer is the text of the assistant's last message, which may spell a
 * structured one; other parts of a state stay beside it. Thoughts are left out.
 */
export function answerIn(output: Json): Json | undefined {
  const spelled = spelledOut(output);
  if (isJsonObject(spelled) && Array.isArray(spelled.messages)) {
    const { messages, ...state } = spelled;
    const answer = lastAnswer(messages as Json[]);
    if (answer === undefined) return spelled;
    return Object.keys(state).length === 0 ? answer : { ...state, messages: answer };
  }
  const answer = Array.isArray(spelled) || isOfAssistant(spelled) ? lastAnswer([spelled].flat()) : undefined;
  return answer ?? spokenIn(spelled);
}

function lastAnswer(messages: readonly Json[]): Json | undefined {
  if (messages.length === 0 || !messages.every((each) => readMessage(each) !== undefined)) return undefined;
  const { said, reasoning } = readOutput(messages.findLast(isOfAssistant));
  return said.length > 0 || reasoning.length > 0 ? textOf(said) : undefined;
}

/** A response, or its parts, without thoughts; any other output unchanged. */
function spokenIn(output: Json | undefined): Json | undefined {
  if (Array.isArray(output)) {
    const items = output.map((part) => partItems(part, { untyped: false }) ?? []);
    const spoken = output.filter((_, at) => !items[at]?.some(({ kind }) => kind === 'reasoning'));
    if (spoken.length < output.length) return spoken.length === 0 ? '' : answerIn(spoken);
    const isText =
      output.length > 0 && items.every((each) => each.length > 0 && each.every(({ kind }) => kind === 'text'));
    return isText ? textOf(readOutput(output).said) : output;
  }
  if (!isJsonObject(output)) return output === undefined ? output : textOf([output]);
  const { said, reasoning } = readOutput(output);
  const isResponse = RESPONSE.some((key) => key in output) || Array.isArray(output.content) || holdsMessage(output);
  const isText = said.length + reasoning.length > 0 && said.every((each) => typeof each === 'string');
  return isResponse && isText ? textOf(said) : output;
}

/** Keys that a model provider's response has and an agent's state lacks. */
const RESPONSE = ['choices', 'candidates', 'usage', 'stop_reason', 'finish_reason'];

/** Gemini's and Bedrock's. */
function holdsMessage({ content, output }: JsonObject): boolean {
  const isOfGemini = isJsonObject(content) && Array.isArray(content.parts);
  return isOfGemini || (isJsonObject(output) && isJsonObject(output.message));
}

/** Some models write their thoughts into the text, before the answer. */
const THOUGHTS = /^\s*<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>\s*/i;

function textOf(said: readonly Json[]): Json | undefined {
  const whole = said.length === 1 ? (said[0] as Json) : said.map(textOrJson).join('\n');
  return spelledInFence(typeof whole === 'string' ? whole.replace(THOUGHTS, '') : whole);
}

function isOfAssistant(value: Json | undefined): value is JsonObject {
  const messages = value === undefined ? undefined : readMessage(value);
  return (
    messages?.some(({ role, items }) => role === 'assistant' && items.some(({ kind }) => kind !== 'call')) === true
  );
}
