import { AMBIGUOUS_NUMERALS, MULTIPLES, unitNamed } from './lexicon.ts';
import type { Text } from './text.ts';
import type { Token } from './tokens.ts';

/** More figures that differ are no other spelling. */
const MAX_FIGURES = 20;
/** Longest quantity in figures and words: `one hour, twenty-five and a half minutes`. */
const MAX_ATOMS = 6;
/** Words between them: `a quarter of an hour`, `half past ten`. */
const MAX_WORDS_BETWEEN = 2;
/** Readings of one quantity that are followed. */
const MAX_READINGS = 32;

/** A number of some unit; of none: ''. */
interface Amount {
  readonly number: number;
  readonly unit: string;
}

/** A figure, or a word that may be one: a unit is one of it, a numeral its number. */
interface Atom {
  readonly readings: readonly Amount[];
  readonly start: number;
  readonly end: number;
  /** Index among the tokens. */
  readonly at: number;
}

interface Quantity {
  readonly readings: readonly Amount[];
  readonly start: number;
  readonly end: number;
}

/**
 * The recorded text with its quantities in the replay's words, wherever both state the same in other figures, words or
 * units; undefined if there are none. It computes and knows no grammar, so that it takes some for the same that are not
 * (`3 and a half`, `3 halves`): what it finds is never more than other words.
 *
 * recorded "It takes a quarter of an hour, until half past ten."
 * replayed "It takes 15 minutes, until 10:30."
 */
export function inWordsOf(replayed: Text, recorded: Text): string | undefined {
  const [ours, theirs] = [recorded.tokens, replayed.tokens];
  const [lost, won] = [figuresWithout(ours, theirs), figuresWithout(theirs, ours)];
  if (lost.length + won.length === 0 || lost.length + won.length > MAX_FIGURES) return undefined;
  const areWorded = ours.filter(isWord).length !== theirs.filter(isWord).length;
  const [units, others] = [unitsAhead(ours), unitsAhead(theirs)];
  const replacements: (Quantity & { readonly text: string })[] = [];
  const isFree = ({ start, end }: Quantity) => replacements.every((each) => end <= each.start || start >= each.end);
  const said = quantitiesIn(ours, new Set(lost), units);
  for (const token of won) {
    const found = said.find((each) => isFree(each) && areOne(each.readings, readingsOf(token, others), areWorded));
    if (found !== undefined) replacements.push({ ...found, text: replayed.lines.slice(token.start, token.end) });
  }
  const answered = quantitiesIn(theirs, new Set(won), others);
  for (const token of lost) {
    const own = { readings: readingsOf(token, units), start: token.start, end: token.end };
    const found = isFree(own) ? answered.find((each) => areOne(own.readings, each.readings, areWorded)) : undefined;
    if (found !== undefined) replacements.push({ ...own, text: replayed.lines.slice(found.start, found.end) });
  }
  if (replacements.length === 0) return undefined;
  return replacements
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: other }) => text.slice(0, start) + other + text.slice(end), recorded.lines);
}

function figuresWithout(tokens: readonly Token[], others: readonly Token[]): Token[] {
  const said = new Set(others.map(({ text }) => text));
  return tokens.filter((token) => isFigure(token) && !said.has(token.text));
}

function isFigure({ kind }: Token): boolean {
  return kind === 'number' || kind === 'time';
}

function isWord({ kind }: Token): boolean {
  return kind === 'word' || kind === 'character';
}

/** Each run of atoms that may be one quantity, the longest first. @param free figures that the other text does not state */
function quantitiesIn(
  tokens: readonly Token[],
  free: ReadonlySet<Token>,
  units: ReadonlyMap<string, number>,
): Quantity[] {
  const quantities: (Quantity & { readonly atoms: number })[] = [];
  const atoms = atomsIn(tokens, free, units);
  for (const [index, first] of atoms.entries()) {
    // Half of `two dozen` is no quantity.
    if (wordsBetween(tokens, atoms[index - 1], first) === 0) continue;
    let readings = first.readings;
    for (let length = 1; length <= MAX_ATOMS; length++) {
      const [last, next] = [atoms[index + length - 1] as Atom, atoms[index + length]];
      const words = wordsBetween(tokens, last, next);
      if (words !== 0) quantities.push({ readings, start: first.start, end: last.end, atoms: length });
      if (next === undefined || words > MAX_WORDS_BETWEEN) break;
      readings = together(readings, next.readings);
    }
  }
  return quantities.sort((a, b) => b.atoms - a.atoms);
}

/** Infinity where more than words stands between two atoms. */
function wordsBetween(tokens: readonly Token[], from: Atom | undefined, to: Atom | undefined): number {
  if (from === undefined || to === undefined || to.at - from.at > MAX_WORDS_BETWEEN + 1)
    return Number.POSITIVE_INFINITY;
  const between = tokens.slice(from.at + 1, to.at);
  const isOne = tokens.slice(from.at + 1, to.at + 1).every(({ isNext }) => isNext);
  return isOne && between.every(isWord) ? between.length : Number.POSITIVE_INFINITY;
}

