import { type Identifiers, identifiers, isSameToken, startProof, wireNames } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { readReplayRequest } from './read-request.ts';
import { Refusal } from './refusal.ts';
import { runTraced } from './tracing.ts';
import { createTurn, type ReplayTurn } from './turn.ts';

/** The agent's answer: the output alone, or with the ids that the agent gave the turn in its own trace. */
export type TurnAnswer =
  | string
  | { readonly output: unknown; readonly sessionId?: string | undefined; readonly runId?: string | undefined };

/**
 * Takes one turn. It calls what a normal turn calls; there is no replay mode behind it.
 * A thrown `Response` is sent as it is (429 with `Retry-After`); any other error becomes a 500.
 */
export type ReplayHandler = (turn: ReplayTurn) => PromiseLike<TurnAnswer> | TurnAnswer;

/** A handler of the Fetch standard, as Next.js, Hono, Deno, Bun and others take it. It never rejects. */
export type Endpoint = (request: Request) => Promise<Response>;

export interface EndpointOptions {
  /**
   * Sends the spans that tracing still holds, before the answer: the processor's `forceFlush`. Required if the process
   * sleeps after it.
   */
  readonly flush?: (() => PromiseLike<unknown>) | undefined;
  /** Callers must send `Authorization: Bearer <token>`. */
  readonly token?: string | undefined;
  /**
   * Whom it answers: everybody (true) or nobody (false). Default: the agent-replay that started this process, by the token
   * of its run; and, where `NODE_ENV` is not `production`, callers on this machine with no proxy between.
   */
  readonly enabled?: boolean | undefined;
  /** Default: 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Put on the trace as `agent_id`. Default: the environment's `SVC_AGENT_ID`. */
  readonly agentId?: string | undefined;
  /** The brand part of the names on the wire. */
  readonly identifiers?: Partial<Identifiers> | undefined;
  /** Takes errors that became a 500; the caller does not see them. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The address of each caller that a server told: a `Request` has none, and its headers can be forged. */
export const callers = new WeakMap<Request, string | undefined>();

/** Enough for a long conversation with a few pictures in base64. */
const MAX_BODY_BYTES = 16 * 2 ** 20;

/**
 * Turns a function that takes one turn of the agent into `POST /replay`.
 * @throws AgentReplayError `CONFIG_INVALID` if its token is empty, or unset where it is enabled in production
 */
export function replayEndpoint(handler: ReplayHandler, options: EndpointOptions = {}): Endpoint {
  const brand = identifiers.parse(options.identifiers ?? {});
  const names = wireNames(brand);
  const isProduction = process.env.NODE_ENV === 'production';
  const isOpenTo = (request: Request): boolean => {
    if (options.enabled !== undefined) return options.enabled;
    const token = process.env[names.env.runToken];
    const isOwnRun = !!token && isSameToken(request.headers.get(names.headers.runToken) ?? '', token);
    return isOwnRun || (!isProduction && isFromHere(request));
  };
  const limits = {
    token: usableToken(options, isProduction),
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    identifiers: brand,
  };
  const flush = oneAtATime(options.flush ?? (async () => {}));
  const onError = options.onError ?? ((error) => console.error('A replay failed:', error));
  let isOffExplained = options.enabled !== undefined;

  const answer = async (request: Request): Promise<Response> => {
    if (!isOpenTo(request)) {
      if (!isOffExplained) console.warn(CLOSED);
      isOffExplained = true;
      const why = options.enabled === undefined ? 'closed' : 'disabled';
      throw new Refusal(404, 'NOT_FOUND', 'There is nothing here.', { headers: { [names.offHeader]: why } });
    }
    const replay = await readReplayRequest(request, limits);
    const agentId = options.agentId ?? process.env[names.env.agentId];
    const turn = createTurn(replay, { names, agentId, signal: request.signal });
    using traced = await runTraced(turn, handler);
    // Also after a failed turn, whose trace shows why.
    const [sent] = await Promise.allSettled([flush()]);
    if (sent.status === 'rejected') onError(sent.reason);
    const { result, isTraced, spans } = traced;
    // Then nobody waits for a trace that cannot come.
    if (result.status === 'rejected') return failed(result.reason, isTraced ? {} : { [names.spansHeader]: '0' });
    if (!isTraced) throw new Refusal(500, 'TURN_NOT_TRACED', NOT_TRACED);
    if (sent.status === 'rejected') throw new Refusal(500, 'TRACE_NOT_SENT', NOT_SENT);
    const given: TurnAnswer = result.value;
    const { output, ...ids } = typeof given === 'string' ? { output: given } : given;
    const body = {
      session_id: ids.sessionId ?? turn.sessionId,
      run_id: ids.runId ?? turn.runId,
      [names.keys.replayRunId]: turn.replayRunId,
      output,
    };
    return Response.json(body, { headers: spans === undefined ? {} : { [names.spansHeader]: String(spans) } });
  };

  const failed = (error: unknown, headers: Readonly<Record<string, string>> = {}): Response => {
    if (error instanceof Response) return error;
    if (error instanceof Refusal && error.status < 500) return error.response();
    onError(error);
    return (error instanceof Refusal ? error : new Refusal(500, 'TURN_FAILED', FAILED, { headers })).response();
  };

  const answered: Endpoint = async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      return failed(error);
    }
  };

  return async (request) => {
    const response = await answered(request);
    const nonce = request.headers.get(names.headers.start);
    // A POST takes a turn, and its answer may be a `Response` of the user's, which cannot be changed.
    if (nonce !== null && request.method !== 'POST') {
      const token = process.env[names.env.runToken];
      response.headers.set(names.headers.start, token ? startProof(nonce, token) : NOT_STARTED);
    }
    return response;
  };
}

