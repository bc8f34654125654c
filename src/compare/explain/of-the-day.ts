import type { Clock } from '../steps/tree.ts';
import { replaceTokens, type Token } from '../values/volatile.ts';

/** The clocks of two runs; undefined if unknown. */
export type Clocks = readonly [recorded: Clock | undefined, replayed: Clock | undefined];

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Allowed between the clock when a prompt was made and the times in the trace. */
const SLACK = 5 * MINUTE;

/**
 * Whether two prompts differ only in values of the day: generated ids, and dates and times that are equally far from the
 * clock of their run on both sides. An edited date does not move with the clock, so it is another difference.
 *
 * run on 2026-01-05: "Today is Monday, January 5, 2026. Rules of 2024-05-01."
 * run on 2026-02-10: "Today is Tuesday, February 10, 2026. Rules of 2024-05-01." differs by the day
 *
 * @returns the first two values that differ; undefined if anything else differs, or nothing does
 */
export function differingByDay(a: string, b: string, clocks: Clocks): [string, string] | undefined {
  const [left, right] = [valuesIn(a), valuesIn(b)];
  if (left.rest !== right.rest || left.ids.length !== right.ids.length || left.moments.length !== right.moments.length)
    return undefined;
  const ids = left.ids.map(({ text, shape }, index) => [text, right.ids[index] as Token, shape] as const);
  const otherIds = ids.filter(([text, other]) => text !== other.text);
  if (otherIds.some(([text, other, shape]) => shape !== other.shape || !isOtherId(text, other.text, shape, clocks)))
    return undefined;
  const moments = left.moments.map((text, index) => [text, right.moments[index] as string] as const);
  const otherMoments = moments.filter(([text, other]) => text !== other);
  if (!otherMoments.every(([text, other]) => hasMoved(text, other, clocks))) return undefined;
  const [text, other] = otherMoments[0] ?? [otherIds[0]?.[0], otherIds[0]?.[1].text];
  return text === undefined || other === undefined ? undefined : [text, other];
}

/** A text split into values that may be of the day and the rest, with a mark in place of each value. */
interface Parts {
  readonly rest: string;
  readonly ids: readonly Token[];
  readonly moments: readonly string[];
}

function valuesIn(text: string): Parts {
  const ids: Token[] = [];
  const moments: string[] = [];
  const withoutIds = replaceTokens(text, (token) => {
    ids.push(token);
    return '\0';
  });
  const rest = withoutIds.replace(MOMENT, (moment) => {
    moments.push(moment);
    return '\x01';
  });
  return { rest, ids, moments };
}

