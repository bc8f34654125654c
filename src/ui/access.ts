import type { IncomingMessage } from 'node:http';
import { isSameToken } from '../contract/index.ts';
import { Refusal } from '../http/index.ts';

/** This machine's own names. Any other `Host` is a foreign name that points here. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Lets through what comes from our page on this machine. Other pages cannot claim its `Host` and `Origin`, and whoever only
 * found the port lacks the token.
 * @param token of this start; undefined for the page itself, which contains no data
 * @throws Refusal
 */
export function checkAccess(request: IncomingMessage, port: number, token?: string): void {
  const { host = '', origin, authorization = '' } = request.headers;
  const hosts = LOOPBACK.map((name) => `${name}:${port}`);
  if (!hosts.includes(host.toLowerCase())) throw new Refusal(403, 'This page answers on localhost only.');
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`)
    throw new Refusal(403, 'Requests of other pages are refused.');
  if (token !== undefined && !isSameToken(authorization, `Bearer ${token}`))
    throw new Refusal(401, 'Open the address that agent-replay ui has printed: its token is missing or old.');
}
