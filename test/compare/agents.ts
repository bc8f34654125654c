import { type CompareRules, compareRules, type TurnComparison } from '../../src/compare/index.ts';
import type { TurnRequest } from '../../src/contract/index.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { compareTurn } from './compare-turn.ts';

/** Cases of each property: 100 in `npm test`, 1,000 in `npm run test:slow`, more in `npm run test:properties`. */
export const RUNS = Number(process.env.FC_RUNS ?? 1_000);

/** A simulated agent: what it does in one turn. */
export interface Agent {
  readonly request: TurnRequest;
  readonly acts: readonly Act[];
  readonly answer: Json;
}

/** One answer of its model: what it thinks aloud, and the tools that it calls at once. */
export interface Act {
  readonly thought: string;
  readonly calls: readonly Call[];
}

export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
  readonly result: Json;
  readonly failed?: boolean;
}

/** In values, `{id:n}` stands for the n-th id that a tool generated, `{time:n}` for a clock's n-th reading. */
const GENERATED = /\{(id|time|epoch):(\d+)\}/g;

export type Shape = 'chat' | 'parts' | 'blocks' | 'untold' | 'bare';
export const SHAPES: readonly Shape[] = ['chat', 'parts', 'blocks', 'untold'];

export interface Rendering {
  /**
   * `chat`: OpenAI messages, tools with their call ids. `parts`: OpenTelemetry GenAI, tools without ids. `blocks`:
   * Anthropic content. `untold`: tools only in the messages of the next generation. `bare`: tools only.
   */
  readonly shape: Shape;
  /** Makes ids differ. */
  readonly seed: number;
  readonly startMs: number;
  /** Milliseconds between observations; 0: all in the same one. */
  readonly tickMs: number;
  /** Order of arrival of observations and of parallel calls. */
  readonly shuffle: number;
  /** Values in another spelling: order of keys, decomposed characters, numbers as `1.0` in text. */
  readonly spelling: 'plain' | 'other';
}

/** The simplest rendering. */
export const PLAIN: Rendering = {
  shape: 'chat',
  seed: 1,
  startMs: Date.UTC(2026, 0, 1),
  tickMs: 1,
  shuffle: 0,
  spelling: 'plain',
};

export const rendering: fc.Arbitrary<Rendering> = fc.record({
  shape: fc.constantFrom(...SHAPES),
  seed: fc.nat(1_000_000),
  startMs: fc.nat(1_000_000_000).map((offset) => Date.UTC(2026, 0, 1) + offset),
  tickMs: fc.constantFrom(0, 1, 1_000),
  shuffle: fc.nat(1_000_000),
  spelling: fc.constantFrom('plain', 'other'),
});

const word = fc.constantFrom('blue', 'kettle', 'Café', 'order', 'naïve', 'tent', 'late', 'green', 'Berlin', 'ship');
const sentence = fc.array(word, { minLength: 1, maxLength: 20 }).map((words) => words.join(' '));
const key = fc.constantFrom('a', 'b', 'city', 'é', 'f', '__proto__', 'constructor', 'x/y', 'm~n', '');
const scalar: fc.Arbitrary<Json> = fc.oneof(
  sentence,
  fc.integer({ min: -50, max: 5_000 }),
  fc.double({ min: -5, max: 5, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('2026-03-04', 'FO-1011', '0b9a7c52-3f51-4f0e-9a55-0123456789ab', '', '12', '2'),
);
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 3 }),
    object(tie('value')),
  ),
})).value;

function object(of: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.uniqueArray(fc.tuple(key, of), { maxLength: 3, selector: ([name]) => name }).map(Object.fromEntries);
}

const TOOLS = ['search', 'get_order', 'list_items', 'send_mail', 'getUser'];

/** Agents whose calls all differ, so that each difference has one explanation. */
export const agent = agents({ parallel: 3, failing: true });

/** Agents with at least one call, one after another, none of which fails: so a planted change has one place. */
export const sequentialAgent = agents({ parallel: 1, failing: false }).filter(({ acts }) => acts.length > 0);

