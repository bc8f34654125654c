import { given, type Output, type ToolCall, textOf } from '../../chat/index.ts';
import { isJsonObject, type Json, spelledInFence, spelledOut } from '../../json/index.ts';
import type { Observation } from '../../trace/index.ts';

/** A message of an agent that calls tools in text: text first, then the call or the answer. */
type Said = { readonly before: string } & (
  | { readonly call: Pick<ToolCall, 'name' | 'args'>; readonly goesOn: boolean }
  | { readonly answer: Json; readonly isCertain: boolean }
);

/**
 * Reads calls that models write as text, as ReAct agents do: `Action: NAME` and `Action Input: ...`, `Action: NAME[...]`,
 * or the JSON blob `{"action", "action_input"}`. Only the end of a message counts, and only without structured calls. The
 * outcome of a call is the observation at the end of the next generation's input. For traces without tools: if a trace has
 * tools, they count, and no call may count twice.
 * @param outputs of the generations of one turn, in order
 * @returns the same with such calls and answers taken out of their texts; undefined if the turn has none
 */
export function readTextActions(
  outputs: ReadonlyMap<Observation, Output>,
): ReadonlyMap<Observation, Output> | undefined {
  const generations = [...outputs.entries()];
  const read = generations.map(([, { said, calls }], index) =>
    calls.length > 0 ? undefined : saidIn(said.at(-1), index === generations.length - 1),
  );
  if (!read.some((each) => each !== undefined && ('call' in each || each.isCertain))) return undefined;
  return new Map(
    generations.map(([generation, output], index) => {
      const act = read[index];
      if (act === undefined) return [generation, output];
      const said = [...output.said.slice(0, -1), ...(act.before === '' ? [] : [act.before])];
      if ('answer' in act) return [generation, { ...output, said: [...said, act.answer] }];
      const value = observationAtEnd(generations[index + 1]?.[0].input);
      const call = { id: undefined, ...act.call };
      const result = value === undefined ? undefined : { id: undefined, name: call.name, value, isError: false };
      return [generation, { ...output, said, calls: [{ ...call, result }] }];
    }),
  );
}

/** The answer at the end of such a message; other values unchanged. */
export function answerAtEnd(output: Json | undefined): Json | undefined {
  const said = saidIn(output, true);
  return said !== undefined && 'answer' in said ? said.answer : output;
}

/** @param isLast nothing follows that could have carried out a call, so text that looks like one is read to its end */
function saidIn(message: Json | undefined, isLast: boolean): Said | undefined {
  if (typeof message !== 'string') {
    const asked = message === undefined ? undefined : blob(message);
    return asked && saidBy('', asked, false);
  }
  if (!MENTION.test(message)) return undefined;
  const sections = sectionsOf(message);
  const action = actionIn(message, sections);
  return action !== undefined && !('call' in action && action.goesOn && isLast) ? action : answerIn(message, sections);
}

/** The text under an answer label, after all observations. */
function answerIn(text: string, sections: readonly Section[]): Said | undefined {
  const isCertain = sections[0]?.label === 'Thought' && text.slice(0, sections[0].start).trim() === '';
  const observed = sections.findLastIndex(({ label }) => label === 'Observation');
  const at = sections.find(
    ({ label }, index) => index > observed && (label === 'Final Answer' || (label === 'Answer' && isCertain)),
  );
  if (at === undefined || isInFence(text, at.start)) return undefined;
  return { before: text.slice(0, at.start).trimEnd(), answer: answerFrom(text.slice(at.end).trim()), isCertain };
}

const MENTION = /Action|Answer|"action_input"/;

interface Section {
  readonly label: string;
  /** Of the label. */
  readonly start: number;
  readonly end: number;
  readonly body: string;
}

const LABEL = /^[ \t]*(Thought|Action|Action Input|Observation|Final Answer|Answer)(?: ?\d{1,3})?:/gm;

function sectionsOf(text: string): Section[] {
  const labels = [...text.matchAll(LABEL)];
  return labels.map((match, index) => {
    const end = match.index + match[0].length;
    return {
      label: match[1] as string,
      start: match.index,
      end,
      body: text.slice(end, labels[index + 1]?.index).trim(),
    };
  });
}

