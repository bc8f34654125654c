import { Joined } from '../bounded/index.ts';

/** A message with the largest results that tools return. */
const MAX_PART_BYTES = 64 * 2 ** 20;
/** No separator is longer. */
const SEPARATOR_BYTES = 4;

/**
 * Splits a stream after each separator. Not with `readline`, which also breaks at characters that JSON may contain.
 * @throws Error at a part that does not end
 */
export async function* partsOf(stream: AsyncIterable<Buffer>, separator: RegExp): AsyncGenerator<Buffer> {
  const separators = new RegExp(separator, 'g');
  const held = new Joined();
  // A separator may begin in the chunks before.
  let tail = '';
  for await (const chunk of stream) {
    const seen = tail + chunk.toString('latin1');
    const ends = Array.from(seen.matchAll(separators), ({ 0: { length }, index }) => index + length - tail.length);
    let from = 0;
    for (const end of ends) {
      held.add(chunk.subarray(from, end));
      yield held.take();
      from = end;
    }
    held.add(chunk.subarray(from));
    if (held.bytes > MAX_PART_BYTES) throw new Error('a message is too large');
    tail = (ends.length === 0 ? seen : chunk.toString('latin1', from)).slice(1 - SEPARATOR_BYTES);
  }
  if (held.bytes > 0) yield held.take();
}
