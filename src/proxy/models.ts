import type { IncomingMessage, ServerResponse } from 'node:http';
import { EnvHttpProxyAgent } from 'undici';
import { answeredAs, asksModel, type ModelAnswer } from '../chat/index.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/index.ts';
import { bodyOf, end, handOn, listenHere } from './hand-on.ts';

/** A model call that the recording holds. */
export interface HeldCall {
  readonly answer: ModelAnswer;
  /** What tells a request from what this call was given; undefined where nothing does. */
  differs(request: JsonObject): string | undefined;
}

/** Where an agent takes the address of a model from, and what stands there without us. */
export interface ModelAddress {
  readonly variable: string;
  readonly upstream: URL;
}

export interface ModelProxyOptions {
  readonly addresses: readonly ModelAddress[];
  /** In order: those before the step are answered, the one that decides it is asked of the model. */
  readonly before: readonly HeldCall[];
  readonly asked: HeldCall;
  /** A request as the recording would hold it. */
  readonly asPinned: (request: JsonObject) => JsonObject;
}

/** What came by while one replay was under way. */
export interface ForkedRun {
  /** Requests that the recording answered. */
  readonly answered: number;
  /** The request that decides the step came, with what was recorded before it. */
  readonly isAsked: boolean;
  /** The model that it was asked of. */
  readonly model: string | undefined;
  /** What told requests from the recording, of those that came before that one and that it does not hold. */
  readonly notHeld: readonly string[];
  /** What the provider answered to that request, where it refused it. */
  readonly failed: number | undefined;
}

/** Stands between an agent and its models. Disposing of it closes it. */
export interface ModelProxy extends AsyncDisposable {
  /** What the agent's environment says in place of the addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /** What comes from here on belongs to another replay. @returns what comes of it, as it goes on */
  begin(): ForkedRun;
}

/**
 * Answers the requests of a replay that the recording holds, by what they ask and never by their order, up to the one that
 * decides a step. That one goes to the model itself, and so does everything behind it and everything that nobody recorded.
 */
export async function proxyModels(options: ModelProxyOptions): Promise<ModelProxy> {
  const between = new BetweenModels(options);
  const listener = await listenHere(0, between.take);
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
  /** Each is given once, as long as there is another one that says the same. */
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
    const body = isBodiless ? undefined : await bodyOf(request);
    const asked = request.method === 'POST' && asksModel(rest) ? requestIn(body) : undefined;
    const run = this.#run;
    const fate = asked && this.#fateOf(run, this.#options.asPinned(asked));
    if (asked !== undefined && typeof fate === 'object') {
      run.answered++;
      const { type, body: answer } = answeredAs(rest, fate.answer, asked);
      response.writeHead(200, { 'content-type': type }).end(answer);
      return;
    }
    const { origin } = address.upstream;
    const path = upstreamPath(address.upstream, rest) + search;
    await handOn({ connections: this.#connections, origin, path, request, response, body, signal });
    if (fate !== 'the step') return;
    // A client asks again where its provider refused it.
    run.isAsked = response.statusCode < 400;
    run.failed = run.isAsked ? undefined : response.statusCode;
  };

  /** The recorded call that was given the same, or that this is the step; undefined for all else, which is taken note of. */
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
    // The client asks again where an answer did not reach it.
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

/** Some clients of Anthropic's put the version before the page themselves, and some take it from the address. */
function upstreamPath({ pathname }: URL, rest: string): string {
  const base = pathname.replace(/\/$/, '');
  const isTwice = base.endsWith('/v1') && rest.startsWith('/v1/');
  return `${base}${isTwice ? rest.slice('/v1'.length) : rest}`;
}
