import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type AgentReplayError, asAgentReplayError, type Replayer } from '../src/index.ts';
import type { Answer, Problem, Provided, Question } from './wire.ts';

/** Where test files, which run in processes of their own, ask Vitest's process for replays. */
export interface Service extends AsyncDisposable {
  readonly address: Provided['service'];
}

/**
 * Starts it, for this machine and holders of the token only. All replays are made in this process, whoever asks, so
 * that however many test files run they share the one budget of the replayer.
 * @param options.ended asked at the start of each replay: what gives it up
 */
export async function startService(replayer: Replayer, { ended }: { ended: () => AbortSignal }): Promise<Service> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    if (isSame(request.headers.authorization ?? '', `Bearer ${token}`)) void answer(request, response);
    else response.writeHead(401).end();
  });
  // A test waits for as long as its replays take; they have time limits of their own.
  server.requestTimeout = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const given = await replay(request, AbortSignal.any([ended(), gone.signal])).catch((error) => ({
      problem: problemOf(asAgentReplayError(error)),
    }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(given));
  };
  const replay = async (request: IncomingMessage, signal: AbortSignal): Promise<Answer> => {
    const { report, turns } = await replayer.replay((await json(request)) as Question, { signal });
    const { status, sessions } = report.results;
    return { replayed: { status, session: sessions[0]!, turns } };
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: { url: `http://127.0.0.1:${port}/`, token },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An error as data. */
export function problemOf({ code, message, evidence, hint }: AgentReplayError): Problem {
  return { code, message, evidence, hint };
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