/** The first action of a message, if only its own observation follows. */
function actionIn(text: string, sections: readonly Section[]): Said | undefined {
  const at = sections.findIndex(({ label }) => label === 'Action');
  const action = sections[at];
  if (action === undefined) return blobAtEnd(text, sections);
  if (isInFence(text, action.start)) return undefined;
  const input = sections[at + 1]?.label === 'Action Input' ? sections[at + 1] : undefined;
  const asked = input === undefined ? (bracketed(action.body) ?? blob(action.body)) : askedFor(action.body, input.body);
  const [next, ...further] = sections.slice(at + (input === undefined ? 1 : 2));
  if (asked === undefined || (next !== undefined && next.label !== 'Observation')) return undefined;
  const goesOn = next !== undefined && (next.body !== '' || further.length > 0);
  return saidBy(text.slice(0, action.start).trimEnd(), asked, goesOn);
}

interface Asked {
  readonly name: string;
  readonly input: Json;
}

function saidBy(before: string, { name, input }: Asked, goesOn: boolean): Said {
  if (FINAL.test(name)) {
    return { before, answer: typeof input === 'string' ? answerFrom(input) : input, isCertain: true };
  }
  return { before, call: { name, args: argumentsFrom(input) }, goesOn };
}

/** The actions with which an agent says that it is done. */
const FINAL = /^(?:final answer|finish)$/i;
/** Longer texts are sentences. */
const MAX_NAME = 64;

function askedFor(name: string, input: string): Asked | undefined {
  return name === '' || name.includes('\n') || name.length > MAX_NAME ? undefined : { name, input };
}

const BRACKETED = /^([\p{L}_][\p{L}\p{N}_.-]{0,63})\[([\s\S]*)\]$/u;

function bracketed(action: string): Asked | undefined {
  const [, name, input = ''] = BRACKETED.exec(action) ?? [];
  return name === undefined ? undefined : { name, input };
}

function blob(action: Json): Asked | undefined {
  const value = spelledInFence(action);
  if (!isJsonObject(value) || Object.keys(value).length !== 2 || value.action_input === undefined) return undefined;
  return typeof value.action === 'string' ? { name: value.action, input: value.action_input } : undefined;
}

const FENCE = '```';

/** A blob that is the whole message, or is fenced at the end of one without labels other than a thought's. */
function blobAtEnd(text: string, sections: readonly Section[]): Said | undefined {
  if (!sections.every(({ label }) => label === 'Thought')) return undefined;
  const trimmed = text.trimEnd();
  const closed = trimmed.endsWith(FENCE) ? trimmed.lastIndexOf(FENCE, trimmed.length - FENCE.length - 1) : -1;
  const start = closed === -1 ? 0 : closed;
  const asked = isInFence(text, start) ? undefined : blob(trimmed.slice(start));
  return asked && saidBy(text.slice(0, start).trimEnd(), asked, false);
}

function isInFence(text: string, at: number): boolean {
  return text.slice(0, at).split(FENCE).length % 2 === 0;
}

/** An object holds the arguments; any other value is the single input of a tool. */
function argumentsFrom(input: Json): Json {
  const value = typeof input === 'string' ? (inQuotes(input) ?? spelledInFence(input)) : input;
  return isJsonObject(value) ? value : { input: value ?? null };
}

/** Models add quotes as they like, and frameworks remove them. */
function inQuotes(text: string): string | undefined {
  return /^"[^"\\\n]*"$/.test(text) ? text.slice(1, -1) : undefined;
}

function answerFrom(text: string): Json {
  return spelledInFence(text) ?? text;
}

/** The outcome of the last call as the framework wrote it; undefined if the input does not end with one. */
function observationAtEnd(input: Json | undefined): Json | undefined {
  const last = given(input).messages.at(-1);
  const text = typeof input === 'string' ? input : last === undefined ? '' : textOf(last);
  const sections = sectionsOf(text);
  // The prompt may end with the label of the thought that the model is to write.
  if (sections.at(-1)?.label === 'Thought' && sections.at(-1)?.body === '') sections.pop();
  const observation = sections.at(-1);
  return observation?.label === 'Observation' ? spelledOut(observation.body) : undefined;
}
