import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  type ReplayMeans,
  type ReplayOptions,
  type ReplayRequests,
  type ReplayResult,
  replayOptions,
  replaySessions,
} from '../../src/replay/index.ts';

export interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** The body, parsed; undefined when there is none. */
  readonly body: Record<string, unknown>;
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

export interface Served extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Requests that are being answered now, and the most that ever were. */
  readonly inFlight: { now: number; most: number };
}

/** A server with one behaviour, on a free port. */
export async function serve(
  answer: (asked: Asked, response: ServerResponse, socket: Socket) => unknown,
  { host = '127.0.0.1' } = {},
): Promise<Served> {
  const asked: Asked[] = [];
  const inFlight = { now: 0, most: 0 };
  const server = createServer(async (request, response) => {
    inFlight.now++;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    response.on('close', () => inFlight.now--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const one = {
      url: request.url ?? '',
      headers: request.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      text,
      number: asked.length + 1,
    };
    asked.push(one);
    await answer(one, response, request.socket);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { address, port } = server.address() as AddressInfo;
  const origin = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    origin,
    url: `${origin}/replay`,
    asked,
    inFlight,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A run id without its last part, which nobody can guess. */
export function openPartOf(runId: unknown): string {
  return String(runId).replace(/\.[0-9a-f]{24}$/, '');
}

/** Run ids of the calls, as {@link openPartOf}. */
export function idsOf({ asked }: Served): string[] {
  return asked.map(({ body }) => openPartOf(body.svc_replay_run_id));
}

/** Answers as an endpoint should. */
export function json(response: ServerResponse, body: unknown, { status = 200, headers = {} } = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A session of as many turns as there are inputs. */
export function sessionOf(id: string, ...inputs: string[]): ReplayRequests {
  return { id, turns: inputs.map((input, index) => ({ turn: index + 1, request: { input } })) };
}

type Settings = Partial<Omit<ReplayOptions, 'timeouts'>> & { timeouts?: Partial<ReplayOptions['timeouts']> };

export interface Replaying extends Partial<Omit<ReplayMeans, 'settings'>> {
  readonly target: string;
  readonly settings?: Settings;
  readonly sessions?: readonly ReplayRequests[];
}

/** Replays, once and without traces where nothing else is said. */
export function replays({
  settings,
  sessions = [sessionOf('s', 'hi')],
  ...options
}: Replaying): AsyncIterable<ReplayResult> {
  return replaySessions(sessions, {
    source: null,
    ...options,
    settings: replayOptions.parse({ runs: 1, ...settings }),
  });
}

export async function all(replaying: Replaying): Promise<ReplayResult[]> {
  return Array.fromAsync(replays(replaying));
}

/** The error of the only result. */
export async function failure(replaying: Replaying) {
  const results = await all(replaying);
  const [result] = results;
  if (results.length !== 1 || result?.outcome.kind !== 'unverified') {
    throw new Error(`expected one failure, got ${JSON.stringify(results)}`);
  }
  return result.outcome.error;
}
