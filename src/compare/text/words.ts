import { GRAMMAR_WORDS } from './lexicon.ts';
import type { Token } from './tokens.ts';

/** A word in the form in which it is compared: case-folded, in one spelling. */
export interface Word {
  readonly text: string;
  /** In a script without blanks: two neighbouring characters, or a single one. */
  readonly isOfCharacters: boolean;
  /** Of two characters: the first. */
  readonly token: Token;
}

const EMOJI = /\p{Extended_Pictographic}/u;

/**
 * The words of a text in order, in any language. In scripts without blanks, each two neighbouring characters are a word:
 * dictionaries such as those of `Intl.Segmenter` differ between versions of Node.
 * @param tokens with quotations and code parsed
 */
export function wordsIn(tokens: readonly Token[]): Word[] {
  const words: Word[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'character') {
      const before = token.isGlued ? tokens[index - 1] : undefined;
      const after = tokens[index + 1];
      const isAlone = before?.kind !== 'character' && !(after?.isGlued === true && after.kind === 'character');
      if (before?.kind === 'character')
        words.push({ text: before.text + token.text, isOfCharacters: true, token: before });
      else if (isAlone) words.push({ text: token.text, isOfCharacters: true, token });
    } else if (token.kind !== 'symbol' || EMOJI.test(token.text)) {
      words.push({ text: token.text, isOfCharacters: false, token });
    }
  }
  return words;
}

/** Length of a text in words. A word of a script without blanks counts as two characters, roughly. */
export function lengthInWords(words: readonly Word[]): number {
  const ofCharacters = words.filter(({ isOfCharacters }) => isOfCharacters).length;
  return words.length - Math.floor(ofCharacters / 2);
}

/** Shortest word that counts as content in any language: shorter ones are mostly grammar. */
export const MIN_CONTENT_CHARS = 3;

/** Whether a word carries meaning by itself, as far as anybody can tell without knowing the language. */
export function isContent({ text, isOfCharacters, token }: Word): boolean {
  if (isOfCharacters || token.kind !== 'word') return true;
  return text.length >= MIN_CONTENT_CHARS && !GRAMMAR_WORDS.has(text);
}
