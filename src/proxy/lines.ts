import { StringDecoder } from 'node:string_decoder';

/** A message with the largest results that tools return. */
const MAX_PART_BYTES = 64 * 2 ** 20;

/**
 * Splits a stream after each separator. Not with `readline`, which also breaks at characters that JSON may contain.
 * @throws Error at a part that does not end
 */
export async function* partsOf(stream: AsyncIterable<Buffer>, separator: RegExp): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let held: string[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    held.push(decoder.write(chunk));
    bytes += chunk.byteLength;
    if (bytes > MAX_PART_BYTES) throw new Error('a message is too large');
    // A separator may begin in the chunk before. A large part is joined once, not once per chunk.
    if (!separator.test(held.slice(-2).join(''))) continue;
    const parts = held.join('').split(new RegExp(`(?<=${separator.source})`));
    const last = parts.at(-1) ?? '';
    const isWhole = new RegExp(`(?:${separator.source})$`).test(last);
    yield* isWhole ? parts : parts.slice(0, -1);
    held = isWhole ? [] : [last];
    bytes = isWhole ? 0 : Buffer.byteLength(last);
  }
  const rest = held.join('') + decoder.end();
  if (rest !== '') yield rest;
}