function agents(options: { parallel: number; failing: boolean }): fc.Arbitrary<Agent> {
  return fc
    .record({
      question: sentence,
      acts: fc.array(
        fc.record({
          thought: fc.oneof(fc.constant(''), sentence),
          calls: fc.array(
            fc.record({
              tool: fc.constantFrom(...TOOLS),
              args: object(value),
              result: fc.oneof(value, object(value)),
              generates: fc.boolean(),
              uses: fc.boolean(),
              failed: fc.integer({ min: 0, max: 9 }).map((n) => n === 0 && options.failing),
            }),
            { minLength: 1, maxLength: options.parallel },
          ),
        }),
        { maxLength: 5 },
      ),
      answer: fc.oneof(
        sentence,
        object(value),
        sentence.map((text) => `Your order {id:0} is on its way: ${text}.`),
      ),
    })
    .map(({ question, acts, answer }): Agent => {
      let number = 0;
      let ids = 0;
      return {
        request: { messages: [{ role: 'user', content: question }] },
        acts: acts.map(({ thought, calls }) => {
          const known = ids;
          return {
            thought,
            calls: calls.map(({ tool, args, result, generates, uses, failed }): Call => {
              number++;
              const used: JsonObject = uses && known > 0 ? { order: `{id:${number % known}}` } : {};
              const made: JsonObject =
                generates && !failed ? { id: `{id:${ids++}}`, at: `{time:${number}}`, epoch: `{epoch:${number}}` } : {};
              return {
                tool,
                args: { ...args, ...used, no: number },
                result: { ...made, got: result, no: number },
                failed,
              };
            }),
          };
        }),
        answer: ids === 0 && typeof answer === 'string' ? answer.replace('{id:0}', 'FO-1') : answer,
      };
    });
}

/** The agent's turn as a tracing SDK would have recorded it. */
export function record(agent: Agent, rendering: Rendering): Recording {
  return new Recorder(agent, rendering).recording();
}

class Recorder {
  readonly #agent: Agent;
  readonly #options: Rendering;
  readonly #random: () => number;
  readonly #observations: Observation[] = [];
  readonly #messages: Json[];
  #ticks = 0;
  #ids = 0;

  constructor(agent: Agent, options: Rendering) {
    this.#agent = agent;
    this.#options = options;
    this.#random = randomFrom(options.shuffle);
    this.#messages = [...((agent.request.messages ?? []) as Json[])];
  }

  recording(): Recording {
    const root = this.#observe({ type: 'agent', name: 'turn', parentId: null });
    for (const act of this.#agent.acts) this.#act(act, root.id);
    const output = this.#real(this.#agent.answer);
    this.#generation(this.#message(typeof output === 'string' ? output : JSON.stringify(output), []), root.id);
    root.endTime = this.#now();
    return { output, observations: this.#shuffled(this.#observations) };
  }

  #act({ thought, calls }: Act, parentId: string): void {
    const shown = calls.map((call) => ({
      ...call,
      id: this.#id('call_'),
      args: this.#real(call.args) as JsonObject,
      result: this.#real(call.result),
    }));
    // Parallel calls have no order. Calls that use one another's ids are never in one act.
    const ordered = this.#shuffled(shown);
    const message = this.#message(this.#text(thought), ordered);
    this.#generation(message, parentId);
    if (this.#options.shape !== 'untold') {
      for (const { tool, args, result, id, failed } of this.#shuffled(ordered)) {
        this.#observe({
          type: 'tool',
          name: tool,
          parentId,
          input: args,
          ...(failed ? { level: 'ERROR' as const, statusMessage: `failed: ${tool}` } : { output: result }),
          ...(this.#options.shape === 'parts' || this.#options.shape === 'bare' ? {} : { callId: id }),
        });
      }
    }
    this.#messages.push(message, ...ordered.map(({ id, result }) => this.#answered(id, result)));
  }

