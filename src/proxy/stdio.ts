import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { AgentReplayError } from '../errors.ts';
import { forTerminal } from '../text/index.ts';
import { partsOf } from './lines.ts';
import { Exchange, messageIn, type ProxiedServer, ServerTools, spelled } from './server-tools.ts';

const LINE_END = /\n/;
const BLANK = new Set(Buffer.from(' \t\r\n'));

/**
 * Starts an MCP server and stands between it and its client, which uses this process's stdin and stdout: one message per
 * line. Without recordings it passes everything on.
 * @returns the exit code of the server
 * @throws AgentReplayError `USAGE` if the command cannot be started
 */
export async function proxyStdio(
  [command = '', ...args]: readonly string[],
  server: ProxiedServer | undefined,
): Promise<number> {
  const pipe = server === undefined ? 'inherit' : 'pipe';
  const child = spawn(command, args, { stdio: [pipe, pipe, 'inherit'] });
  using _ = handedOn(child);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const handed = server === undefined ? undefined : between(server, child.stdin as Writable, child.stdout as Readable);
  const [code] = await ended.catch((cause: unknown) => {
    throw new AgentReplayError('USAGE', `${command} cannot be started.`, {
      evidence: [`reason: ${(cause as NodeJS.ErrnoException).code}`],
      hint: 'Give the command that starts the MCP server after two dashes: agent-replay tools-proxy -- node server.js',
      cause,
    });
  });
  await handed;
  // The client may keep it open.
  process.stdin.destroy();
  return code ?? 1;
}

/** Passes this process's signals on to its child. */
function handedOn(child: ChildProcess): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listeners = signals.map((signal) => {
    const pass = () => void child.kill(signal);
    process.on(signal, pass);
    return () => process.off(signal, pass);
  });
  return { [Symbol.dispose]: () => listeners.forEach((remove) => void remove()) };
}

/** Both directions, until the server's output ends. A call that waits for its answer holds up no other. */
function between(server: ProxiedServer, toServer: Writable, fromServer: Readable): Promise<void> {
  const exchange = new Exchange(new ServerTools(server));
  // A server that is gone reads nothing any more.
  toServer.on('error', () => {});
  void handOn(exchange, process.stdin, toServer).then(() => toServer.end());
  return handBack(exchange, fromServer);
}

async function handOn(exchange: Exchange, client: Readable, toServer: Writable): Promise<void> {
  const underway = new Set<Promise<void>>();
  const sort = async (line: Buffer): Promise<void> => {
    const { forward, answer, kept } = await exchange.ofClient(line);
    if (forward !== undefined) {
      toServer.write(spelled(forward, kept));
      toServer.write('\n');
    }
    if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
  };
  for await (const line of partsOf(client, LINE_END)) {
    if (line.every((byte) => BLANK.has(byte))) continue;
    const sorting = sort(line).finally(() => underway.delete(sorting));
    underway.add(sorting);
  }
  await Promise.all(underway);
}

async function handBack(exchange: Exchange, fromServer: Readable): Promise<void> {
  let isTold = false;
  for await (const line of partsOf(fromServer, LINE_END)) {
    const text = messageIn(line);
    if (await exchange.ofServer(text)) process.stdout.write(line);
    else if (text.trim() !== '' && !isTold) {
      isTold = true;
      process.stderr.write(
        `tools-proxy: the server's standard output is for messages; left out: ${forTerminal(text.trim())}\n`,
      );
    }
  }
  for (const answer of exchange.end()) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
