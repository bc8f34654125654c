import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { free, within } from '../bounded/index.ts';
import { type CompareRules, RecordedTools } from '../compare/index.ts';
import {
  type Identifiers,
  isSameToken,
  TOOLS_ENV,
  type ToolAnswer,
  type ToolsRequest,
  toolsRequest,
  wireNames,
} from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { bodyOf, Refusal, type ServeOptions, serve } from '../http/index.ts';
import { isJsonObject, type Json, JsonError, parseJson } from '../json/index.ts';
import { mistakeLines, PLAINLY } from '../mistakes.ts';
import type { ReplayCall, ToolStandIn } from '../replay/index.ts';
import { type Recording, withoutHugeTextsIn } from '../trace/index.ts';
import { InFlight } from './in-flight.ts';
import { ReplayedTools } from './replayed.ts';
import type { ReplayPolicy, ToolPolicies } from './settings.ts';

/** Answers for the tools of all replays in flight, on the loopback interface. Disposing of it closes it. */
export interface ToolsEndpoint extends ToolStandIn, AsyncDisposable {
  readonly url: string;
  /** The bearer token that the agent must send. */
  readonly token: string;
  /** Variables with which the agent's wrapped tools find it. */
  environment(): Record<string, string>;
  /** Names of tools that the agent has wrapped so far. */
  readonly wrapped: ReadonlySet<string>;
  /** Resolves once all of these are wrapped, or after this many milliseconds. @returns those that are not */
  untilWrapped(names: readonly string[], ms: number): Promise<string[]>;
}

export interface ToolsEndpointOptions extends Pick<ServeOptions, 'onDefect'> {
  /** Of one session. */
  readonly policies: (session: string) => ToolPolicies;
  /** Of calls that belong to no replay in flight. */
  readonly outside: (tool: string) => ReplayPolicy;
  readonly rules: CompareRules;
  readonly identifiers: Identifiers;
  readonly recorded: (call: Pick<ReplayCall, 'session' | 'turn'>) => RecordedSide;
  /** The address to listen on, and the token, for an agent that cannot learn a free port. */
  readonly fixed?: { readonly url: URL; readonly token: string } | undefined;
}

/** What a replayed turn is compared with. */
export interface RecordedSide {
  /** The original first. The same array for the same recordings, so that they are read once. */
  readonly recordings: readonly Recording[];
  /** Removes from a value what is removed from both sides, as in recordings. */
  readonly asPinned: (value: Json) => Json;
}

/** Larger arguments or results are not texts for a model. */
const MAX_BODY_BYTES = 32 * 2 ** 20;
/** More names than any agent has. Limits what a client can make us store. */
const MAX_WRAPPED = 10_000;

