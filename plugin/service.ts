import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { asAgentReplayError, isSameToken, toProblem } from '../src/rims.ts';
import type { Answer, Provided, Question, Replayed } from './wire.ts';

/** Test files run in processes of their own and ask Vitest's process for replays here. */
export interface Service extends AsyncDisposable {
  readonly address: Provided['service'];
}

/**
 * Starts the service, on this machine only and for holders of the token. All replays are made in this process, so that any
 * number of test files share the replayer's one budget.
 * @param replay given up through its signal once the asking process is gone
 */
export async function startService(
  replay: (question: Question, signal: AbortSignal) => Promise<Replayed>,
): Promise<Service> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    if (isSameToken(request.headers.authorization ?? '', `Bearer ${token}`)) void answer(request, response);
    else response.writeHead(401).end();
  });
  // A test waits as long as its replays take; these have time limits of their own.
  server.requestTimeout = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const given = await answerTo(request, gone.signal).catch((error) => ({
      problem: toProblem(asAgentReplayError(error)),
    }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(given));
  };
  const answerTo = async (request: IncomingMessage, signal: AbortSignal): Promise<Answer> => ({
    replayed: await replay((await json(request)) as Question, signal),
  });

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