function atomsIn(tokens: readonly Token[], free: ReadonlySet<Token>, units: ReadonlyMap<string, number>): Atom[] {
  return tokens.flatMap((token, at) => {
    const { start, end } = token;
    const readings = isFigure(token)
      ? free.has(token)
        ? readingsOf(token, units)
        : []
      : isWord(token)
        ? wordReadings(token.text)
        : [];
    return readings.length === 0 ? [] : [{ readings, start, end, at }];
  });
}

function wordReadings(word: string): Amount[] {
  const unit = word.length > 1 || /\p{Lo}/u.test(word) ? unitNamed(word) : undefined;
  const number = AMBIGUOUS_NUMERALS.get(word);
  return [
    ...(unit === undefined ? [] : [{ number: 1, unit }]),
    ...(number === undefined ? [] : [{ number: Number(number), unit: '' }]),
  ];
}

/** Units that may be those of later figures without one, and where they first stand: apart, as in the head of a column, or a currency. */
function unitsAhead(tokens: readonly Token[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { kind, text, written = text, start } of tokens) {
    const [, currency] = / ([A-Z]{3})$/.exec(kind === 'number' ? written : '') ?? [];
    const unit = currency ?? (kind === 'word' && text.length > 1 ? unitNamed(text) : undefined);
    if (unit !== undefined && !found.has(unit)) found.set(unit, start);
  }
  return found;
}

/** A dot or comma before three digits may be one of thousands. */
function readingsOf({ kind, text, written = text, start }: Token, units: ReadonlyMap<string, number>): Amount[] {
  if (kind === 'time') {
    const [hours = 0, minutes = 0, seconds = 0] = text.replace('Z', '').split(':').map(Number);
    return [{ number: hours + minutes / 60 + seconds / 3600, unit: 'hour' }];
  }
  const [, digits, unit = ''] = QUANTITY.exec(written) ?? [];
  if (digits === undefined) return [];
  // No price has three decimals.
  const isPlain = unit !== '' && !/^[A-Z]{3}$/.test(unit);
  const isWhole = /^[1-9]\d{0,2}\.\d{3}$/.test(digits);
  const numbers = [...(isWhole && !isPlain ? [] : [Number(digits)]), ...(isWhole ? [Number(digits) * 1000] : [])];
  if (unit !== '') return numbers.map((number) => ({ number, unit }));
  const [, hours, minutes = ''] = CLOCK.exec(digits) ?? [];
  const time = hours && { number: Number(hours) + Number(minutes.padEnd(2, '0')) / 60, unit: 'hour' };
  const ahead = [...units].flatMap(([each, at]) => (at < start ? [each] : []));
  return [
    ...['', ...ahead].flatMap((each) => numbers.map((number) => ({ number, unit: each }))),
    ...(time ? [time] : []),
  ];
}

/** `20.30`, of which the last zero is gone */
const CLOCK = /^(1?\d|2[0-3])\.([0-5]\d?)$/;

/** A number that a double holds, with its unit. `007` is a name. */
const QUANTITY = /^((?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)(?: (\S+))?$/;

/** What two neighbours may be in one: `three and a half`, `two thousand`, `three quarters`, `half an hour`, `a quarter to nine`. */
function together(some: readonly Amount[], more: readonly Amount[]): Amount[] {
  const all = some.flatMap((a) =>
    more.flatMap((b): Amount[] => {
      if (a.unit !== '' && b.unit !== '') {
        const [x, y] = [inBase(a), inBase(b)];
        return x.unit === y.unit ? [{ number: x.number + y.number, unit: x.unit }] : [];
      }
      const unit = a.unit || b.unit;
      const numbers = [a.number * b.number, a.number + b.number, ...(a.number < 1 ? [b.number - a.number] : [])];
      return numbers.map((number) => ({ number, unit }));
    }),
  );
  return all.slice(0, MAX_READINGS);
}

/** @param areWorded words may tell the half of the day */
function areOne(some: readonly Amount[], others: readonly Amount[], areWorded: boolean): boolean {
  return some.some((a) => others.some((b) => isOne(a, b) || isOneHour(a, b, areWorded) || isOneHour(b, a, areWorded)));
}

function isOne(a: Amount, b: Amount): boolean {
  const [x, y] = [inBase(a), inBase(b)];
  return x.unit === y.unit && Math.abs(x.number - y.number) <= Number.EPSILON * 8 * Math.abs(x.number);
}

/** `8` or, in words, `8 in the evening`, and `20:00`. */
function isOneHour(a: Amount, b: Amount, areWorded: boolean): boolean {
  const hours = inBase(b);
  if (hours.unit !== 'second' || (a.unit !== '' && a.unit !== 'hour') || a.number > 24) return false;
  const hour = hours.number / 3600;
  return a.number === hour || (areWorded && a.number <= 12 && a.number + 12 === hour);
}

function inBase({ number, unit }: Amount): Amount {
  const [factor, zeros, base] = MULTIPLES.get(unit) ?? [1n, 0, unit];
  return { number: number * Number(factor) * 10 ** zeros, unit: base };
}
