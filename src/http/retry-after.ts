import type { IncomingHttpHeaders } from 'node:http';

/** HTTP's date (RFC 9110), in its current form and its two old ones. `Date.parse` would also accept `-1`. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w -]+\d\d:\d\d:\d\d( GMT| \d{4})$/;

/** Retry-After in milliseconds from now: the header has seconds or a date. Anything else is ignored. */
export function retryAfterMs(headers: IncomingHttpHeaders, now = Date.now()): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  return HTTP_DATE.test(text) ? Math.max(0, Date.parse(text) - now) : undefined;
}
