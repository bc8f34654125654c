import { type Difference, placesOf, quote, quotes, type TurnComparison } from '../../compare/index.ts';
import { isRawNumber, pointerParts } from '../../json/index.ts';
import { counted, percent } from '../../text/index.ts';
import { changedPart } from './changed-words.ts';

/** What every output says of a difference, in the same words. The texts are not yet safe to print: see untrusted.ts. */

export type Divergence = NonNullable<TurnComparison['divergence']>;
export type Cause = Divergence['cause'];
type Value = Difference['recorded'];

/** Longest value inside a sentence, in characters. */
const MAX_QUOTED = 80;
/** Other ways of one place that are named. */
const MAX_WAYS = 3;

/** A difference as a row: where it is, what was recorded there, and what replays do. */
export interface Told {
  /** `book.train`, `answer`; empty if the tools themselves differ. */
  readonly place: string;
  readonly was: string;
  readonly now: string;
}

const NOT_CALLED = 'not called';
/** Before what some replays call in its place. */
const OR_OTHER = `${NOT_CALLED}, or `;

/** `{ place: 'book.train', was: 'R605', now: 'R601, R609' }` */
export function toldOf(difference: Difference & Partial<Pick<Divergence, 'ways' | 'moreWays'>>): Told {
  const { kind, tool = '', change, recorded, replayed } = difference;
  const place = placeWords(difference);
  switch (kind) {
    case 'call-name':
      return { place, was: String(recorded), now: waysOf(difference) ?? String(replayed) };
    case 'call-missing':
      return { place, was: tool, now: waysOf(difference) ?? NOT_CALLED };
    case 'call-extra':
      return { place, was: NOT_CALLED, now: `${tool}${(difference.ways ?? []).length > 1 ? '' : argsOf(replayed)}` };
    case 'call-retry':
      return replayed === undefined
        ? { place, was: `${tool} again`, now: 'not called again' }
        : { place, was: 'not called again', now: `${tool} again` };
    case 'call-order':
      return { place, was: tool, now: 'at another place' };
    default: {
      const [was, now] = valuesOf(difference);
      const others = change === undefined || change === 'value' ? waysOf(difference) : undefined;
      return { place, was, now: others ?? now };
    }
  }
}

/** A difference in a few words: `create_ticket instead of refund_order`, `book.train: R605 → R601, R609`. */
export function whatOf(difference: Parameters<typeof toldOf>[0]): string {
  const { kind, tool, text } = difference;
  const { place, was, now } = toldOf(difference);
  switch (kind) {
    case 'call-name':
      return now.startsWith(OR_OTHER) ? `${was} is ${NOT_CALLED}` : `${now} instead of ${was}`;
    case 'call-missing':
      return `${tool} is not called`;
    case 'call-extra':
      return `one more call: ${now}`;
    case 'call-retry':
      return difference.replayed === undefined ? `${tool} is not called again` : `${tool} is called again`;
    case 'call-order':
      return `${tool} is called at another place`;
    default: {
      const because = text && REASONS[text.because];
      return `${place}: ${was} → ${now}${because === undefined ? '' : ` (${because})`}`;
    }
  }
}

/** `step 3: create_ticket instead of refund_order` */
export function whereAndWhat(difference: Parameters<typeof toldOf>[0]): string {
  return `step ${stepOf(difference)}: ${whatOf(difference)}`;
}

export function stepOf({ recordedStep, replayedStep }: Difference): number | null {
  return recordedStep ?? replayedStep;
}

/** `in 4 of 5 runs, in 2 different ways (1 as recorded)` */
export function howOften({ runs, of, ways, moreWays }: Divergence, { figures }: TurnComparison): string {
  const different = ways.length + moreWays;
  const { asRecorded, minor } = figures;
  const otherwise = of - asRecorded - runs;
  const besides = [
    ...(asRecorded > 0
      ? [`${asRecorded} as recorded${minor > 0 ? `, ${minor} of them with minor differences` : ''}`]
      : []),
    ...(otherwise > 0 ? [counted(otherwise, 'differs elsewhere', 'differ elsewhere')] : []),
  ];
  return [
    `in ${runs} of ${counted(of, 'run')}`,
    ...(different > 1 ? [`, in ${different} different ways`] : []),
    ...(besides.length > 0 ? [` (${besides.join(', ')})`] : []),
  ].join('');
}

