import { pipeline } from 'node:stream/promises';
import { answererOf, type ModelAnswer, type NumberedAnswer } from '../chat/index.ts';
import { Refusal, type ServeOptions } from '../http/index.ts';
import { canonical, isJsonObject, type Json, type JsonObject, jsonIn, spelledOut } from '../json/index.ts';
import { withoutHugeTextsIn } from '../trace/index.ts';
import { bodyAsked, end, handOn, listenHere } from './hand-on.ts';

/** A model call of the recording. */
export interface HeldCall {
  /** Undefined if the recording does not show it. */
  readonly answer: ModelAnswer | undefined;
  /** How a request differs from the input of this call; undefined if it does not. */
  differs(request: JsonObject): string | undefined;
  /** Which of the model's settings in a request of the same content is another one. */
  otherSetting?(request: JsonObject): string | undefined;
}

/** The variable from which an agent takes a model's address, and its normal value, if it has one. */
export interface ModelAddress {
  readonly variable: string;
  readonly upstream?: URL;
}

export interface ModelProxyOptions extends Pick<ServeOptions, 'onDefect'> {
  readonly addresses: readonly ModelAddress[];
}

/** How the requests of one replay are answered. */
export interface RecordedModel {
  /** In order. */
  readonly answers: readonly HeldCall[];
  /** The call from which on the model itself answers; undefined: it answers only what was not recorded. */
  readonly from?: HeldCall;
  /** Who answers a request that was not recorded: the model, or the next recorded call. Then the model is never asked. */
  readonly otherwise: 'model' | 'next in order';
  readonly asPinned: (request: JsonObject) => Pinned;
}

/** A request in the form in which the recording would hold it. */
export interface Pinned {
  readonly request: JsonObject;
  /** Puts back into texts of an answer what masks in it stand for in the request. */
  unmask<Any extends Json>(value: Any): Any;
}

/** What a model was asked, and when, in milliseconds since 1970. */
export interface ModelRequest {
  readonly request: JsonObject;
  readonly at: number;
}

/** What one replay asked for while it was running. */
export type ModelRun = Readonly<
  Pick<RunSoFar, 'requests' | 'answered' | 'left' | 'isAsked' | 'notHeld' | 'refused' | 'failed'>
>;

/** Stands between an agent and its models. Disposing of it closes it. */
export interface ModelProxy extends AsyncDisposable {
  /** Variables for the agent's environment, in place of the real addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Later requests belong to another replay, because a request does not say whose it is.
   * @returns what they lead to, updated as they come
   */
  begin(recorded: RecordedModel): ModelRun;
}

/** Answers a replay's requests from the recording, known by content. What it cannot answer goes to the model, or is refused. */
export async function proxyModels({ addresses, onDefect }: ModelProxyOptions): Promise<ModelProxy> {
  let run: RunSoFar | undefined;
  const listener = await listenHere({ onDefect }, async ({ request, response, ...asking }) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, variable = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(pathname) ?? [];
    const address = addresses.find((each) => each.variable === variable);
    if (address === undefined) return end(response, 404);
    const isBodiless = request.method === 'GET' || request.method === 'HEAD';
    const body = isBodiless ? undefined : await bodyAsked(request);
    const answerer = request.method === 'POST' ? answererOf(rest) : undefined;
    const asked = answerer && requestIn(body);
    // Another replay may begin before the model has answered.
    const own = run;
    const fate = asked && own?.take(asked);
    if (answerer !== undefined && asked !== undefined && typeof fate === 'object') {
      const { type, body: answer } = answerer(fate, asked);
      const sent = pipeline(cutAnywhere(answer), response.writeHead(200, { 'content-type': type }));
      // Its client has hung up, which is no defect.
      return sent.catch((cause) => Promise.reject(new Refusal(502, String(cause))));
    }
    if (own?.isOffline) {
      const refused = typeof fate === 'string' ? fate : own.refuse(`${request.method} ${rest}`);
      return end(response, 400, refusal(refused));
    }
    const { upstream } = address;
    if (upstream === undefined) return end(response, 404);
    const path = upstreamPath(upstream, rest) + search;
    await handOn({ ...asking, origin: upstream.origin, path, request, response, body });
    if (fate === 'the step') own?.decided(response.statusCode);
  });
  return {
    environment: Object.fromEntries(addresses.map(({ variable }) => [variable, `${listener.origin}/${variable}`])),
    begin: (recorded) => {
      run = new RunSoFar(recorded);
      return run;
    },
    [Symbol.asyncDispose]: listener[Symbol.asyncDispose],
  };
}

