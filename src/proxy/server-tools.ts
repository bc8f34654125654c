import { announce, ask, type Recordings, ToolNotReplayed, tell } from '../ask/index.ts';
import type { ToolAnswer } from '../contract/index.ts';
import { canonical, isJsonObject, type Json, type JsonObject, jsonIn } from '../json/index.ts';
import { type HugeTexts, withHugeTexts, withoutHugeTextsIn } from '../trace/index.ts';
import { callResult, errorResult } from './call-result.ts';

/** The MCP server behind a proxy. */
export interface ProxiedServer {
  readonly recordings: Recordings;
  /** Prefix of the server's tool names in traces. */
  readonly prefix: string;
}

/** JSON-RPC: the text is not JSON. */
const PARSE_ERROR = -32_700;
/** JSON-RPC: this is no message. */
const NO_MESSAGE = -32_600;
/** JSON-RPC: an error of the server's side. */
const SERVER_GONE = -32_000;
/** Ids of calls are remembered for their cancellation, this many. */
const MAX_REMEMBERED = 10_000;
/** JSON-RPC: the requested item does not exist. */
const METHOD_NOT_FOUND = -32_601;

/** A client's message goes on to the server, or is answered instead, or nobody needs it. */
export interface Sorted {
  readonly forward?: Json;
  readonly answer?: Json;
  /** Huge texts in `forward`, for {@link spelled}. */
  readonly kept: HugeTexts;
}

/** A message as it is read: nobody needs its huge texts. */
export function messageIn(bytes: Buffer, kept?: Sorted['kept']): string {
  return withoutHugeTextsIn(bytes, kept).toString('utf8');
}

/** A message as it is sent. */
export function spelled(message: unknown, kept: Sorted['kept']): Buffer {
  return withHugeTexts(JSON.stringify(message), kept);
}

/** What is known about the tools of one server, for all clients. */
export class ServerTools {
  readonly #server: ProxiedServer;
  /** Output schemas of tools, by name. */
  readonly #schemas = new Map<string, Json>();
  /** Calls of all clients, by client and request id, and whether the server gets them. */
  readonly #calls = new Map<string, Promise<boolean>>();

  constructor(server: ProxiedServer) {
    this.#server = server;
  }

  async announce(tools: readonly Json[]): Promise<void> {
    const named = tools.filter(isJsonObject).filter((tool) => typeof tool.name === 'string');
    for (const { name, outputSchema } of named)
      if (outputSchema !== undefined) this.#schemas.set(name as string, outputSchema);
    const { recordings, prefix } = this.#server;
    await announce(
      recordings,
      named.map(({ name }) => `${prefix}${name}`),
      { shared: true },
    );
  }

