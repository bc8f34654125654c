import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { AgentReplayError } from '../errors.ts';

/** Stands in a URL for a port that is chosen when the agent is started. */
const PLACE = '{port}';
/** Below those that Linux lends to whoever connects somewhere: nobody is given it between now and its use. */
const [LOWEST_PORT, HIGHEST_PORT] = [10_000, 32_000];
const TRIES = 100;
/** To read the rest of a URL whose port is open: one with which no host is written. */
const ANY_PORT = 65_535;

/** Whether a URL leaves its port open: `http://127.0.0.1:{port}/replay`. */
export function leavesPortOpen(url: string | undefined): boolean {
  return url?.includes(PLACE) ?? false;
}

/**
 * `http://127.0.0.1:{port}/replay`, 3000 -> `http://127.0.0.1:3000/replay`; any other URL as it is.
 * @param port any, when only the rest of the URL is of interest
 */
export function withPort(url: string, port = ANY_PORT): string {
  return url.replaceAll(PLACE, String(port));
}

/** A target URL for messages: without credentials and query, which can hold a key. An open port stays open. */
export function targetWithoutSecrets(url: string): string {
  const { origin, pathname } = new URL(withPort(url));
  return (leavesPortOpen(url) ? origin.replace(`:${ANY_PORT}`, `:${PLACE}`) : origin) + pathname;
}

/** Whether two target URLs are served by the same program. */
export function isSameServer(a: string, b: string): boolean {
  const [one, other] = [a, b].map((url) => URL.parse(withPort(url))?.origin);
  return one !== undefined && one === other && leavesPortOpen(a) === leavesPortOpen(b);
}

/**
 * A port on which nobody listens now, on any of the loopback addresses.
 * @throws AgentReplayError `AGENT_PORT_IN_USE` when none is found
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

/** Listening on all addresses fails where any of them is taken. */
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
