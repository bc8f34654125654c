import type { IncomingMessage } from 'node:http';
import { isSameToken } from '../contract/index.ts';

/** Names under which this machine reaches itself. Another one in `Host` is a name that was made to point here. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Why a request is refused; undefined when it is not. */
export type Refusal = { readonly status: 401 | 403; readonly message: string } | undefined;

/**
 * Whether a request comes from this machine's own page. `Host` and `Origin` are of the page itself, which no other page
 * can claim; whoever only found the port has no token.
 * @param token of this start; undefined for what holds no data, the page itself
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
