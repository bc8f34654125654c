import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

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
  const server = createServer(async (request, response) => {
    const answer = answerTo(++calls);
    const { stream } = (await json(request)) as { stream?: boolean };
    const isStream = answer === 200 && stream === true;
    response.writeHead(answer, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      connection: 'close',
      // Clients that try again need not wait for it.
      'retry-after-ms': '1',
    });
    const said = { [isStream ? 'delta' : 'message']: { role: 'assistant', content: 'hello' } };
    const completion = {
      id: 'c',
      object: isStream ? 'chat.completion.chunk' : 'chat.completion',
      created: 1,
      model: 'small',
      choices: [{ index: 0, ...said, finish_reason: 'stop' }],
    };
    const body = JSON.stringify(answer === 200 ? completion : { error: ERRORS[answer] });
    response.end(isStream ? `data: ${body}\n\ndata: [DONE]\n\n` : body);
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
