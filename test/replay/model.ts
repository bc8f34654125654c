import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const ERRORS = {
  401: { message: 'Incorrect API key provided: k.', code: 'invalid_api_key' },
  429: { message: 'Rate limit reached for small on requests per min.', code: 'rate_limit_exceeded' },
  500: { message: 'The server had an error while processing your request.', type: 'server_error' },
} as const;
export type Answer = keyof typeof ERRORS | 200;

export interface Model extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  /** Calls so far. */
  readonly calls: number;
  switchOff(): Promise<void>;
}

/**
 * Starts a server that answers `hello` as OpenAI's does, or an error.
 * @param answerTo told the number of the call, from 1
 */
export async function startModel(answerTo: (call: number) => Answer): Promise<Model> {
  let calls = 0;
  const server = createServer((request, response) => {
    const answer = answerTo(++calls);
    const message = { role: 'assistant', content: 'hello' };
    const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'small' };
    const body =
      answer === 200
        ? { ...completion, choices: [{ index: 0, message, finish_reason: 'stop' }] }
        : { error: ERRORS[answer] };
    request.resume().on('end', () => {
      // Clients that try again need not wait for it.
      response.writeHead(answer, { 'content-type': 'application/json', 'retry-after-ms': '1', connection: 'close' });
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const switchOff = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    address: `127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    switchOff,
    [Symbol.asyncDispose]: switchOff,
  };
}
