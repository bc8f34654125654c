import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ended } from '../programs.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

export interface RunningExample extends AsyncDisposable {
  /** Where it listens, as it printed it. */
  readonly url: string;
  /** Ends it as a supervisor would. Resolves with its exit code; null when it had to be killed. */
  stop(): Promise<number | null>;
}

/** Starts a program of `examples/` on a free port and waits until it says where it listens. */
export async function startExample(program: string, env: Record<string, string> = {}): Promise<RunningExample> {
  const child = spawn(process.execPath, [`${EXAMPLES}${program}`], {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    await ended(child, 'SIGTERM');
    return child.exitCode;
  };
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const url = /listening on (\S+)/.exec(output)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
  }
  throw new Error(`${program} ended before it listened:\n${output}`);
}

export interface Span {
  readonly name: string;
  readonly isRoot: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Takes the traces that the agent's own SDK sends, as they come. */
export async function startTraceSink(): Promise<{ url: string; spans: Span[] } & AsyncDisposable> {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as OtlpExport;
    for (const span of resourceSpans.flatMap((one) => one.scopeSpans).flatMap((one) => one.spans)) {
      const attributes = Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
      spans.push({ name: span.name, isRoot: span.parentSpanId === undefined, attributes });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    spans,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface OtlpExport {
  resourceSpans: {
    scopeSpans: {
      spans: { name: string; parentSpanId?: string; attributes: { key: string; value: Record<string, unknown> }[] }[];
    }[];
  }[];
}