/** The asked process was not started by a run. */
const NOT_STARTED = 'none';

const CLOSED =
  'The replay endpoint refused a call. By default it answers the agent-replay that started this process and, where NODE_ENV ' +
  'is not production, callers that it sees to be on this machine. Set its option enabled to true to answer all, with a token.';
const FAILED = "The turn failed. The agent's own log says why.";
const NOT_SENT = "The turn was taken, but its trace could not be sent. The agent's own log says why.";
const NOT_TRACED =
  'The turn was taken, but nothing puts turn.metadata on its trace, so agent-replay cannot find it. ' +
  'Add replaySpanProcessor() to the tracer provider, or hand turn.metadata to what traces a turn.';

const HERE = /^(localhost|(::ffff:)?127(\.\d+){3}|\[?::1\]?)(:\d+)?$/i;
const FORWARDED = /^(x-forwarded-.*|x-real-ip|forwarded|via)$/;

/** A page says where it comes from, or rebinds its own name to this machine and asks for that. A proxy is shown by what it adds. */
function isFromHere(request: Request): boolean {
  const names = [...request.headers.keys()];
  const origin = request.headers.get('origin') ?? 'http://localhost';
  const hosts = [callers.get(request), request.headers.get('host'), origin.replace(/^https?:\/\//, '')];
  return hosts.every((host) => HERE.test(host ?? '')) && !names.some((name) => FORWARDED.test(name));
}

function usableToken(options: EndpointOptions, isProduction: boolean): string | undefined {
  if (options.token === '' || (options.enabled && isProduction && 'token' in options && options.token === undefined)) {
    throw new AgentReplayError('CONFIG_INVALID', 'The token of the replay endpoint is not set.', {
      hint: 'Set the variable that it is read from, or leave the option out where something else protects the endpoint.',
    });
  }
  return options.token;
}

/**
 * Callers that come during a flush share the next. Parallel flushes would not wait for spans that another has just
 * taken, and Langfuse's exporter drops spans when too many requests are open.
 */
function oneAtATime(flush: () => PromiseLike<unknown>): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  return () => {
    if (next === undefined) {
      const before = last.catch(() => {});
      next = before.then(() => {
        next = undefined;
        return flush();
      });
      last = next;
    }
    return next;
  };
}