class RunSoFar {
  /** In order. */
  readonly requests: ModelRequest[] = [];
  answered = 0;
  /** The request that decides the step arrived, with recorded input. */
  isAsked = false;
  /** How requests before the step that the recording does not hold differ from it. */
  readonly notHeld: { readonly request: number; readonly part: string }[] = [];
  /** Why requests could not be answered from the recording, where the model is never asked. */
  readonly refused: string[] = [];
  /** The provider's status, if it refused the request that decides the step. */
  failed: number | undefined;
  readonly #recorded: RecordedModel;
  /** Each is given once, as long as there is another one with the same content. */
  readonly #given = new Set<HeldCall>();
  /** Those of them that were given to a request of another content, by that. */
  readonly #unlike = new Map<string, HeldCall>();

  constructor(recorded: RecordedModel) {
    this.#recorded = recorded;
  }

  /** Recorded calls that no request has asked for. */
  get left(): number {
    return this.#recorded.answers.length - this.#given.size;
  }

  get isOffline(): boolean {
    return this.#recorded.otherwise === 'next in order';
  }

  /** @returns its answer; or that the model is to be asked for the step; or why the model is not asked; undefined: it is */
  take(given: JsonObject): NumberedAnswer | 'the step' | Refused | undefined {
    this.requests.push({ request: given, at: Date.now() });
    if (this.isAsked) return undefined;
    const { request, unmask } = this.#recorded.asPinned(given);
    const held = this.#heldFor(request);
    if (typeof held !== 'object') return held;
    if (held.answer === undefined) return this.refuse('a model call of which the recording shows no answer');
    this.answered++;
    const setting = this.isOffline ? held.otherSetting?.(request) : undefined;
    if (setting !== undefined) this.notHeld.push({ request: this.requests.length, part: setting });
    const { text, calls, ...said } = held.answer;
    return {
      ...said,
      number: this.#recorded.answers.indexOf(held) + 1,
      text: unmask(text),
      // Within JSON text, what is put back could end a string.
      calls: calls.map(({ args = {}, ...call }) => ({ ...call, args: unmask(spelledOut(args)) })),
    };
  }

  refuse(what: string): Refused {
    this.refused.push(what);
    return `refused: ${what}`;
  }

  /** A client repeats a request that its provider refused. */
  decided(status: number): void {
    this.isAsked = status < 400;
    this.failed = this.isAsked ? undefined : status;
  }

  #heldFor(asked: JsonObject): HeldCall | 'the step' | Refused | undefined {
    const { answers, from: step } = this.#recorded;
    const same = answers.filter((call) => call.differs(asked) === undefined);
    const held = same.find((call) => !this.#given.has(call));
    if (held !== undefined) return this.#give(held);
    const reason = step?.differs(asked);
    if (step !== undefined && reason === undefined) {
      this.isAsked = true;
      return 'the step';
    }
    // A client repeats a request if the answer did not reach it.
    const key = canonical(asked);
    const unlike = new Set(this.#unlike.values());
    const again = this.#unlike.get(key) ?? same.at(-1);
    if (again !== undefined && (this.#unlike.has(key) || !unlike.has(again))) return again;
    const next = answers.find((call) => !this.#given.has(call));
    const part = again === undefined ? (next?.differs(asked) ?? reason) : undefined;
    if (part !== undefined) this.notHeld.push({ request: this.requests.length, part });
    if (!this.isOffline) return undefined;
    if (part === undefined || next === undefined) return this.refuse('a model call that the recording does not hold');
    this.#unlike.set(key, next);
    return this.#give(next);
  }

  #give(call: HeldCall): HeldCall {
    this.#given.add(call);
    return call;
  }
}

type Refused = `refused: ${string}`;

/** Most parts in which an answer is sent. */
const MOST_PARTS = 64;

/** Within events and characters, too, as a network cuts what it carries. */
function* cutAnywhere(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  const size = Math.max(MOST_PARTS, Math.ceil(bytes.length / MOST_PARTS));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** An error that no client of the three protocols tries again. */
function refusal(message: string): JsonObject {
  const told = `agent-replay ${message}`;
  return { type: 'error', error: { type: 'invalid_request_error', code: 'not_recorded', param: null, message: told } };
}

function requestIn(body: Buffer | undefined): JsonObject | undefined {
  const value = body && jsonIn(withoutHugeTextsIn(body).toString('utf8'));
  return isJsonObject(value) ? value : undefined;
}

/** Some of Anthropic's clients put the version before the path themselves, and some take it from the address. */
function upstreamPath({ pathname }: URL, rest: string): string {
  const base = pathname.replace(/\/$/, '');
  const isTwice = base.endsWith('/v1') && rest.startsWith('/v1/');
  return `${base}${isTwice ? rest.slice('/v1'.length) : rest}`;
}
