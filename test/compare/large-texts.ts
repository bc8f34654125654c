import { compareTexts } from '../../src/compare/text/other-words.ts';
import { Text } from '../../src/compare/text/text.ts';

/** A text of this many bytes: one piece, repeated. Of `1.0…01` it repeats the character before the dots. */
export function textOf(piece: string, bytes: number): string {
  const [start = '', end] = piece.split('…');
  if (end === undefined) return piece.repeat(bytes / Buffer.byteLength(piece));
  return start + start.slice(-1).repeat(bytes) + end;
}

/** Compares two texts, which code in a fence has read whole. They differ at the end, in words that state nothing. */
export function compareLarge(text: string, other = text): unknown {
  const [a, b] = [
    new Text(`${text} and so it is \`\`\`x\`\`\``),
    new Text(`${other} and that is how it goes \`\`\`x\`\`\``),
  ];
  return [compareTexts(a, b), a.names];
}
