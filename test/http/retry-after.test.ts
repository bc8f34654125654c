import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/http/index.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');

test.each<[string | string[] | undefined, number | undefined]>([
  ['7', 7_000],
  [' 7 ', 7_000],
  [['7', '9'], 7_000],
  ['Sat, 28 Nov 2026 12:00:05 GMT', 5_000],
  ['Saturday, 28-Nov-26 12:00:05 GMT', 5_000],
  ['Sat, 28 Nov 2026 11:00:00 GMT', 0],
  ['Mon, 32 Foo 2026 99:99:99 GMT', undefined],
  ['Sun, 06 Nov 1994 25:61:00 GMT', undefined],
  ['-1', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After of %j asks for a wait of %j ms', (value, expected) => {
  expect(retryAfterMs({ 'retry-after': value as string }, NOW)).toBe(expected);
});