  #generation(output: JsonObject, parentId: string): void {
    if (this.#options.shape === 'bare') return;
    const input = { messages: [{ role: 'system', content: 'Be kind.' }, ...this.#messages] };
    this.#observe({ type: 'generation', name: 'chat', parentId, input, output, model: 'm-1' });
  }

  #message(text: string, calls: readonly { tool: string; args: JsonObject; id: string }[]): JsonObject {
    switch (this.#options.shape) {
      case 'parts':
        return {
          role: 'assistant',
          parts: [
            ...(text === '' ? [] : [{ type: 'text', content: text }]),
            ...calls.map(({ tool, args, id }) => ({ type: 'tool_call', id, name: tool, arguments: args })),
          ],
        };
      case 'blocks':
        return {
          role: 'assistant',
          content: [
            ...(text === '' ? [] : [{ type: 'text', text }]),
            ...calls.map(({ tool, args, id }) => ({ type: 'tool_use', id, name: tool, input: args })),
          ],
        };
      case 'chat':
      case 'untold':
      case 'bare':
        return {
          role: 'assistant',
          content: text === '' ? null : text,
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ tool, args, id }) => ({
                  id,
                  type: 'function',
                  function: { name: tool, arguments: this.#json(args) },
                })),
              }),
        };
    }
  }

  #answered(id: string, result: Json): JsonObject {
    switch (this.#options.shape) {
      case 'parts':
        return { role: 'tool', parts: [{ type: 'tool_call_response', id, response: result }] };
      case 'blocks':
        return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] };
      case 'chat':
      case 'untold':
      case 'bare':
        return { role: 'tool', tool_call_id: id, content: this.#json(result) };
    }
  }

  #observe(fields: Omit<Observation, 'id' | 'startTime' | 'endTime'>): Observation {
    const observation = { ...fields, id: this.#id('span-'), startTime: this.#now(), endTime: this.#now() };
    this.#ticks++;
    this.#observations.push(observation);
    return observation;
  }

  #now(): string {
    return new Date(this.#options.startMs + this.#ticks * this.#options.tickMs).toISOString();
  }

  #id(prefix: string): string {
    return (
      prefix +
      uuidFrom(`${this.#options.seed}.${this.#ids++}`)
        .replaceAll('-', '')
        .slice(0, 20)
    );
  }

  /** Fills in generated ids and times, in the spelling of this run. */
  #real(value: Json): Json {
    if (typeof value === 'string') {
      const epoch = /^\{epoch:(\d+)\}$/.exec(value);
      if (epoch !== null) return this.#options.startMs + Number(epoch[1]);
      const text = value.replace(GENERATED, (_, kind, n) =>
        kind === 'id'
          ? uuidFrom(`${this.#options.seed}.made.${n}`)
          : new Date(this.#options.startMs + Number(n) * 7).toISOString(),
      );
      return this.#options.spelling === 'other' ? text.normalize('NFD') : text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#real(item));
    const entries = Object.entries(value).map(([name, item]): [string, Json] => [
      this.#options.spelling === 'other' ? name.normalize('NFD') : name,
      this.#real(item),
    ]);
    return Object.fromEntries(this.#options.spelling === 'other' ? entries.reverse() : entries);
  }

  #text(text: string): string {
    const real = this.#real(text) as string;
    return this.#options.spelling === 'other' && real !== '' ? ` ${real.replaceAll(' ', '\r\n  ')}\n` : real;
  }

  #json(value: Json): string {
    if (this.#options.spelling === 'plain') return JSON.stringify(value);
    return ` ${JSON.stringify(value, null, 2).replace(/: (-?\d+)(?=,?$)/gm, ': $1.0')}`;
  }

  #shuffled<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => ({ item, key: this.#options.shuffle === 0 ? 0 : this.#random() }));
    return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
  }
}

