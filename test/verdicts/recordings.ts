import { createHash } from 'node:crypto';
import type { SentMessage, TurnRequest } from '../../src/contract/index.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import { type Act, type Call, type Turn, withReversedKeys } from './turns.ts';

/** What is sent to the agent: without the system text, which is its own. */
export function requestOf(turn: Turn): TurnRequest {
  return { messages: messagesOf(turn.ask) };
}

function messagesOf(ask: string | readonly SentMessage[]): SentMessage[] {
  return typeof ask === 'string' ? [{ role: 'user', content: ask }] : [...ask];
}

/**
 * The turn as a tracing SDK would have recorded it in one run: number 0 is the original. Each run has its own ids,
 * times, counts of tokens and order of arrival. In texts `{uuid:1}`, `{ulid:1}`, `{hex:1}` and `{token:1}` are what a
 * tool generated in this run, `{time:1}` and `{epoch:1}` what its clock read, `{day}` its date.
 */
export function recordingOf(turn: Turn, run: number): Recording {
  return new Recorder(turn, run).recording();
}

const DAY_MS = 86_400_000;
const RECORDED_AT = Date.UTC(2026, 2, 2, 9, 30);
/** The replays are made weeks after the recording, each on another day. */
const replayedAt = (run: number) => RECORDED_AT + 43 * DAY_MS + run * (DAY_MS + 1_234_567);

class Recorder {
  readonly #turn: Turn;
  readonly #run: number;
  readonly #startMs: number;
  readonly #observations: Observation[] = [];
  #ticks = 0;

  constructor(turn: Turn, run: number) {
    this.#turn = turn;
    this.#run = run;
    this.#startMs = run === 0 ? RECORDED_AT : replayedAt(run);
  }

  recording(): Recording {
    const { acts, answer, error, ask } = this.#turn;
    const root = this.#observe({ type: 'agent', name: 'turn', parentId: null, input: { messages: messagesOf(ask) } });
    const messages: Json[] = messagesOf(ask);
    const system = this.#turn.system === undefined ? undefined : this.#text(this.#turn.system);
    const context: Context = { parentId: root.id, messages, system };
    this.#acts(acts, context);
    const output = this.#answer(context);
    root.endTime = this.#now();
    if (error !== undefined) Object.assign(root, { level: 'ERROR', statusMessage: error });
    if (output !== undefined && answer !== null) root.output = output;
    return {
      ...(root.output === undefined ? {} : { output: root.output }),
      observations: this.#observations.toSorted((a, b) => (digest(a.id) < digest(b.id) ? -1 : 1)),
    };
  }

