import { StringDecoder } from 'node:string_decoder';

/** Splits a stream after each separator. Not with `readline`, which also breaks at characters that JSON may contain. */
export async function* partsOf(stream: AsyncIterable<Buffer>, separator: RegExp): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let held: string[] = [];
  for await (const chunk of stream) {
    held.push(decoder.write(chunk));
    // A separator may begin in the chunk before. A large part is joined once, not once per chunk.
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
