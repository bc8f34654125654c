import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** How many spans a turn has, as an attribute of its root or of the last of them. */
export const TRACE_SPANS = 'agent_replay.trace_spans';

/** Digests are of equal length, so the time taken reveals nothing about the token. */
export function isSameToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

/** HMAC-SHA256 in lower-case hex, as only a holder of the token can give. */
export function startProof(nonce: string, token: string): string {
  return createHmac('sha256', token).update(nonce).digest('hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
