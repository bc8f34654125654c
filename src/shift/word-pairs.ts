/** Scripts without blanks between words, for a character class. Each of their characters is a word. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const LETTER = String.raw`[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]`;
/** `don't`, `e-mail`, `a.b@c.de`, `1,000.50`, `14:30` are words; so are `-5`, `$`, `%` and signs such as emoji. */
const WORDS = new RegExp(
  [
    // The name of a renamed id or time.
    String.raw`<(?:[\w.:\-]{1,64}\.)?[a-z]{1,20}(?:#\d{1,9})?>`,
    String.raw`(?:(?<![\p{L}\p{M}\p{N}])[\-−](?=\d))?${LETTER}{1,1000}(?:(?:[_'.@\-]|(?<=\d)[,:\/](?=\d))${LETTER}{1,1000}){0,100}`,
    `[${UNSPACED}]`,
    String.raw`\p{Sc}|%|\p{So}`,
  ].join('|'),
  'gv',
);

/** Longer texts are documents: only their start is read, which bounds the time. */
const MAX_CHARS = 200_000;

/**
 * The words of a text in order, case-folded, in any language. Uses Unicode properties instead of `Intl.Segmenter`, whose
 * dictionaries differ between versions of Node.
 */
export function wordsOf(text: string): string[] {
  return text.slice(0, MAX_CHARS).normalize('NFC').toLowerCase().replaceAll('’', "'").match(WORDS) ?? [];
}

/** The edges of a text. */
const EDGE = '';

/** Neighbouring words, including the edges of the text: swapping two words changes pairs but no word. */
export function pairsOf(words: readonly string[]): (readonly [string, string])[] {
  return [...words, EDGE].map((word, index) => [words[index - 1] ?? EDGE, word] as const);
}
