import type { TurnRequest } from '../../../src/contract/index.ts';
import type { Json, JsonObject } from '../../../src/json/index.ts';
import type { Observation, Recording } from '../../../src/trace/index.ts';

/** One run of a turn, as a case describes it: what the model was given besides the conversation, and what happened. */
export interface Run {
  /** The time of the run. */
  readonly at?: string;
  readonly system?: string | null;
  readonly tools?: Json;
  readonly model?: string;
  readonly parameters?: JsonObject;
  /** Text before the conversation or around the question: `Question: {question}`. */
  readonly template?: string;
  readonly examples?: readonly JsonObject[];
  readonly acts: readonly Act[];
  /** What the model says last. */
  readonly answer: Json;
  /** The agent's output; by default the model's answer. */
  readonly output?: Json;
  /**
   * How it is traced. `chat`: all messages, all spans. `blocks`: the same, as content blocks. `text`: one prompt that
   * grows. `system`: the same as a system prompt. `news`: each model call only with what is new since the one before. `untold`: model calls without their input. `cut`: the input's text ends in the middle. `spans`: no model
   * calls. `answer`: nothing but the answer.
   */
  readonly trace?: 'chat' | 'blocks' | 'text' | 'system' | 'news' | 'untold' | 'cut' | 'spans' | 'answer';
  /** The model's thinking before each answer, which the model is given back, as content blocks. */
  readonly thinks?: string;
  /** Another agent, no tool, that works after each model call of this one. */
  readonly beside?: Run;
  /** Model calls are traced without their output. */
  readonly isOutputUntold?: boolean;
  /** The model is not given back its texts beside calls. */
  readonly forgetsThoughts?: boolean;
  /** The model's texts are traced as content of so many parts. */
  readonly pieces?: number;
  /** The most messages that the model is given: the latest ones. */
  readonly window?: number;
  /** The agent itself fails at the end, outside of any model call or tool. */
  readonly fails?: string;
}

/** One answer of the model: what it says, what it calls, and what a user says to that. */
export interface Act {
  readonly says?: string;
  readonly calls?: readonly Call[];
  readonly user?: string;
  /** Replaces what the model is given, for this answer only. */
  readonly over?: Pick<Run, 'system' | 'tools' | 'model' | 'parameters'>;
  /** The agent does this on its own, and no model asked for it. */
  readonly unasked?: boolean;
  /** The model call fails with this error. */
  readonly error?: string;
}

export interface Call {
  readonly tool: string;
  readonly args?: Json;
  readonly result?: Json;
  readonly error?: string;
  /** Milliseconds after the model's answer at which it starts, and how long it takes; by default one after the other. */
  readonly after?: number;
  readonly takes?: number;
  /** An agent that does the work. */
  readonly agent?: Run;
}

export const QUESTION = 'Where is my order 7, and can I have my money back?';
export const REQUEST: TurnRequest = { messages: [{ role: 'user', content: QUESTION }] };
const DEFAULT_AT = '2026-01-05T10:00:00.000Z';
const SYSTEM = 'You help customers of a tent shop.\nBe kind.\nNever promise a date.';
const TOOLS: Json = ['get_order', 'refund', 'send_mail'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Calls ${name}.`,
    parameters: { type: 'object', properties: { id: { type: 'number' } } },
  },
}));

/** The turn as a tracing SDK would have recorded it. */
export function recordingOf(run: Run): Recording {
  const { trace = 'chat', answer, output = answer } = run;
  if (trace === 'answer') return { output, observations: [] };
  return { output, observations: new Recorder(run).observations };
}

class Recorder {
  readonly observations: Observation[] = [];
  #now: number;
  #ids = 0;

  constructor(run: Run) {
    this.#now = Date.parse(run.at ?? DEFAULT_AT);
    const root = this.#span('agent', 'turn', null);
    this.#agent(run, root.id, QUESTION);
    this.#end(root);
    if (run.fails !== undefined) Object.assign(root, failed(run.fails));
  }

  #agent(run: Run, parentId: string, question: string): void {
    const { template = '{question}', examples = [], system = SYSTEM } = run;
    const conversation: JsonObject[] = [
      ...examples,
      { role: 'user', content: template.replace('{question}', question) },
    ];
    for (const act of run.acts) {
      const calls = (act.calls ?? []).map((call) => ({ ...call, id: this.#id('call_') }));
      const asked = act.unasked === true ? [] : calls;
      const said = message(run, act.says, asked);
      if (act.unasked !== true)
        this.#generation({ system, ...run, ...act.over }, conversation, said, parentId, act.error);
      if (run.beside !== undefined) this.#agent(run.beside, this.#span('agent', 'beside', parentId).id, 'Count.');
      for (const call of calls) this.#call(run, call, parentId, asked.length === 0);
      if (act.unasked === true) continue;
      conversation.push(run.forgetsThoughts === true ? message(run, undefined, asked) : said);
      conversation.push(...results(run, calls));
      if (act.user !== undefined) conversation.push({ role: 'user', content: act.user });
    }
    const text = typeof run.answer === 'string' ? run.answer : JSON.stringify(run.answer);
    this.#generation({ system, ...run }, conversation, message(run, text, []), parentId);
  }

  #generation(run: Run, conversation: readonly JsonObject[], said: JsonObject, parentId: string, error?: string): void {
    if (run.trace === 'spans') return;
    const span = this.#span('generation', 'chat', parentId);
    const input = inputOf(run, conversation);
    Object.assign(span, {
      ...(input === undefined ? {} : { input }),
      ...(error === undefined ? outputOf(run, said) : failed(error)),
      model: run.model ?? 'gpt-4o',
      modelParameters: run.parameters ?? { temperature: 0 },
    });
    this.#end(span);
  }

  #call(run: Run, call: Call & { id: string }, parentId: string, isUnasked: boolean): void {
    const start = this.#now;
    if (call.after !== undefined) this.#now = start + call.after;
    const span = this.#span('tool', call.tool, parentId);
    Object.assign(span, { input: call.args ?? {}, ...(isUnasked ? {} : { callId: call.id }) });
    if (call.agent !== undefined) this.#agent({ ...run, ...call.agent }, span.id, String(call.args));
    this.#end(span, call.takes);
    if (call.error === undefined) span.output = call.result ?? 'ok';
    else Object.assign(span, failed(call.error));
    if (call.after !== undefined) this.#now = Math.max(start, this.#now);
  }

  #span(type: Observation['type'], name: string, parentId: string | null): Observation {
    const span = { id: this.#id('span-'), parentId, type, name, startTime: this.#iso(), endTime: null };
    this.observations.push(span);
    this.#now += 1;
    return span;
  }

  #end(span: Observation, takes?: number): void {
    if (takes === undefined) this.#now += 1;
    const end = takes === undefined ? this.#now : Date.parse(span.startTime) + takes;
    span.endTime = new Date(end).toISOString();
  }

  #iso(): string {
    return new Date(this.#now).toISOString();
  }

  /** An id that differs between runs made at different times. */
  #id(prefix: string): string {
    this.#ids++;
    return `${prefix}${this.#now.toString(36)}${(this.#ids + 1_000).toString(36)}9z4k7q1x`;
  }
}

