import type { IncomingMessage, ServerResponse } from 'node:http';
import { EnvHttpProxyAgent } from 'undici';
import { answererOf, type ModelAnswer } from '../chat/index.ts';
import type { ServeOptions } from '../http/index.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, spelledOut } from '../json/index.ts';
import { end, handOn, listenHere, textOf } from './hand-on.ts';

/** A model call of the recording. */
export interface HeldCall {
  readonly answer: ModelAnswer;
  /** How a request differs from the input of this call; undefined if it does not. */
  differs(request: JsonObject): string | undefined;
}

/** The variable from which an agent takes a model's address, and its normal value. */
export interface ModelAddress {
  readonly variable: string;
  readonly upstream: URL;
}

export interface ModelProxyOptions extends Pick<ServeOptions, 'onDefect'> {
  readonly addresses: readonly ModelAddress[];
  /** In order: calls before the step are answered; the one that decides it goes to the model. */
  readonly before: readonly HeldCall[];
  readonly asked: HeldCall;
  readonly asPinned: (request: JsonObject) => Pinned;
}

/** A request in the form in which the recording would hold it. */
export interface Pinned {
  readonly request: JsonObject;
  /** Puts back into texts of an answer what masks in it stand for in the request. */
  unmask<Any extends Json>(value: Any): Any;
}

/** What one replay asked for while it was running. */
export interface ForkedRun {
  /** Requests that the recording answered. */
  readonly answered: number;
  /** The request that decides the step arrived, with recorded input. */
  readonly isAsked: boolean;
  /** The model it was sent to. */
  readonly model: string | undefined;
  /** How earlier requests that the recording does not hold differ from it. */
  readonly notHeld: readonly string[];
  /** The provider's answer, if it refused that request. */
  readonly failed: number | undefined;
}

/** Stands between an agent and its models. Disposing of it closes it. */
export interface ModelProxy extends AsyncDisposable {
  /** Variables for the agent's environment, in place of the real addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /** Later requests belong to another replay. @returns what they lead to, updated as they come */
  begin(): ForkedRun;
}

/**
 * Answers a replay's requests from the recording, matched by content and never by order, up to the one that decides a step.
 * That request, every later one, and every request that nobody recorded go to the model itself.
 */
export async function proxyModels(options: ModelProxyOptions): Promise<ModelProxy> {
  const between = new BetweenModels(options);
  const listener = await listenHere({ onDefect: options.onDefect }, between.take);
  const addressOf = (variable: string) => `${listener.origin}/${variable}`;
  return {
    environment: Object.fromEntries(options.addresses.map(({ variable }) => [variable, addressOf(variable)])),
    begin: () => between.begin(),
    async [Symbol.asyncDispose]() {
      await Promise.all([listener[Symbol.asyncDispose](), between.close()]);
    },
  };
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

class RunSoFar implements Writable<ForkedRun> {
  answered = 0;
  isAsked = false;
  model: string | undefined;
  notHeld: string[] = [];
  failed: number | undefined;
  /** Each is given once, as long as there is another one with the same content. */
  readonly given = new Set<HeldCall>();
}

class BetweenModels {
  readonly #options: ModelProxyOptions;
  readonly #connections = new EnvHttpProxyAgent({ bodyTimeout: 0, headersTimeout: 0 });
  #run = new RunSoFar();

  constructor(options: ModelProxyOptions) {
    this.#options = options;
  }

  begin(): ForkedRun {
    this.#run = new RunSoFar();
    return this.#run;
  }

  close(): Promise<void> {
    return this.#connections.destroy();
  }

  readonly take = async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, variable = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(pathname) ?? [];
    const address = this.#options.addresses.find((each) => each.variable === variable);
    if (address === undefined) return end(response, 404);
    const isBodiless = request.method === 'GET' || request.method === 'HEAD';
    const body = isBodiless ? undefined : await textOf(request);
    const answered = request.method === 'POST' ? answererOf(rest) : undefined;
    const asked = answered && requestIn(body);
    const run = this.#run;
    const pinned = asked && this.#options.asPinned(asked);
    const fate = pinned && this.#fateOf(run, pinned.request);
    if (answered !== undefined && asked !== undefined && pinned !== undefined && typeof fate === 'object') {
      run.answered++;
      const { text, calls, ...said } = fate.answer;
      const given = {
        ...{ ...said, number: this.#options.before.indexOf(fate) + 1, text: pinned.unmask(text) },
        // Within JSON text, what is put back could end a string.
        calls: calls.map(({ args = {}, ...call }) => ({ ...call, args: pinned.unmask(spelledOut(args)) })),
      };
      const { type, body: answer } = answered(given, asked);
      response.writeHead(200, { 'content-type': type }).end(answer);
      return;
    }
    const { origin } = address.upstream;
    const path = upstreamPath(address.upstream, rest) + search;
    await handOn({ connections: this.#connections, origin, path, request, response, body, signal });
    if (fate !== 'the step') return;
    // A client repeats a request that its provider refused.
    run.isAsked = response.statusCode < 400;
    run.failed = run.isAsked ? undefined : response.statusCode;
  };

  /** The recorded call with the same input, or the decision of the step; undefined for any other request, which is noted. */
  #fateOf(run: RunSoFar, asked: JsonObject): HeldCall | 'the step' | undefined {
    if (run.isAsked) return undefined;
    const { before, asked: step } = this.#options;
    const same = before.filter((call) => call.differs(asked) === undefined);
    const held = same.find((call) => !run.given.has(call));
    if (held !== undefined) {
      run.given.add(held);
      return held;
    }
    const reason = step.differs(asked);
    if (reason === undefined) {
      run.isAsked = true;
      run.model = typeof asked.model === 'string' ? asked.model : undefined;
      return 'the step';
    }
    // A client repeats a request if the answer did not reach it.
    const again = same.at(-1);
    if (again === undefined) run.notHeld.push(before[run.given.size]?.differs(asked) ?? reason);
    return again;
  }
}

function requestIn(body: string | undefined): JsonObject | undefined {
  try {
    const value = parseJson(body ?? '');
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Some of Anthropic's clients put the version before the path themselves, and some take it from the address. */
function upstreamPath({ pathname }: URL, rest: string): string {
  const base = pathname.replace(/\/$/, '');
  const isTwice = base.endsWith('/v1') && rest.startsWith('/v1/');
  return `${base}${isTwice ? rest.slice('/v1'.length) : rest}`;
}
