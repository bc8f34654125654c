import type { TextDifference } from '../shapes/result.ts';
import { commonPrefix } from '../values/common-prefix.ts';
import { polarityOf } from './lexicon.ts';
import { type Token, tokensOf } from './tokens.ts';

/** Index of the first difference in each text; undefined if not found. */
export function placesOf(
  { because, recorded, replayed }: TextDifference,
  a: string,
  b: string,
): [number | undefined, number | undefined] {
  const parted = commonPrefix(a, b);
  const placeIn = (text: string, [form = '']: readonly string[]): number | undefined => {
    if (form === '') return undefined;
    const tokens = tokensOf(text, { spans: false });
    if (because !== 'polarity') return (tokens.find((token) => isOf(token, form)) ?? foundIn(text, form))?.start;
    const denials = tokens.filter((token) => polarityOf(token.text) === form);
    // The other text may say the first of them, too.
    return (denials.find(({ end }) => end > parted) ?? denials.at(-1))?.start;
  };
  return [placeIn(a, recorded), placeIn(b, replayed)];
}

function isOf({ text, written = text }: Token, form: string): boolean {
  return text === form || written === form;
}

function foundIn(text: string, form: string): Pick<Token, 'start'> | undefined {
  const start = text.toLowerCase().indexOf(form.toLowerCase());
  return start === -1 ? undefined : { start };
}