/** `Cause: agent (the system prompt differs at line 5).` @param isShown a changed line is shown beside it */
function whyOf({ kind, detail, line }: Cause, isShown = false): string {
  return `Cause: ${kind} (${isShown && line !== undefined ? `its ${line.of} differs at line ${line.number}` : detail}).`;
}

/** The difference, how often, and why. */
function mainWords(divergence: Divergence, comparison: TurnComparison, isLineShown = false): string {
  return `${whereAndWhat(divergence)} ${howOften(divergence, comparison)}. ${whyOf(divergence.cause, isLineShown)}`;
}

/** What else is to be said of a divergence, in sentences. */
export function furtherWords(divergence: Divergence): string[] {
  const { missed, others, inNone = [], of } = divergence;
  return [
    ...(inNone.length > 0 ? [`In none of ${of} replays: ${inNone.slice(0, MAX_WAYS).join(', ')}.`] : []),
    ...missedCall(missed),
    ...besides(others),
  ];
}

/** All of it in one paragraph. @param of the divergence of one behaviour instead of the turn's */
export function divergenceWords(
  comparison: TurnComparison,
  { of = comparison.divergence, isLineShown = false }: { of?: Divergence | null; isLineShown?: boolean } = {},
): string {
  if (of === null) return '';
  const { agreement } = comparison.figures;
  return [
    mainWords(of, comparison, isLineShown),
    ...furtherWords(of),
    ...(agreement === null ? [] : [`Replays agree with each other ${percent(agreement)}.`]),
  ].join(' ');
}

/** About a call that got no answer, because the recording does not hold it. */
function missedCall(missed: Difference['missed']): string[] {
  if (missed === undefined) return [];
  const { name, nearest } = missed;
  const said = 'The recording does not hold this call, so the replay ended there';
  if (nearest === undefined) return [`${said}; no call of ${name} is recorded.`];
  if (nearest.isSame) return [`${said}; the same call at recorded step ${nearest.step} was made before.`];
  const args = nearest.args === null ? '' : ` with ${quote(nearest.args, MAX_QUOTED)}`;
  return [`${said}; the nearest one is recorded step ${nearest.step}${args}.`];
}

/** Other differences that are told in full. */
const MAX_BESIDES = 3;

/** Other differences that count, those not caused by the environment first: `Besides, step 4: close is not called. Cause: …` */
function besides(others: Divergence['others']): string[] {
  const isOwn = ({ cause }: Divergence['others'][number]) => cause.kind !== 'environment';
  const told = [...others.filter(isOwn), ...others.filter((each) => !isOwn(each))];
  const sentences = told.slice(0, MAX_BESIDES).map((each) => `Besides, ${whereAndWhat(each)}. ${whyOf(each.cause)}`);
  const left = told.length - sentences.length;
  return left > 0 ? [...sentences, `And ${counted(left, 'more that counts', 'more that count')}.`] : sentences;
}

/** `create_replacement.warehouse`, `result of search[0].price`, `answer`, `answer (Insurance)` */
function placeWords(difference: Difference): string {
  const { kind, tool, pointer = '' } = difference;
  const path = pointerParts(pointer)
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('');
  switch (kind) {
    case 'argument':
      return `${tool}${path}`;
    case 'result':
      return `result of ${tool}${path}`;
    case 'final-structure':
      return `answer${path}`;
    case 'final-text':
      return `answer${labelOf(difference)}`;
    case 'error':
      return tool === undefined ? 'error' : `outcome of ${tool}`;
    case 'end':
      return 'end of the turn';
    case 'text':
      return 'text in between';
    case 'format':
      return 'layout';
    default:
      return '';
  }
}

/** What two texts say differently, where their words do not show it. */
const REASONS: Partial<Record<NonNullable<Difference['text']>['because'], string>> = {
  exchange: 'two words have swapped places',
  refusal: 'only one of them refuses',
  'cut-off': 'it stops mid-sentence',
  topic: 'almost no words in common',
  judge: 'compare.judge says that it means something else',
};