export function randomFrom(seed: number): () => number {
  let state = seed + 0x9e3779b9;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** A uuid with letters and digits in each part, the same for the same text. */
function uuidFrom(text: string): string {
  let state = 0x811c9dc5;
  for (const char of text) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193);
  const random = randomFrom(state >>> 0);
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return `a1${hex.slice(2, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function rules(given: Partial<CompareRules> = {}): CompareRules {
  return compareRules.parse(given);
}

/** One replay against one recording. */
export function compare(
  recorded: Recording,
  replayed: Recording,
  given: Partial<CompareRules> = {},
  request?: TurnRequest,
): TurnComparison {
  return compareTurn([recorded], [{ run: 1, recording: replayed }], rules(given), { request });
}

/** Where the first behaviour of replays leaves the recording, whatever sets the replays apart. */
export function firstOf({ clusters }: TurnComparison): TurnComparison['divergence'] {
  return clusters.find(({ divergence, recorded }) => divergence !== null && !recorded)?.divergence ?? null;
}

/** A change of one thing that the agent does, planted at a call. */
export interface Mutation {
  readonly agent: Agent;
  /** Number of the call, from 0; the answer counts as the call after the last one. */
  readonly call: number;
  readonly kind: 'call-name' | 'call-missing' | 'call-extra' | 'argument' | 'result' | 'final-text' | 'final-structure';
  readonly change?: 'value' | 'added' | 'removed' | 'type';
  readonly pointer?: string;
}

export type Plant = (typeof PLANTS)[number];
export const PLANTS = [
  'another tool',
  'another value',
  'another type',
  'an argument more',
  'an argument less',
  'a call less',
  'a call more',
  'another result',
  'another answer',
] as const;

export function callsOf({ acts }: Agent): readonly Call[] {
  return acts.flatMap(({ calls }) => calls);
}

/** Plants a change at the nth call. */
export function plant(what: Plant, agent: Agent, nth: number): Mutation {
  if (what === 'another answer') {
    const isText = typeof agent.answer === 'string';
    return {
      agent: {
        ...agent,
        answer: isText ? `No. ${agent.answer as string}` : { ...(agent.answer as JsonObject), total: 7 },
      },
      call: callsOf(agent).length,
      ...(isText ? { kind: 'final-text' } : { kind: 'final-structure', change: 'added', pointer: '/total' }),
    };
  }
  const edit = (by: (call: Call) => Call[]): Agent => {
    let number = 0;
    return {
      ...agent,
      acts: agent.acts.map((act) => ({
        ...act,
        calls: act.calls.flatMap((call) => (number++ === nth ? by(call) : [call])),
      })),
    };
  };
  const args = (change: (args: JsonObject) => JsonObject) => edit((call) => [{ ...call, args: change(call.args) }]);
  switch (what) {
    case 'another tool':
      return { agent: edit((call) => [{ ...call, tool: 'zz_other' }]), call: nth, kind: 'call-name' };
    case 'another value':
      return {
        agent: args((all) => ({ ...all, no: 999 })),
        call: nth,
        kind: 'argument',
        change: 'value',
        pointer: '/no',
      };
    case 'another type':
      return {
        agent: args((all) => ({ ...all, no: `${all.no}` })),
        call: nth,
        kind: 'argument',
        change: 'type',
        pointer: '/no',
      };
    case 'an argument more':
      return {
        agent: args((all) => ({ ...all, more: 1 })),
        call: nth,
        kind: 'argument',
        change: 'added',
        pointer: '/more',
      };
    case 'an argument less':
      return {
        agent: args(({ no: _, ...rest }) => rest),
        call: nth,
        kind: 'argument',
        change: 'removed',
        pointer: '/no',
      };
    case 'a call less':
      return { agent: edit(() => []), call: nth, kind: 'call-missing' };
    case 'a call more': {
      const more: Call = { tool: 'a_tool_more', args: { no: 999 }, result: 'done' };
      let number = 0;
      const acts = agent.acts.flatMap(({ thought, calls }): Act[] => {
        const at = nth - number;
        number += calls.length;
        if (at < 0 || at >= calls.length) return [{ thought, calls }];
        const parts = [calls.slice(0, at), [more], calls.slice(at)].filter((part) => part.length > 0);
        return parts.map((part, index) => ({ thought: index === 0 ? thought : '', calls: part }));
      });
      return { agent: { ...agent, acts }, call: nth, kind: 'call-extra' };
    }
    case 'another result':
      return {
        agent: edit((call) => [{ ...call, result: { ...(call.result as JsonObject), no: 999 } }]),
        call: nth,
        kind: 'result',
        change: 'value',
        pointer: '/no',
      };
  }
}

/** Number, from 1, of the step at which the nth call stands. */
export function stepOfCall({ acts, answer: _ }: Agent, nth: number): number {
  let [step, number] = [1, 0];
  for (const { thought, calls } of acts) {
    if (thought !== '') step++;
    for (const _call of calls) {
      if (number++ === nth) return step;
      step += 2;
    }
  }
  return step;
}
