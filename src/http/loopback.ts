import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

const ADDRESSES = [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
] as const;

/** RFC 6761: the names below it, too, belong to this machine alone. */
function isLocalhost(host: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(host);
}

/**
 * Resolves `localhost` to both of its addresses, whatever the hosts file says: a server told to listen on `localhost` takes
 * one of them, and which one differs between machines. Pass it to a connection together with `autoSelectFamily`.
 */
export const lookupWithLoopback: LookupFunction = (host, options, callback) => {
  if (!isLocalhost(host)) {
    lookup(host, options, callback);
    return;
  }
  const family = options.family === 'IPv6' ? 6 : options.family === 'IPv4' ? 4 : (options.family ?? 0);
  const meant = ADDRESSES.filter((each) => family === 0 || each.family === family);
  if (options.all) callback(null, [...meant]);
  else callback(null, meant[0]!.address, meant[0]!.family);
};

/** Whether an address is of this machine. To listen on all addresses is to be reached on these, too. */
export function isLocal(url: string | URL): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isLocalhost(host) || /^(127\..*|0\.0\.0\.0|::1?)$/.test(host);
}