/** @throws AgentReplayError `TOOLS_UNREACHABLE` if it cannot listen there */
export async function startToolsEndpoint(options: ToolsEndpointOptions): Promise<ToolsEndpoint> {
  const { fixed } = options;
  const token = fixed?.token ?? randomBytes(32).toString('base64url');
  const tools = new Tools(options, token);
  const served = await serve((request, response) => tools.take(request, response), {
    name: 'server of recorded tool results',
    host: fixed?.url.hostname,
    port: Number(fixed?.url.port ?? 0),
    onDefect: options.onDefect,
  }).catch((cause) => {
    throw new AgentReplayError(
      'TOOLS_UNREACHABLE',
      'The server of recorded tool results cannot listen on its address.',
      {
        evidence: [`${TOOLS_ENV.url}: ${fixed?.url.href}`, `reason: ${(cause as NodeJS.ErrnoException).code}`],
        hint: `Set ${TOOLS_ENV.url} to a free port of this machine, for agent-replay and for the agent.`,
        cause,
      },
    );
  });
  const url = fixed?.url.href ?? `${served.origin}/tools`;
  return {
    url,
    token,
    environment: () => ({ [TOOLS_ENV.url]: url, [TOOLS_ENV.token]: token }),
    wrapped: tools.wrapped,
    untilWrapped: (names, ms) => tools.untilWrapped(names, ms),
    begin: (replayRunId, call) => tools.begin(replayRunId, call),
    use: (replayRunId) => tools.inFlight.get(replayRunId),
    end: (replayRunId) => tools.inFlight.end(replayRunId),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

class Tools {
  readonly wrapped = new Set<string>();
  readonly inFlight = new InFlight();
  readonly #options: ToolsEndpointOptions;
  readonly #token: string;
  readonly #runIdKey: string;
  readonly #turns = new WeakMap<readonly Recording[], RecordedTools>();
  readonly #waiting = new Set<() => void>();

  constructor(options: ToolsEndpointOptions, token: string) {
    this.#options = options;
    this.#token = `Bearer ${token}`;
    this.#runIdKey = wireNames(options.identifiers).keys.replayRunId;
  }

  begin(replayRunId: string, call: ReplayCall): Promise<void> {
    return this.inFlight.add(replayRunId, new ReplayedTools(this.#turnOf(call), this.#options.policies(call.session)));
  }

  async untilWrapped(names: readonly string[], ms: number): Promise<string[]> {
    const missing = () => names.filter((name) => !this.wrapped.has(name));
    if (missing().length === 0) return [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (missing().length === 0) resolve();
    };
    this.#waiting.add(look);
    await within(ms, promise);
    this.#waiting.delete(look);
    return missing();
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.method !== 'POST') throw new Refusal(405, 'only POST is answered');
      if (!isSameToken(request.headers.authorization ?? '', this.#token)) {
        throw new Refusal(401, `the token is not that of this run: see ${TOOLS_ENV.token}`);
      }
      const body = await bodyOf(request, MAX_BODY_BYTES);
      const text = withoutHugeTextsIn(body).toString('utf8');
      free(body);
      const given = parseJson(text);
      const { [this.#runIdKey]: runId, ...rest } = isJsonObject(given) ? given : {};
      const { data, error } = toolsRequest.safeParse({ ...rest, runId }, PLAINLY);
      if (data === undefined) throw new Refusal(400, mistakeLines(error, 'the body').join('; '));
      send(response, 200, this.#answerTo(data));
    } catch (error) {
      if (error instanceof JsonError) send(response, 400, { error: `the body is not JSON: ${error.message}` });
      else if (error instanceof Refusal) send(response, error.status, { error: error.message });
      else throw error;
    }
  }

  #answerTo(asked: ToolsRequest): Json | ToolAnswer {
    if ('wrapped' in asked) return this.#wrap(asked);
    const { runId, shared } = asked;
    const replay = shared ? this.inFlight.ofShared(runId) : this.inFlight.get(runId ?? '');
    if (!('ticket' in asked)) return replay?.answer(asked) ?? this.#outside(asked.name, runId);
    replay?.cameBack(asked.ticket, asked.result);
    return {};
  }

  #wrap({ wrapped: names, shared }: Extract<ToolsRequest, { wrapped: unknown }>): Json {
    if (shared) this.inFlight.expectShared();
    for (const name of names) if (this.wrapped.size < MAX_WRAPPED) this.wrapped.add(name);
    for (const look of this.#waiting) look();
    return {};
  }

  /** A call that belongs to no replay in flight. */
  #outside(name: string, runId: string | undefined): ToolAnswer {
    if (this.#options.outside(name) === 'live') return { policy: 'live' };
    const why =
      runId === undefined
        ? 'it was called without the id of a replay (a queue or a worker may have lost it)'
        : `the replay ${runId} is over`;
    return { policy: 'refused', message: `There is no recorded result for ${name}: ${why}.` };
  }

  #turnOf(call: ReplayCall): RecordedTools {
    const { recordings, asPinned } = this.#options.recorded(call);
    const known = this.#turns.get(recordings) ?? new RecordedTools(recordings, this.#options.rules, asPinned);
    this.#turns.set(recordings, known);
    return known;
  }
}

function send(response: ServerResponse, status: number, body: Json | ToolAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
