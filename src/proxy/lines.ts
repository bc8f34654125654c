import { StringDecoder } from 'node:string_decoder';

/**
 * The parts of a stream between separators, each with what ends it. Nothing else ends a line: JSON may hold any of the
 * further characters at which `readline` breaks.
 */
export async function* partsOf(stream: AsyncIterable<Buffer>, separator: RegExp): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let held: string[] = [];
  for await (const chunk of stream) {
    held.push(decoder.write(chunk));
    // A separator may begin in the chunk before; a large part is put together once, not once a chunk.
    if (!separator.test(held.slice(-2).join(''))) continue;
    const parts = held.join('').split(new RegExp(`(?<=${separator.source})`));
    const last = parts.at(-1) ?? '';
    const isWhole = new RegExp(`(?:${separator.source})$`).test(last);
    yield* isWhole ? parts : parts.slice(0, -1);
    held = isWhole ? [] : [last];
  }
  const rest = held.join('') + decoder.end();
  if (rest !== '') yield rest;
}
