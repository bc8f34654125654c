import { MULTIPLES, unitNamed } from './lexicon.ts';

/** A figure's canonical text, the same for all its spellings. It works on digits only: no float, no locale, no time zone. */
export interface Figure {
  readonly kind: 'number' | 'date' | 'time' | 'id';
  readonly text: string;
}

/** The zeros of scripts with digits of their own. In Unicode the other nine follow each. */
const ZEROS = [...'٠۰०০੦૦୦௦౦೦൦๐໐၀០０'].map((zero) => zero.codePointAt(0) as number);
const WESTERN = new Map(
  ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, digit) => [String.fromCodePoint(zero + digit), String(digit)]),
  ),
);
WESTERN.set('٫', '.').set('٬', ',');
const NATIVE = new RegExp(`[${[...WESTERN.keys()].join('')}]`, 'gu');

/** A text with its digits as 0 to 9, from any script: `٣` and `३` become 3. */
export function westernDigits(text: string): string {
  return text.replace(NATIVE, (digit) => WESTERN.get(digit) as string);
}

const ORDINAL = /^(\d{1,2})(?:st|nd|rd|th|er|re|ème|º|ª)$/i;
/** `4.5k` */
const THOUSANDS = /^(\d+(?:\.\d+)?)k$/i;

/** A single number, also as `20th`; undefined for anything else. */
export function numberIn(text: string): string | undefined {
  const digits = ORDINAL.exec(text)?.[1] ?? text;
  const [, power, zeros] = POWER.exec(text) ?? [];
  if (power !== undefined) return times(power, 1n, Number(zeros));
  const [, thousands] = THOUSANDS.exec(text) ?? [];
  if (thousands !== undefined) return times(thousands, 1n, 3);
  return isNumber(digits) ? canonicalNumber(digits) : undefined;
}

/** `1e6` */
const POWER = /^(\d+(?:\.\d+)?)e\+?(\d\d?)$/;

const GLUED = /^(\d[\d.,]*)-?([a-z]+)$/;

/**
 * Reads a word that begins with a digit and is not just a number: a day, a time, a number with its unit, two numbers, or
 * else an id.
 */
export function figuresIn(text: string, { isDayFirst = false }: { readonly isDayFirst?: boolean } = {}): Figure[] {
  const folded = text.toLowerCase();
  const day = dayIn(folded, isDayFirst);
  if (day !== undefined) {
    const date: Figure = { kind: 'date', text: day.date };
    return day.time === undefined ? [date] : [date, { kind: 'time', text: day.time }];
  }
  const [, amount = '', suffix = ''] = GLUED.exec(folded) ?? [];
  const time = timeOfDay(suffix === 'am' || suffix === 'pm' ? `${amount}:00${suffix}` : folded);
  if (time !== undefined) return [{ kind: 'time', text: time }];
  const unit = unitNamed(suffix);
  // `1990s` are years.
  if (unit !== undefined && isNumber(amount) && !(suffix === 's' && amount.length > 3))
    return [{ kind: 'number', text: quantity(canonicalNumber(amount), unit) }];
  // `5-7 days` is `5 to 7 days`.
  const range = folded.split('-');
  const times = range.map(timeOfDay).filter((each) => each !== undefined);
  if (range.length === 2 && times.length === 2) return times.map((time) => ({ kind: 'time', text: time }));
  if (range.length !== 2 || !range.every(isNumber)) return [{ kind: 'id', text }];
  return range.map((part) => ({ kind: 'number', text: canonicalNumber(part) }));
}

/** `1200.5`, `1,200.5`, `1'200.5`, `1.200,5`, `1.200.000`, and `12,50`, which cannot be thousands. */
const NUMBER =
  /^(?:\d+(?:\.\d+)?|\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+,(?:\d\d?|\d{4,}))$/;

function isNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** `1,000.50` and `1.000,50` become `1000.5`. Leading zeros stay: `007` is a name, not a quantity. */
function canonicalNumber(text: string): string {
  const plain = hasDecimalComma(text)
    ? text.replaceAll('.', '').replace(',', '.')
    : text.split('.').length > 2
      ? text.replaceAll('.', '')
      : text.replace(/[,'’]/g, '');
  const [whole = '', decimals] = plain.split('.');
  if (decimals === undefined) return whole;
  // Three digits after a point may be thousands: `1.500` may be 1500, so it stays as written.
  if (decimals.length === 3 && plain === text) return text;
  const significant = withoutZerosAtEnd(decimals);
  return significant === '' ? whole : `${whole}.${significant}`;
}

function hasDecimalComma(text: string): boolean {
  const [point, comma] = [text.indexOf('.'), text.indexOf(',')];
  if (comma === -1 || comma !== text.lastIndexOf(',')) return false;
  return point === -1 ? text.length - comma - 1 !== 3 || text.startsWith('0,') : point < comma;
}

/** Without a pattern, which would start a search at each zero. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

const YEAR_FIRST = /^(\d{4})[-./年](\d{1,2})[-./月](\d{1,2})日?(?:t([\d:.]+z?))?$/;
const DAY_FIRST = /^(\d{1,2})[.-](\d{1,2})[.-](\d{4})$/;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

const WITH_ZONE = /^\d{4}-\d\d-\d\dt[\d:.]{5,15}[+-]\d\d:?\d\d$/;

/** A day in figures as `2024-05-20`, and the time after it. `5/6/2024` stays if it could be May or June. */
function dayIn(text: string, isDayFirst: boolean): { date: string; time: string | undefined } | undefined {
  const instant = WITH_ZONE.test(text) ? new Date(text.toUpperCase()) : undefined;
  if (instant !== undefined && !Number.isNaN(instant.valueOf()))
    return dayIn(instant.toISOString().toLowerCase(), isDayFirst);
  const [, year, month, day, clock] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) {
    const time = clock === undefined ? undefined : timeOfDay(clock);
    return isMonth(month) && isDay(day) ? { date: `${year}-${pad(month)}-${pad(day)}`, time } : undefined;
  }
  const [, first, second, last] = DAY_FIRST.exec(text) ?? [];
  if (first !== undefined) {
    return isDay(first) && isMonth(second)
      ? { date: `${last}-${pad(second)}-${pad(first)}`, time: undefined }
      : undefined;
  }
  const [, a, b, end] = SLASHED.exec(text) ?? [];
  if (a === undefined || !isDay(a) || !isDay(b) || (!isMonth(a) && !isMonth(b))) return undefined;
  if (!isMonth(a) || (isDayFirst && isMonth(b))) return { date: `${end}-${pad(b)}-${pad(a)}`, time: undefined };
  if (!isMonth(b)) return { date: `${end}-${pad(a)}-${pad(b)}`, time: undefined };
  return { date: `${Number(a)}/${Number(b)}/${end}`, time: undefined };
}

const CLOCK = /^(\d{1,2})[:h](\d{2})(?::(\d{2})(?:\.\d+)?)?(z|am|pm)?$/;

/** `7:00pm` becomes `19:00`; seconds are kept only if there are any. */
export function timeOfDay(text: string): string | undefined {
  const [, hours, minutes, seconds = '00', suffix = ''] = CLOCK.exec(text) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const isHalf = suffix === 'am' || suffix === 'pm';
  const hour = Number(hours);
  if (isHalf ? hour < 1 || hour > 12 : hour > 24) return undefined;
  const ofDay = isHalf ? (hour % 12) + (suffix === 'pm' ? 12 : 0) : hour;
  return `${pad(ofDay)}:${minutes}${seconds === '00' ? '' : `:${seconds}`}${suffix === 'z' ? 'Z' : ''}`;
}

export function isDay(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 31;
}

export function isMonth(text: string | undefined): text is string {
  return isDay(text) && Number(text) <= 12;
}

/** Two digits. */
export function pad(value: number | string): string {
  return String(Number(value)).padStart(2, '0');
}

/** A number with its unit, in the smallest unit of its family: `1.5` and km become `1500 m`; 25 and % become `0.25`. */
export function quantity(number: string, unit: string): string {
  const [, sign = '', digits] = /^([<>≤≥≠≈±-]*)(\d+(?:\.\d+)?)$/.exec(number) ?? [];
  const [factor, zeros, base] = (number.length > MAX_DIGITS ? undefined : MULTIPLES.get(unit)) ?? [1n, 0, unit];
  if (digits === undefined || base === unit) return `${number} ${unit}`;
  return `${sign}${times(digits, factor, zeros)} ${base}`.trim();
}

/** A canonical number with more zeros: `2.5` and 6 become `2500000`. */
export function scaled(number: string, zeros: number): string {
  return times(number, 1n, zeros);
}

/** Longer numbers are no quantities, and to multiply them takes long. */
const MAX_DIGITS = 40;

/** @param zeros that are added; negative: the point moves to the left */
function times(number: string, factor: bigint, zeros: number): string {
  const [whole = '', decimals = ''] = number.split('.');
  const digits = `${whole}${decimals}`.replace(/^0+(?=\d)/, '');
  const product = factor === 1n || digits.length > MAX_DIGITS ? digits : String(BigInt(digits) * factor);
  const point = decimals.length - zeros;
  if (point <= 0) return product + (product === '0' ? '' : '0'.repeat(-point));
  const padded = product.padStart(point + 1, '0');
  const rest = withoutZerosAtEnd(padded.slice(-point));
  return `${padded.slice(0, -point)}${rest === '' ? '' : `.${rest}`}`;
}
