import { ENGLISH } from './lexicon.ts';
import { westernDigits } from './quantities.ts';

/** Units behind a number whose thousands are set apart by blanks. */
const UNITS = String.raw`(?:[€$£₽%]|(?:eur|euros?|usd|chf|kr|zł|kč|ft|руб|kwh|kw|mw|[kmµ]?g|[km]?m|m?l|h|ko|mo|go)(?!\p{L}))`;
const THOUSANDS = new RegExp(
  String.raw`(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,4}(?=(?:,\d{1,3})?[ \u00a0\u202f]?${UNITS})|(?<![\d.,])\d{1,3}(?:[\u00a0\u202f]\d{3}){1,4}(?!\d)`,
  'giu',
);

/** Of other languages than English, behind which any word may stand. */
const ANY_THOUSANDS = new RegExp(
  String.raw`${THOUSANDS.source}|(?<![\d.,])[1-9]\d{0,2}(?: \d{3}){1,4}(?= \p{Ll}|[ \u00a0]?(?:\||$))`,
  'gimu',
);

/** What is written in two ways that mean the same, and the one in which it is read. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/でございます/g, 'です'],
  [/キログラム/g, 'kg'],
  [/キロメートル/g, 'km'],
  [/R\$ ?(?=\d)/g, 'BRL '],
  [/(?<=(?<!\d)\d{1,2})[ \u00a0\u202f]h[ \u00a0\u202f](?=[0-5]\d(?!\d))/gi, 'h'],
  [/\b(?:up to|no more than|not more than)\b/gi, 'at most'],
  [/(?<=\d ?)([ap])\. ?m\b\.?/gi, '$1m'],
  [/\b(can)(?:not|['’]t)\b/gi, '$1 not'],
  [/\b(w)on['’]t\b/gi, '$1ill not'],
  [/(?<=[a-z])n['’]t\b/gi, ' not'],
  [/\b(I)['’]m\b/g, '$1 am'],
  [/(?<=[a-z])['’]re\b/gi, ' are'],
  [/(?<=[a-z])['’]ve\b/gi, ' have'],
  [/(?<=[a-z])['’]ll\b/gi, ' will'],
  [/\b(it|that|there|here|what|who|he|she)['’]s\b/gi, '$1 is'],
  [/\b(?:(?:am|are|is|was|were) )?(?:not able|unable) to\b/gi, 'can not'],
  [/\b(?:from|von|de|dalle|с) (?=\d)(?=\S{1,8}(?: ?[ap]m)? (?:to|bis|à|a|alle|до) \d)/gi, ''],
  [/(?<=\d(?: ?[ap]m)?) (?:to|bis|à|a|alle|до|[-–]) (?=\d)/gi, '–'],
  // Two denials.
  [
    /\b(?:not|nicht) (?:im(?=possible|probable)|un(?=able|authori[sz]ed|available|common|likely|möglich|supported|usual)|in(?=correct|eligible|valid))/gi,
    '',
  ],
];

/**
 * A text with its digits as 0 to 9, thousands together, and words that have two spellings in one of them: `can't`, `not
 * impossible`, `4 p. m.`.
 */
export function inPlainWords(text: string): string {
  const western = westernDigits(text).replace(ENGLISH.test(text) ? THOUSANDS : ANY_THOUSANDS, (number) =>
    number.replace(/\D/g, ''),
  );
  return SPELLINGS.reduce((plain, [written, read]) => plain.replace(written, read), western);
}