  #answer(context: Context): Json | undefined {
    const { answer, answerThinks, acts, rootAs } = this.#turn;
    // An agent that says and calls nothing has still asked its model.
    if (answer === null && acts.length > 0) return undefined;
    const value = answer === null ? '' : this.#value(answer);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const message = this.#message({ say: text, ...(answerThinks ? { think: answerThinks } : {}) }, []);
    this.#generation(context, message);
    return rootAs === 'message' ? message : value;
  }

  #acts(acts: readonly Act[], context: Context): void {
    for (const act of acts) {
      if (act.user !== undefined) context.messages.push({ role: 'user', content: act.user });
      else if (act.agent !== undefined) this.#agent(act, act.agent, context);
      else this.#act(act, context);
    }
  }

  #act(act: Act, context: Context): void {
    const calls = (act.calls ?? []).map((call, index) => this.#shown(call, `${this.#ticks}.${index}`));
    const message = this.#message(act, calls);
    this.#generation(context, message);
    for (const { tool, args, result, error, id } of calls) {
      this.#observe({
        type: 'tool',
        name: tool,
        parentId: context.parentId,
        input: this.#turn.argsAsText ? JSON.stringify(args) : args,
        ...(error === undefined ? { output: result } : { level: 'ERROR' as const, statusMessage: error }),
        ...(this.#turn.shape === 'parts' || this.#turn.shape === 'bare' ? {} : { callId: id }),
      });
    }
    context.messages.push(message, ...calls.map((call) => this.#answered(call)));
  }

  /** A sub-agent, asked by a tool or handed the conversation. */
  #agent(act: Act, name: string, context: Context): void {
    const ask = act.ask ?? '';
    const answer = act.answer ?? '';
    let parentId = context.parentId;
    const call =
      act.via === undefined ? undefined : this.#shown([act.via, { question: ask }, answer], `${this.#ticks}`);
    const message = call === undefined ? undefined : this.#message(act, [call]);
    let tool: Observation | undefined;
    if (call !== undefined && message !== undefined) {
      this.#generation(context, message);
      tool = this.#observe({
        type: 'tool',
        name: call.tool,
        parentId,
        input: call.args,
        output: answer,
        callId: call.id,
      });
      parentId = tool.id;
    }
    const agent = this.#observe({ type: 'agent', name, parentId, input: ask, output: answer });
    const inner: Context = {
      parentId: agent.id,
      messages: [{ role: 'user', content: ask }],
      system: `You are the agent ${name}.`,
    };
    this.#acts(act.acts ?? [], inner);
    this.#generation(inner, this.#message({ say: typeof answer === 'string' ? answer : JSON.stringify(answer) }, []));
    agent.endTime = this.#now();
    if (tool !== undefined) tool.endTime = agent.endTime;
    if (call !== undefined && message !== undefined) context.messages.push(message, this.#answered(call));
    else context.messages.push({ role: 'assistant', name, content: answer });
  }

  #generation({ parentId, messages, system }: Context, output: JsonObject): void {
    const { shape, model, params, offered } = this.#turn;
    if (shape === 'bare') return;
    const tools = offered?.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }));
    const own: Json[] = system === undefined ? [] : [{ role: 'system', content: system }];
    const size = JSON.stringify(messages).length;
    this.#observe({
      type: 'generation',
      name: 'chat',
      parentId,
      input: { messages: [...own, ...messages], ...(tools === undefined ? {} : { tools }) },
      output,
      model: model ?? 'm-1',
      ...(params === undefined ? {} : { modelParameters: params }),
      usage: {
        input: Math.ceil(size / 4),
        output: 20 + Number.parseInt(this.#unique(`${this.#ticks}`).slice(0, 2), 16),
      },
    });
  }

  #shown([tool, args, result, error]: Call, key: string): Shown {
    const id = `call_${this.#unique(`call ${key}`).slice(0, 22)}`;
    return { tool, id, args: this.#value(args) as JsonObject, result: this.#value(result), error };
  }

  #message(act: Act, calls: readonly Shown[]): JsonObject {
    const text = act.say ?? '';
    switch (this.#turn.shape) {
      case 'parts':
        return {
          role: 'assistant',
          parts: [
            ...(act.think === undefined ? [] : [{ type: 'reasoning', content: act.think }]),
            ...(text === '' ? [] : [{ type: 'text', content: text }]),
            ...calls.map(({ tool, args, id }) => ({ type: 'tool_call', id, name: tool, arguments: args })),
          ],
        };
      case 'blocks': {
        const signature = this.#unique(`signature ${this.#ticks}`);
        return {
          role: 'assistant',
          content: [
            ...(act.think === undefined ? [] : [{ type: 'thinking', thinking: act.think, signature }]),
            ...(text === '' ? [] : [{ type: 'text', text }]),
            ...calls.map(({ tool, args, id }) => ({ type: 'tool_use', id, name: tool, input: args })),
          ],
        };
      }
      default:
        return {
          role: 'assistant',
          content: text === '' ? null : text,
          ...(act.think === undefined ? {} : { reasoning_content: act.think }),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ tool, args, id }) => ({
                  id,
                  type: 'function',
                  function: { name: tool, arguments: JSON.stringify(args) },
                })),
              }),
        };
    }
  }

  #answered({ id, result, error }: Shown): JsonObject {
    const value = error === undefined ? result : `Error: ${error}`;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    switch (this.#turn.shape) {
      case 'parts':
        return { role: 'tool', parts: [{ type: 'tool_call_response', id, response: value }] };
      case 'blocks':
        return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] };
      default:
        return { role: 'tool', tool_call_id: id, content: text };
    }
  }

  #observe(fields: Omit<Observation, 'id' | 'startTime' | 'endTime'>): Observation {
    const startTime = this.#now();
    this.#ticks++;
    const observation = {
      ...fields,
      id: this.#unique(`span ${this.#ticks}`).slice(0, 16),
      startTime,
      endTime: this.#now(),
    };
    this.#observations.push(observation);
    return observation;
  }

  /** Runs are not equally fast. */
  #now(): string {
    return new Date(this.#startMs + this.#ticks * (180 + 17 * this.#run)).toISOString();
  }

  #unique(key: string, run = this.#run): string {
    return digest(`${run} ${key}`);
  }

  #value(value: Json): Json {
    const text = JSON.stringify(value);
    const epochs = text.replace(/"\{epoch:(\d+)\}"/g, (_, n) => String(this.#startMs + Number(n)));
    const own = JSON.parse(this.#text(epochs)) as Json;
    return this.#turn.reverseKeys ? withReversedKeys(own) : own;
  }

  #text(text: string): string {
    return text
      .replace(/\{(recorded-)?(uuid|ulid|hex|token):(\d+)\}/g, (_, recorded, kind, n) =>
        made(kind, this.#unique(`made ${kind} ${n}`, recorded === undefined ? this.#run : 0)),
      )
      .replace(/\{time:(\d+)\}/g, (_, n) => new Date(this.#startMs + 7 * Number(n)).toISOString())
      .replaceAll('{day}', new Date(this.#startMs).toISOString().slice(0, 10));
  }
}

interface Context {
  readonly parentId: string;
  readonly messages: Json[];
  readonly system: string | undefined;
}

interface Shown {
  readonly tool: string;
  readonly id: string;
  readonly args: JsonObject;
  readonly result: Json;
  readonly error: string | undefined;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** An id of a kind, from 64 hexadecimal digits. */
function made(kind: string, hex: string): string {
  const pick = (letters: string, length: number) =>
    Array.from({ length }, (_, i) => letters[Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16) % letters.length]).join(
      '',
    );
  switch (kind) {
    case 'uuid':
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    case 'ulid':
      return `01J${pick(CROCKFORD, 23)}`;
    case 'token':
      return `tk_${pick(ALPHABET, 11)}7${pick(ALPHABET, 12)}`;
    default:
      return hex.slice(0, 32);
  }
}
