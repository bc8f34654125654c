import type { IncomingHttpHeaders } from 'node:http';

/** HTTP's date (RFC 9110), in its current form and its two old ones. `Date.parse` would also accept `-1`. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w -]+\d\d:\d\d:\d\d( GMT| \d{4})$/;

/** Retry-After in milliseconds from now: the header has seconds or a date. Anything else is ignored. */
export function retryAfterMs(headers: IncomingHttpHeaders, now = Date.now()): number | undefined {
  // Some clients give a list where a header came twice.
  const [text = ''] = [headers['retry-after']].flat().map((each) => each?.trim());
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