/** Ids differ in every run. A date with a time must have moved with the clock. */
function isOtherId(a: string, b: string, shape: string, clocks: Clocks): boolean {
  return shape !== 'time' || areAsFar(timeOf(a), timeOf(b), clocks);
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAY = '(?:Sun|Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?)(?:day)?';
const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
/** A month in any language, between a day and a year or before both. Lengths are bounded because the engine's stack is. */
const IN_WORDS = [
  String.raw`(?:\p{L}{2,40}\.?,? )?\p{L}{3,40}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}`,
  String.raw`(?:\p{L}{2,40}\.?,? )?\d{1,2}(?:st|nd|rd|th|\.)? (?:de |of )?\p{L}{3,40}\.?(?: de)?,? \d{4}`,
];
/** `Request ID: 48213`: the label says that it differs each time. */
const LABELLED_ID =
  /\b(?:[Rr]equest|[Ss]ession|[Tt]race|[Rr]un|[Cc]orrelation|[Cc]onversation|[Tt]hread|[Mm]essage|[Ii]nvocation)[ _-]?(?:[Ii][Dd]|#)["']?\s*[:=]?\s*["']?(?=[\w-]{0,64}\d)[\w-]+/u;
const MOMENT = new RegExp(
  [
    ...IN_WORDS.map((each) => String.raw`(?<![\p{L}\d])${each}(?!\d)`),
    LABELLED_ID.source,
    String.raw`(?<!\d)\d{8}T\d{6}Z`,
    String.raw`(?<![\d./-])\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?![\d./-]\d)`,
    String.raw`(?<![\d./-])\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d)(?![\d./-]\d)`,
    String.raw`(?<![\d:])\d{1,2}:\d\d(?::\d\d)?(?: ?[APap]\.?[Mm]\b\.?)?(?![\d:])`,
    String.raw`(?<![\d.])\d{10}(?:\d{3})?(?![\d.]\d)`,
    String.raw`\b${WEEKDAY}\b`,
    String.raw`\b${MONTH}\b(?: \d{1,2}\b(?!:))?`,
    String.raw`(?<![\d.,-])20\d\d(?![\d.,-]\d)`,
  ].join('|'),
  'gu',
);

function hasMoved(a: string, b: string, clocks: Clocks): boolean {
  if (LABELLED_ID.test(a) && LABELLED_ID.test(b)) return true;
  const [left, right] = clocks;
  if (left === undefined || right === undefined) return false;
  const [instant, other] = [instantOf(a), instantOf(b)];
  if (instant !== undefined && other !== undefined) return areAsFar(instant, other, clocks);
  if (a.includes(':') && b.includes(':')) return areAsFar(timeOfDay(a), timeOfDay(b), clocks, DAY);
  const [days, others] = [distances(a, left), distances(b, right)];
  if (days !== undefined && others !== undefined) {
    // Depending on the agent's time zone, today may be yesterday or tomorrow.
    return days.some((day) => others.some((other) => day === other || (Math.abs(day) <= 1 && Math.abs(other) <= 1)));
  }
  return isOfOwnDay(a, left) && isOfOwnDay(b, right);
}

/** Of `20260105T100000Z`, or of seconds or milliseconds since 1970. */
function instantOf(text: string): number | undefined {
  if (/^\d{10}(?:\d{3})?$/.test(text)) return Number(text) * (text.length === 10 ? 1_000 : 1);
  return /^\d{8}T/.test(text) ? timeOf(text.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:')) : undefined;
}

function timeOf(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`);
}

/** Whether two moments are equally far from the start of their runs. @param every they come again after so much time */
function areAsFar(a: number, b: number, [left, right]: Clocks, every = Number.POSITIVE_INFINITY): boolean {
  if (left === undefined || right === undefined) return false;
  const took = Math.max(left.to - left.from, right.to - right.from);
  const apart = Math.abs(a - left.from - (b - right.from)) % every;
  return Math.min(apart, every - apart) <= SLACK + took;
}

/** In milliseconds since midnight, in whatever zone. */
function timeOfDay(text: string): number {
  const [, hours, minutes, half = ''] = /^(\d+):(\d+)(?::\d+)?(?: ?([ap]))?/i.exec(text) ?? [];
  const hour = half === '' ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0);
  return (hour * 60 + Number(minutes)) * MINUTE;
}

/** Days from the run to a date, one per reading of the date; undefined if it is not a whole date. */
function distances(text: string, { from }: Clock): number[] | undefined {
  const today = Math.floor(from / DAY);
  const days = datesIn(text).map((date) => date / DAY - today);
  return days.length === 0 ? undefined : days;
}

/** Dates that a text may mean, in milliseconds since 1970. An unknown month name may be any month. */
function datesIn(text: string): number[] {
  const [a = '', b = '', c = ''] = text.match(/\d+/g) ?? [];
  if (c !== '') {
    return a.length === 4 ? dated(a, b, c) : [...dated(c, b, a), ...dated(c, a, b)];
  }
  if (b.length !== 4) return [];
  const [, before = '', after = ''] =
    /(?<!\p{L})(?:(\p{L}{1,40})\.? \d+\p{L}{0,2},?|(\p{L}{1,40})\.?(?: de)?,?) \d{4}$/u.exec(text) ?? [];
  const month = MONTHS.indexOf((before || after).slice(0, 3).toLowerCase()) + 1;
  return MONTHS.flatMap((_, index) => (month === 0 || month === index + 1 ? dated(b, String(index + 1), a) : []));
}

function dated(year: string, month: string, day: string): number[] {
  const [y, m, d] = [year.length === 2 ? 2_000 + Number(year) : Number(year), Number(month), Number(day)];
  return m >= 1 && m <= 12 && d >= 1 && d <= 31 ? [Date.UTC(y, m - 1, d)] : [];
}

/** Whether a weekday, month or year is that of the run's own day, anywhere on earth. */
function isOfOwnDay(text: string, { from, to }: Clock): boolean {
  const days = [from - DAY, from, to + DAY].map((time) => new Date(time));
  // Three letters are enough to tell them apart.
  const [word = ''] = /^\p{L}{1,3}/u.exec(text.toLowerCase()) ?? [];
  if (word === '') return days.some((day) => String(day.getUTCFullYear()) === text);
  const weekday = WEEKDAYS.findIndex((name) => name.startsWith(word));
  if (weekday !== -1) return days.some((day) => day.getUTCDay() === weekday);
  const [, date] = /(?<!\d)(\d+)$/.exec(text) ?? [];
  return days.some(
    (day) => MONTHS[day.getUTCMonth()] === word && (date === undefined || day.getUTCDate() === Number(date)),
  );
}
