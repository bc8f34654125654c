import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { replayEndpoint } from '../../src/endpoint/index.ts';
import { type AskedEndpoint, bodyOf, headersOf, ODD, OPTIONS } from './requests.ts';

/** The parts of an endpoint's answer that depend on the request alone. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const HEADERS = [
  'allow',
  'www-authenticate',
  'retry-after',
  'x-svc-replay-off',
  'x-svc-replay-start',
  'x-svc-trace-spans',
];

/** Asks the endpoint in TypeScript. */
export async function askHere(asked: AskedEndpoint): Promise<Answered> {
  const { endpoint = 'plain', method = 'POST' } = asked;
  const init = { method, headers: headersOf(asked), ...(method === 'POST' && { body: bodyOf(asked) ?? '' }) };
  return await answered(await ENDPOINTS[endpoint](new Request('http://agent/replay', init)));
}

/** Asks a server, with every header as it is given: `fetch` would put its own Host in place of another one. */
export async function askOver(url: string, asked: AskedEndpoint): Promise<Answered> {
  const { method = 'POST' } = asked;
  const body = method === 'POST' ? Buffer.from(bodyOf(asked) ?? '') : Buffer.alloc(0);
  const headers = { ...headersOf(asked), 'content-length': body.length };
  const [response] = (await once(request(url, { method, headers, agent: false }).end(body), 'response')) as [
    IncomingMessage,
  ];
  const init = { status: response.statusCode as number, headers: response.headers as Record<string, string> };
  return await answered(new Response(new Uint8Array(await buffer(response)), init));
}

/**
 * Keeps the parts that are always the same. Checks that the run id, which is unique per call, is alike on trace and
 * answer, and drops it.
 */
export async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const headers = Object.fromEntries([...response.headers].filter(([name]) => HEADERS.includes(name)));
  return { status: response.status, headers, body: isJson ? withoutRunId(JSON.parse(text)) : text };
}

function withoutRunId(body: { run_id?: string; output?: { metadata?: { run_id?: string } } }): unknown {
  const onTrace = body.output?.metadata?.run_id;
  if (onTrace === undefined) return body;
  if (onTrace !== body.run_id) throw new Error(`the trace says ${onTrace}, the answer ${body.run_id}`);
  const { run_id: _, ...rest } = body;
  return JSON.parse(JSON.stringify(rest, (key, value) => (key === 'run_id' ? undefined : value)));
}

export const ENDPOINTS = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, options]) => [
    name,
    replayEndpoint(
      (turn) => {
        const { input } = turn;
        if (input === ODD.untraced) return 'done';
        const { metadata, messages, model = null, includePriorContext: prior = null } = turn;
        if (input === ODD.raises) throw new Error('the password is hunter2');
        if (input === ODD.responds) throw new Response('slow down', { status: 429, headers: { 'retry-after': '2' } });
        if (input === ODD.unsayable) return { output: 1n };
        const output = { messages, input, model, prior, metadata };
        return input === ODD.ids ? { output: 'done', sessionId: 'thread-7', runId: 'run-7' } : { output };
      },
      { agentId: 'support', onError: () => {}, ...options },
    ),
  ]),
) as Record<keyof typeof OPTIONS, ReturnType<typeof replayEndpoint>>;