/** What stands before a figure as its label: `Insurance` of `Insurance: 240.10`, `lamp` of `| lamp | 5 EUR |`. */
const LABEL = /(?:^|[\n.;,|•*-])[ \t]{0,4}([^\s.;,|:=\d][^\n.;,|:=\d]{0,38})[ \t*]{0,4}(?:[:=]|\|)[ \t*$€£]{0,4}$/u;

function labelOf({ recorded, replayed, text }: Difference): string {
  if (text?.because !== 'form' || typeof recorded !== 'string' || typeof replayed !== 'string') return '';
  const [at] = placesOf(text, recorded, replayed);
  const [, label] = LABEL.exec(recorded.slice(Math.max(0, (at ?? 0) - MAX_QUOTED), at ?? 0)) ?? [];
  return label === undefined ? '' : ` (${label.trim()})`;
}

/** Both sides: of texts that share words, the changed ones with what they need around them. */
function valuesOf({ recorded, replayed, text, severity }: Difference): [string, string] {
  if (typeof recorded !== 'string' || typeof replayed !== 'string')
    return [valueWords(recorded, replayed, 0), valueWords(recorded, replayed, 1)];
  // Who judges whether other words mean the same needs the sentence.
  if (severity === 'wording') return quotes(recorded, replayed, MAX_QUOTED);
  const places = text && placesOf(text, recorded, replayed);
  const part =
    text && REASONS[text.because] !== undefined ? undefined : changedPart(recorded, replayed, MAX_QUOTED, places);
  const sides = part?.map(cellOf) ?? [recorded, replayed];
  if (sides.every(isPlain)) return sides as [string, string];
  return part === undefined ? quotes(recorded, replayed, MAX_QUOTED, places) : quotes(...part, MAX_QUOTED);
}

/** A part of a text without the bars of the table around it: `40` of `40 |`. */
function cellOf(part: string): string {
  return /^[ |]{0,9}(\S(?:.*[^ |])?)[ |]{0,9}$/su.exec(part)?.[1] ?? part;
}

/** One of two values that are not both texts. */
function valueWords(recorded: Value, replayed: Value, side: 0 | 1): string {
  const value = [recorded, replayed][side];
  if (value === undefined) return 'none';
  const isAlone = recorded === undefined || replayed === undefined;
  return isAlone && typeof value === 'string' && isPlain(value) ? value : quotes(recorded, replayed, MAX_QUOTED)[side];
}

/** A word, or a value with its unit: it needs no quotation marks. */
function isPlain(text: string): boolean {
  return (
    /^[\p{L}\p{N}_.,:€$£%/+-]{1,60}$/u.test(text) ||
    /^(?=.*\d)[\p{L}\p{N}.,:€$£%]{1,20}(?: [\p{L}\p{N}.,:€$£%]{1,20}){1,4}$/u.test(text)
  );
}

/** `R601, R609`, `not called, or get_customer`; undefined if there is one way only, or they are too long for a line. */
function waysOf({ kind, ways = [], moreWays = 0 }: Parameters<typeof toldOf>[0]): string | undefined {
  if (ways.length < 2) return undefined;
  const areCalls = kind === 'call-name' || kind === 'call-missing';
  const told = areCalls ? ways.filter(({ replayed }) => replayed) : ways;
  const shown = told.slice(0, MAX_WAYS).map(({ replayed }) => shortOf(replayed));
  if (shown.includes(undefined)) return undefined;
  const left = told.length + moreWays - shown.length;
  const named = [...shown, ...(left > 0 ? [`${left} more`] : [])];
  if (!areCalls) return named.join(', ');
  const calls = named.join(' or ');
  if (told.length === ways.length) return calls;
  return calls === '' ? NOT_CALLED : OR_OTHER + calls;
}

const MAX_WAY = 24;

function shortOf(value: Value): string | undefined {
  if (value === undefined) return 'none';
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) return undefined;
  const text = typeof value === 'string' && isPlain(value) ? value : quote(value, MAX_QUOTED);
  return text.length > MAX_WAY ? undefined : text;
}

function argsOf(call: Value): string {
  const args =
    typeof call === 'object' && call !== null && !Array.isArray(call) && !isRawNumber(call) ? call.args : undefined;
  return args === undefined || args === null ? '' : ` with ${quote(args, MAX_QUOTED)}`;
}
