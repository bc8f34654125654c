import { randomBytes } from 'node:crypto';
import { asAgentReplayError, bodyOf, isSameToken, serve, toProblem } from '../src/rims.ts';
import type { Answer, Provided, Question, Replayed } from './wire.ts';

/** A question names a session and a file. */
const MAX_QUESTION_BYTES = 2 ** 20;

/** Test files run in processes of their own and ask Vitest's process for replays here. */
export interface Service extends AsyncDisposable {
  readonly address: Provided['service'];
}

/**
 * On this machine only, for holders of the token. All replays are made in this process, so that test files share one
 * budget.
 * @param replay given up through its signal once the asking process is gone
 */
export async function startService(
  replay: (question: Question, signal: AbortSignal) => Promise<Replayed>,
): Promise<Service> {
  const token = randomBytes(24).toString('base64url');
  const served = await serve(async (request, response, gone) => {
    if (!isSameToken(request.headers.authorization ?? '', `Bearer ${token}`)) return void response.writeHead(401).end();
    const given: Answer = await bodyOf(request, MAX_QUESTION_BYTES)
      .then((body) => replay(JSON.parse(String(body)) as Question, gone))
      .then(
        (replayed) => ({ replayed }),
        (error) => ({ problem: toProblem(asAgentReplayError(error)) }),
      );
    response.setHeader('content-type', 'application/json').end(JSON.stringify(given));
  });
  return {
    address: { url: `${served.origin}/`, token },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}
