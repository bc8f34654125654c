import { CONJUNCTIONS } from '../text/lexicon.ts';

/** Changes a text in all ways of a kind; none if it holds nothing that can be changed so. */
type OtherTexts = (text: string) => readonly string[];

/** Languages whose words are not listed are left alone. */
const NOT = /(?<=\bcan)not\b|n['’]t\b|\s(?:not|nicht|pas|niet|inte|ikke)\b|\b(?:no|non|não)\s/i;
const CLAIM = /\b(?:is|are|was|were|has|have|can|will|must|should)(?=\s(?!not\b|no\b|only\b|just\b))/i;
/** What numbers the items of a list, or a number, a date, a time of day. */
const FIGURE = /(?<=^[ \t>]{0,9})\d{1,3}[.)](?=\s)|\d+(?:[.,:/-]\d+)*/gm;

/** What an answer can say instead, in its own words, and whether that always counts by the default rules. */
export const OTHER_TEXTS: readonly [name: string, change: OtherTexts, counts: boolean][] = [
  ['another number', onFigures((figure) => figure.slice(0, -1) + ((Number(figure.at(-1)) + 1) % 10)), true],
  ['ten times a number', onFigures((figure) => figure.replace(/^[1-9]\d*$/, '$&0')), true],
  ['month and day exchanged', onFigures((figure) => figure.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$1-$3-$2')), true],
  ['another half of the day', replacing(/(?<=\d\s?)[ap](?=\.?m\b)/i, (half) => (/p/i.test(half) ? 'a' : 'p')), true],
  ['two figures exchanged', withFiguresExchanged, true],
  ['a "not" more', replacing(CLAIM, (verb) => `${verb} not`), true],
  ['a "not" less', replacing(NOT, () => ''), true],
  ['a sentence left out', withoutSentence, false],
];

/** Replaces the first of these parts. */
export function replacing(part: RegExp, by: (part: string) => string): OtherTexts {
  return (text) => [text.replace(part, by)].filter((other) => other !== text);
}

function figuresIn(text: string): RegExpMatchArray[] {
  return [...text.matchAll(FIGURE)].filter(([figure]) => !/[.)]$/.test(figure));
}

function onFigures(change: (figure: string) => string): OtherTexts {
  return (text) =>
    figuresIn(text)
      .map((found) => put(text, found, change(found[0])))
      .filter((other) => other !== text);
}

function put(text: string, { 0: part, index = 0 }: RegExpMatchArray, by: string): string {
  return text.slice(0, index) + by + text.slice(index + part.length);
}

/** Not those of a list, which has no order. */
function withFiguresExchanged(text: string): string[] {
  const [one, ...others] = figuresIn(text);
  const isApart = ({ index = 0 }: RegExpMatchArray) =>
    (text.slice(one?.index, index).match(/\p{L}+/gu) ?? []).some((word) => !CONJUNCTIONS.has(word.toLowerCase()));
  const other = others.find((each) => each[0] !== one?.[0] && isApart(each));
  return one === undefined || other === undefined ? [] : [put(put(text, other, one[0]), one, other[0])];
}

/** The longest one: of the others one may be a greeting. */
export function withoutSentence(text: string): string[] {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)].map(
    ({ segment }) => segment,
  );
  const longest = sentences.reduce((a, b) => (b.length > a.length ? b : a), '');
  return sentences.length < 2 ? [] : [text.replace(longest, () => '').trim()];
}
