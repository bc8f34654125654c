import type { IncomingMessage } from 'node:http';
import { isSameToken } from '../contract/index.ts';

/** This machine's own names. Any other `Host` is a foreign name that points here. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Why a request is refused; undefined if it is not. */
export type Refusal = { readonly status: 401 | 403; readonly message: string } | undefined;

/**
 * Whether a request comes from our page on this machine. Other pages cannot claim its `Host` and `Origin`, and whoever only
 * found the port lacks the token.
 * @param token of this start; undefined for the page itself, which contains no data
 */
export function refusalOf(request: IncomingMessage, { port, token }: { port: number; token?: string }): Refusal {
  const { host = '', origin, authorization = '' } = request.headers;
  const hosts = LOOPBACK.map((name) => `${name}:${port}`);
  if (!hosts.includes(host.toLowerCase())) return { status: 403, message: 'This page answers on localhost only.' };
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`) {
    return { status: 403, message: 'Requests of other pages are refused.' };
  }
  if (token !== undefined && !isSameToken(authorization, `Bearer ${token}`)) {
    return { status: 401, message: 'Open the address that agent-replay ui has printed: its token is missing or old.' };
  }
  return undefined;
}