  /** @returns the result in place of the tool's own, or what to report about it if the tool is to run */
  async decide(params: JsonObject): Promise<{ result: Json } | Running> {
    const { name, arguments: args = {}, _meta } = params;
    const { recordings, prefix } = this.#server;
    const known = isJsonObject(_meta) ? _meta[recordings.runIdKey] : undefined;
    const runId = typeof known === 'string' ? known : undefined;
    const tool = String(name);
    const asked = { name: `${prefix}${tool}`, arguments: args, shared: true };
    const answer = await ask(recordings, runId, asked, { exact: true }).catch(refused);
    if (answer.policy === 'live') return { runId, ticket: answer.ticket };
    if (answer.policy !== 'recorded') return { result: errorResult(answer.message) };
    if (answer.error !== undefined) return { result: errorResult(answer.error) };
    return { result: callResult(answer.result ?? null, this.#schemas.get(tool)) };
  }

  /** Remembers a call until it is cancelled, or many others have come. */
  remember(id: string, isForwarded: Promise<boolean>): void {
    this.#calls.set(id, isForwarded);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_REMEMBERED && oldest !== undefined) this.#calls.delete(oldest);
  }

  /** Resolves once it is clear whether the server gets this call: its cancellation must not overtake it. */
  async isForwarded(id: string): Promise<boolean> {
    return (await this.#calls.get(id)) ?? true;
  }

  async cameBack({ runId, ticket }: Running, result: Json): Promise<void> {
    if (ticket !== undefined) await tell(this.#server.recordings, runId, { ticket, result, shared: true });
  }
}

/** A call that the server was asked to make. */
interface Running {
  readonly runId: string | undefined;
  readonly ticket: number | undefined;
}

function refused(error: unknown): ToolAnswer {
  if (error instanceof ToolNotReplayed) return { policy: 'refused', message: error.message };
  throw error;
}

/** The messages over one connection. */
export class Exchange {
  readonly #tools: ServerTools;
  /** Requests to the server whose answers are read, by request id. */
  readonly #awaited = new Map<string, 'list' | Running>();
  /** Requests that nobody has answered, by request id. */
  readonly #open = new Map<string, Json>();
  readonly #client: string;
  #isOver = false;

  /** @param client keeps ids of several clients apart */
  constructor(tools: ServerTools, client = '') {
    this.#tools = tools;
    this.#client = client;
  }

  /** The server is gone. @returns answers to all open requests; further ones get theirs as they come */
  end(): Json[] {
    this.#isOver = true;
    const answers = [...this.#open.values()].map(gone);
    this.#open.clear();
    return answers;
  }

  /** Numbers pass as they were written. Unreadable messages do not: the server might read a tool call in them. */
  async ofClient(bytes: Buffer): Promise<Sorted> {
    const kept: HugeTexts = new Map();
    const said = jsonIn(messageIn(bytes, kept), 'written');
    const sorted = said === undefined ? { answer: failed(null, PARSE_ERROR, 'This is not JSON.') } : this.#sort(said);
    return { ...(await sorted), kept };
  }

  /** Reads a server's message before it is passed on to the client. @returns false if it is none */
  async ofServer(text: string): Promise<boolean> {
    const said = jsonIn(text);
    if (!isJsonObject(said) || said.jsonrpc !== '2.0') return false;
    await this.#hear(said);
    return true;
  }

  async #sort(message: Json): Promise<Omit<Sorted, 'kept'>> {
    // The server might read a call in a list. MCP has no batches since its version of June 2025.
    if (!isJsonObject(message))
      return { answer: failed(null, NO_MESSAGE, 'This is no message: send them one by one.') };
    const { method, id, params } = message;
    if (method === 'tools/list' && id !== undefined) this.#awaited.set(keyOf(id), 'list');
    if (method === 'notifications/cancelled' && isJsonObject(params) && params.requestId !== undefined) {
      const isForwarded = await this.#tools.isForwarded(this.#client + keyOf(params.requestId));
      return isForwarded ? { forward: message } : {};
    }
    const isRequest = id !== undefined && method !== undefined;
    if (isRequest) this.#open.set(keyOf(id), id);
    if (method === 'tools/call') {
      const call = isJsonObject(params) ? params : {};
      const deciding = this.#tools.decide(call);
      if (id !== undefined) {
        const isForwarded = deciding.then((decided) => !('result' in decided));
        this.#tools.remember(this.#client + keyOf(id), isForwarded);
      }
      const decided = await deciding;
      if ('result' in decided) return id === undefined ? {} : this.#answered(id, answerTo(id, call, decided.result));
      if (id !== undefined) this.#awaited.set(keyOf(id), decided);
    }
    return isRequest && this.#isOver ? this.#answered(id, gone(id)) : { forward: message };
  }

  /** The server may have gone while the call was decided: then {@link end} has answered it. */
  #answered(id: Json, answer: Json): Omit<Sorted, 'kept'> {
    return this.#open.delete(keyOf(id)) ? { answer } : {};
  }

  async #hear({ id, method, result }: JsonObject): Promise<void> {
    if (id === undefined || method !== undefined) return;
    this.#open.delete(keyOf(id));
    const awaited = this.#awaited.get(keyOf(id));
    this.#awaited.delete(keyOf(id));
    if (awaited === undefined || !isJsonObject(result)) return;
    if (awaited !== 'list') await this.#tools.cameBack(awaited, result);
    else if (Array.isArray(result.tools)) await this.#tools.announce(result.tools);
  }
}

function answerTo(id: Json, { task }: JsonObject, result: Json): Json {
  if (task === undefined) return { jsonrpc: '2.0', id, result };
  return failed(id, METHOD_NOT_FOUND, 'A recorded result cannot become a task: call the tool without one.');
}

function gone(id: Json): Json {
  return failed(id, SERVER_GONE, 'The MCP server has ended.');
}

function failed(id: Json, code: number, message: string): Json {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function keyOf(id: Json): string {
  return canonical(id);
}