function outputOf(run: Run, said: JsonObject): Pick<Observation, 'output'> {
  return run.isOutputUntold === true ? {} : { output: isInText(run) ? textOf(said) : said };
}

function failed(statusMessage: string): Pick<Observation, 'level' | 'statusMessage'> {
  return { level: 'ERROR', statusMessage };
}

/** What the model call is traced with. */
function inputOf({ trace, system, tools = TOOLS, window }: Run, conversation: readonly JsonObject[]): Json | undefined {
  const prompt = system === null || system === undefined ? [] : [{ role: 'system', content: system }];
  const messages = window === undefined ? conversation : conversation.slice(-window);
  switch (trace) {
    case 'untold':
      return undefined;
    case 'cut':
      return JSON.stringify({ messages: [...prompt, ...messages] }).slice(0, -20);
    case 'news': {
      const last = messages.findLastIndex(({ role }) => role === 'assistant');
      return {
        instructions: system ?? '',
        input: messages.slice(last + 1),
        previous_response_id: `resp_${last}`,
        tools,
      };
    }
    case 'text':
      return grown(system, messages);
    case 'system':
      return { messages: [{ role: 'system', content: grown(system, messages) }] };
    case 'blocks':
      return { ...(system === null ? {} : { system: system ?? '' }), messages: [...messages], tools };
    default:
      return { messages: [...prompt, ...messages], tools };
  }
}

/** A prompt that is one text. */
function grown(system: string | null | undefined, messages: readonly JsonObject[]): string {
  return `${system ?? ''}\n${messages.map(textOf).join('\n')}\n`;
}

function isInText({ trace }: Run): boolean {
  return trace === 'text' || trace === 'system';
}

function message(run: Run, says: string | undefined, calls: readonly (Call & { id: string })[]): JsonObject {
  const { trace, thinks } = run;
  if (isInText(run)) {
    const acts = calls.map(({ tool, args }) => `Action: ${tool}\nAction Input: ${JSON.stringify(args ?? {})}`);
    return { role: 'assistant', content: [...(says === undefined ? [] : [says]), ...acts].join('\n') };
  }
  if (trace === 'blocks') {
    const uses = calls.map(({ tool, args, id }) => ({ type: 'tool_use', id, name: tool, input: args ?? {} }));
    const thought = thinks === undefined ? [] : [{ type: 'thinking', thinking: thinks, signature: 'c2lnbmVk' }];
    const text = says === undefined ? [] : inPieces(says, run.pieces ?? 1);
    return { role: 'assistant', content: [...thought, ...text, ...uses] };
  }
  const asked = calls.map(({ tool, args, id }) => ({
    id,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(args ?? {}) },
  }));
  const content = says === undefined ? null : run.pieces === undefined ? says : inPieces(says, run.pieces);
  return { role: 'assistant', content, ...(asked.length === 0 ? {} : { tool_calls: asked }) };
}

function inPieces(text: string, count: number): JsonObject[] {
  const size = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, index) => ({
    type: 'text',
    text: text.slice(index * size, (index + 1) * size),
  }));
}

function results(run: Run, calls: readonly (Call & { id: string })[]): JsonObject[] {
  const texts = calls.map(({ result = 'ok', error }) => {
    return error ?? (typeof result === 'string' ? result : JSON.stringify(result));
  });
  if (isInText(run)) return texts.map((text) => ({ role: 'user', content: `Observation: ${text}` }));
  if (run.trace === 'blocks') {
    const parts = calls.map(({ id }, index) => ({ type: 'tool_result', tool_use_id: id, content: texts[index] ?? '' }));
    return parts.length === 0 ? [] : [{ role: 'user', content: parts }];
  }
  return calls.map(({ id, tool }, index) => ({
    role: 'tool',
    tool_call_id: id,
    name: tool,
    content: texts[index] ?? '',
  }));
}

function textOf({ content }: JsonObject): string {
  return typeof content === 'string' ? content : '';
}
