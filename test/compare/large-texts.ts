import { compareTexts, Text } from '../../src/compare/text/rewording.ts';

/** A text of this many bytes, made of one piece again and again; of `1.0…01` the character before the dots. */
export function textOf(piece: string, bytes: number): string {
  const [start = '', end] = piece.split('…');
  if (end === undefined) return piece.repeat(bytes / Buffer.byteLength(piece));
  return start + start.slice(-1).repeat(bytes) + end;
}

/** All that is done with two texts: they differ at the end, in words that state nothing. */
export function compareLarge(text: string): unknown {
  const [a, b] = [new Text(`${text} and so it is`), new Text(`${text} and that is how it goes`)];
  return [compareTexts(a, b), a.names];
}
