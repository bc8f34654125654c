import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BodyRoom, wholeBody } from '../bounded/index.ts';
import { AgentReplayError } from '../errors.ts';
import { inBytes } from '../text/index.ts';

/** As long as we let exporters try. Then Node answers 408 and closes the connection. */
const ARRIVAL_MS = 60_000;
const LOOK_MS = 5_000;
/** Far longer than Node's 5 s: an exporter that reuses a connection just as it is closed would lose its spans. */
const KEEP_ALIVE_MS = 10 * 60_000;
/** Clients have a few; each costs memory. */
const MAX_CONNECTIONS = 1_000;
/** Read of a body that waits for room: no second part beside what the system hands over at once. */
const AHEAD_BYTES = 2 ** 14;
/** For all bodies of one server; beyond it senders wait. A larger one is read alone. */
const ROOM_BYTES = 16 * 2 ** 20;

export interface Served extends AsyncDisposable {
  readonly server: Server;
  readonly origin: string;
  readonly port: number;
}

export interface ServeOptions {
  /** What it is, in words. */
  readonly name?: string | undefined;
  /** Default: only this machine. */
  readonly host?: string | undefined;
  /** Default: a free one. */
  readonly port?: number | undefined;
  readonly maxConnections?: number | undefined;
  /** Takes what `answer` throws: a defect of ours, and nothing that the client did. */
  readonly onDefect?: ((defect: AgentReplayError) => void) | undefined;
}

/**
 * Each request has to arrive whole within a minute; `gone` ends with its connection. Disposing of it also closes
 * connections that are in use.
 * @throws as the system does, if it cannot listen there
 */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, gone: AbortSignal) => Promise<void>,
  { name = 'server', host = '127.0.0.1', port = 0, maxConnections = MAX_CONNECTIONS, onDefect }: ServeOptions = {},
): Promise<Served> {
  const limits = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: ARRIVAL_MS,
    highWaterMark: AHEAD_BYTES,
    connectionsCheckingInterval: LOOK_MS,
  };
  const room = new BodyRoom(ROOM_BYTES);
  const server = createServer(limits, (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    let place: ReturnType<BodyRoom['enter']> | undefined;
    places.set(request, () => (place ??= room.enter(gone.signal)));
    answer(request, response, gone.signal).catch((error: unknown) => {
      onDefect?.(defectOf(name, error));
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"agent-replay failed."}');
    });
  });
  server.maxConnections = maxConnections;
  server.listen(port, host);
  await once(server, 'listening');
  const own = server.address() as AddressInfo;
  const reachable = ['0.0.0.0', '::'].includes(own.address) ? '127.0.0.1' : own.address;
  return {
    server,
    port: own.port,
    origin: `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${own.port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Lines of a stack that are shown. */
const STACK_LINES = 12;

/** Said as ours wherever it shows: no agent is to blame for what it has broken. */
function defectOf(name: string, cause: unknown): AgentReplayError {
  const stack = String((cause as Error | undefined)?.stack ?? cause);
  return new AgentReplayError('INTERNAL', `The ${name} of agent-replay failed.`, {
    evidence: stack.split('\n', STACK_LINES).map((line) => line.trim()),
    hint: 'This is a defect in agent-replay, and not in the agent: please report it with this stack.',
    cause,
  });
}

/** A request that is not taken: the status to answer, and why. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Where the bodies of a request are held until it is answered. */
const places = new WeakMap<IncomingMessage, () => ReturnType<BodyRoom['enter']>>();

/**
 * The body of a request. Look at its key first.
 * @param parts read instead: what the body becomes when it is unpacked
 * @throws Refusal if it is larger than that, breaks off, or does not come in time
 */
export async function bodyOf(
  request: IncomingMessage,
  maxBytes: number,
  parts: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false }),
): Promise<Buffer> {
  const tooLarge = () => new Refusal(413, `the body is larger than ${inBytes(maxBytes)}`);
  try {
    const announced = Number(request.headers['content-length'] ?? 0);
    return await wholeBody(parts, maxBytes, tooLarge, places.get(request)!(), announced);
  } catch (error) {
    // A client that still writes would miss the answer if the connection were closed now.
    request.resume();
    throw error instanceof Refusal ? error : new Refusal(400, 'the body broke off');
  }
}
