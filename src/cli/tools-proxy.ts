import { once } from 'node:events';
import type { Command } from 'commander';
import { recordingsIn } from '../ask/index.ts';
import { wireNames } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { type ProxiedServer, proxyHttp, proxyStdio } from '../proxy/index.ts';
import { MAX_PORT, wholeNumber } from './whole-number.ts';

interface ProxyFlags {
  readonly url?: string;
  readonly port?: string;
  readonly prefix: string;
  readonly runIdKey: string;
}

export function define(command: Command): void {
  command
    .description('Stand between an agent and an MCP server, and answer its tools from the recording in a replay.')
    .argument('[command...]', 'command that starts the MCP server (stdio), after two dashes')
    .addHelpText('after', '\nExample: agent-replay tools-proxy -- npx @modelcontextprotocol/server-filesystem data')
    .option('--url <url>', 'address of an MCP server with streamable HTTP, in place of a command')
    .option('--port <n>', 'with --url: where the proxy listens on this machine; a free port by default')
    .option('--prefix <text>', "prefix of the server's tool names in traces", '')
    .option('--run-id-key <key>', 'key in the _meta of a call that names the replay', wireNames().keys.replayRunId)
    .action(serve);
}

async function serve(words: readonly string[], { url, port, prefix, runIdKey }: ProxyFlags): Promise<void> {
  if ((words.length === 0) === (url === undefined)) {
    throw new AgentReplayError('USAGE', 'The proxy serves one MCP server: give either a command or --url.', {
      hint: 'agent-replay tools-proxy -- node server.js, or agent-replay tools-proxy --url https://mcp.example.com/mcp',
    });
  }
  const recordings = recordingsIn(process.env, runIdKey);
  const server = recordings && { recordings, prefix };
  if (url === undefined) process.exitCode = await proxyStdio(words, server);
  else await serveHttp(addressIn(url), wholeNumber('--port', port, 0, MAX_PORT), server);
}

async function serveHttp(target: URL, port: number | undefined, server: ProxiedServer | undefined): Promise<void> {
  // An agent may start a proxy for a command again and again, so that form loads none of this.
  const { startLifetime } = await import('../job/index.ts');
  const { printError } = await import('./print.ts');
  using lifetime = startLifetime(printError);
  await using proxy = await proxyHttp(target, server, { port: port ?? 0, onDefect: printError });
  process.stdout.write(`tools-proxy: ${proxy.url}\n`);
  await once(lifetime.signal, 'abort');
  process.exitCode = lifetime.exitCode ?? 0;
}

function addressIn(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new AgentReplayError('USAGE', `--url takes an address that begins with http:// or https://, not "${text}".`);
}
