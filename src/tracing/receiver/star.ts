import { isUtf8 } from 'node:buffer';
import { knownIn } from '../../redaction/index.ts';

const BETWEEN_CONTROLS = /[^\0-\x08\x0a-\x1f]+/g;

/**
 * Puts asterisks for the known secrets into a body that is passed on: as many bytes as before, and its control characters,
 * so that formats which count with them can still be read. @returns whether there were any
 */
export function star(body: Buffer): boolean {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  const secrets: [number, number][] = [];
  // In windows, as a text takes many times its size while it is searched. What is found twice is masked once.
  for (let from = 0; from < body.length; from += WINDOW) {
    const window = body.subarray(wholeAt(body, from, encoding), wholeAt(body, from + WINDOW + OVERLAP, encoding));
    const text = window.toString(encoding);
    const found = knownIn(text).flatMap(([start, end]) =>
      Array.from(text.slice(start, end).matchAll(BETWEEN_CONTROLS), ({ 0: part, index }) => {
        return [start + index, start + index + part.length] as const;
      }),
    );
    const bytes = (part: string) => Buffer.byteLength(part, encoding);
    let [at, seen] = [window.byteOffset - body.byteOffset, 0];
    for (const [start, end] of found.toSorted(([one], [other]) => one - other)) {
      at += bytes(text.slice(seen, start));
      seen = start;
      secrets.push([at, at + bytes(text.slice(start, end))]);
    }
  }
  for (const [start, end] of secrets) body.fill('*', start, end);
  return secrets.length > 0;
}

const WINDOW = 2 ** 22;
/** Longer than a secret in any form, escaped and broken into lines. */
const OVERLAP = 2 ** 18;

/** Where the character begins that this byte belongs to. */
function wholeAt(body: Buffer, at: number, encoding: 'utf8' | 'latin1'): number {
  while (encoding === 'utf8' && at < body.length && (body[at]! & 0xc0) === 0x80) at--;
  return at;
}
