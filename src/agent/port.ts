import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { AgentReplayError } from '../errors.ts';

/** Stands in a URL for a port that is chosen when the agent starts. */
const PLACE = '{port}';
/** Below the ports that Linux assigns to outgoing connections, so nobody gets this one before its use. */
const [LOWEST_PORT, HIGHEST_PORT] = [10_000, 32_000];
const TRIES = 100;
/** Any valid port, to parse the rest of a URL with an open port. */
const ANY_PORT = 65_535;

/** Whether a URL leaves its port open: `http://127.0.0.1:{port}/replay`. */
export function leavesPortOpen(url: string | undefined): boolean {
  return url?.includes(PLACE) ?? false;
}

/**
 * `http://127.0.0.1:{port}/replay`, 3000 -> `http://127.0.0.1:3000/replay`; any other URL unchanged.
 * @param port any, if only the rest of the URL matters
 */
export function withPort(url: string, port = ANY_PORT): string {
  return url.replaceAll(PLACE, String(port));
}

/** Leaves out credentials and query, which can hold a key. An open port stays open. */
export function targetWithoutSecrets(url: string): string {
  const { origin, pathname } = new URL(withPort(url));
  return (leavesPortOpen(url) ? origin.replace(`:${ANY_PORT}`, `:${PLACE}`) : origin) + pathname;
}

/** Whether one program serves both target URLs. */
export function isSameServer(a: string, b: string): boolean {
  const [one, other] = [a, b].map((url) => URL.parse(withPort(url))?.origin);
  return one !== undefined && one === other && leavesPortOpen(a) === leavesPortOpen(b);
}

/**
 * A port on which nobody listens now on any loopback address.
 * @throws AgentReplayError `AGENT_PORT_IN_USE` if there is none
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isFree(port)) return port;
  }
  throw new AgentReplayError('AGENT_PORT_IN_USE', `No free port was found in ${TRIES} tries.`, {
    evidence: [`tried: ports from ${LOWEST_PORT} to ${HIGHEST_PORT}`],
    hint: 'End some of the servers on this machine, or name a port in agent.url.',
  });
}

/** Listening on all addresses fails if one of them is taken. */
async function isFree(port: number): Promise<boolean> {
  const server = net.createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false)).listen({ port, exclusive: true }, () => resolve(true));
  const free = await promise;
  if (!free) return false;
  server.close();
  await once(server, 'close');
  return true;
}
