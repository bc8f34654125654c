import { counted, percent } from '../counted.ts';
import type { Json } from '../json/index.ts';
import { quote, quotes } from './excerpt.ts';
import type { Cause, CountedDifference, Difference, Divergence } from './result.ts';
import { inWords, placesOf } from './text/told.ts';

/** Longest value inside a sentence, in characters. */
const MAX_QUOTED = 80;

export interface Told {
  readonly turn: number;
  readonly difference: Difference;
  readonly cause: Cause;
  /** Other differences that count, each with its own cause. */
  readonly others: readonly CountedDifference[];
  /** Runs that leave the recording at this place, however they continue. */
  readonly runs: number;
  /** Those of them that differ there in another way. */
  readonly otherwise: number;
  /** Conclusive runs. */
  readonly of: number;
  readonly asRecorded: number;
  /** Those of them with minor differences. */
  readonly minor: number;
  readonly agreement: number | null;
  readonly earlier: Divergence['earlier'];
  readonly meetsAgainAt: number | null;
}

/** A difference in words: `step 3: answer: recorded "Done.", replayed "All done."` */
export function whereAndWhat(difference: Difference): string {
  return `step ${stepOf(difference)}: ${whatDiffers(difference)}`;
}

/** The whole divergence in one paragraph: what, where, how often, why. */
export function sentenceFor(told: Told): string {
  const { turn, difference, cause, others, agreement, earlier, meetsAgainAt } = told;
  const step = stepOf(difference);
  const parts = [
    `turn ${turn}, step ${step}: ${whatDiffers(difference)} ${howOften(told)}.`,
    ...missedCall(difference),
    `Cause: ${cause.kind} (${cause.detail}).`,
    ...besides(others),
  ];
  if (agreement !== null) parts.push(`Replays agree with each other ${percent(agreement)}.`);
  const lesser = (['minor', 'wording', 'noise'] as const).flatMap((severity) => {
    const count = earlier[severity];
    return count === undefined ? [] : [counted(count, `${severity} difference`)];
  });
  if (lesser.length > 0) parts.push(`Earlier: ${lesser.join(', ')}.`);
  if (meetsAgainAt !== null)
    parts.push(`Runs meet again at ${difference.recordedStep === null ? 'recorded ' : ''}step ${meetsAgainAt}.`);
  return parts.join(' ');
}

/** About a call that got no answer, because the recording does not hold it. */
function missedCall({ missed }: Difference): string[] {
  if (missed === undefined) return [];
  const { name, nearest } = missed;
  const said = 'The recording does not hold this call: the replay ended there';
  if (nearest === undefined) return [`${said}; no call of ${name} is recorded.`];
  if (nearest.isSame) return [`${said}; the same call at recorded step ${nearest.step} was made before.`];
  const args = nearest.args === null ? '' : ` with ${quote(nearest.args, MAX_QUOTED)}`;
  return [`${said}; the nearest one is recorded step ${nearest.step}${args}.`];
}

/** Other differences that are told in full. */
const MAX_BESIDES = 3;

/** Other differences that count, those not caused by the environment first: `Besides, step 4: another tool: ... Cause: ...`. */
function besides(others: readonly CountedDifference[]): string[] {
  const isOwn = ({ cause }: CountedDifference) => cause.kind !== 'environment';
  const told = [...others.filter(isOwn), ...others.filter((each) => !isOwn(each))];
  const sentences = told
    .slice(0, MAX_BESIDES)
    .map(
      (each) =>
        `Besides, step ${stepOf(each)}: ${whatDiffers(each)}. Cause: ${each.cause.kind} (${each.cause.detail}).`,
    );
  const left = told.length - sentences.length;
  return left > 0 ? [...sentences, `And ${left} more that ${left === 1 ? 'counts' : 'count'}.`] : sentences;
}

function stepOf({ recordedStep, replayedStep }: Difference): number | null {
  return recordedStep ?? replayedStep;
}

/** `in 4 of 5 runs, 1 of them otherwise (1 of 5 as recorded)` */
function howOften({ runs, otherwise, of, asRecorded, minor }: Told): string {
  const others = otherwise > 0 ? `, ${otherwise} of them otherwise` : '';
  const lesser = minor > 0 ? `, ${minor} of them with minor differences` : '';
  const share = asRecorded > 0 ? ` (${asRecorded} of ${of} as recorded${lesser})` : '';
  return `in ${runs} of ${counted(of, 'run')}${others}${share}`;
}

/** The difference, with both sides. */
function whatDiffers({ kind, tool, pointer, change, recorded, replayed, text }: Difference): string {
  const said = text !== undefined && typeof recorded === 'string' && typeof replayed === 'string' ? text : undefined;
  const places = said && placesOf(said, recorded as string, replayed as string);
  const [was, is] = quotes(recorded, replayed, MAX_QUOTED, places);
  const form = said && inWords(said, recorded as string, replayed as string);
  const both = `recorded ${was}, replayed ${is}`;
  const sides = form === undefined ? both : `${form} (${both})`;
  const place = pointer ? ` ${pointer}` : '';
  const atPlace = { value: `: ${sides}`, added: ` was added: ${is}`, removed: ` is gone: recorded ${was}` };
  const changed = change === 'type' ? ` has another type: ${sides}` : atPlace[change ?? 'value'];
  switch (kind) {
    case 'error': {
      const whose = tool === undefined ? '' : ` of ${tool}`;
      if (recorded === undefined) return `an error${whose} that was not recorded: ${is}`;
      if (replayed === undefined) return `an error${whose} is gone: ${was}`;
      return `${tool === undefined ? 'the error' : `the outcome${whose}`}: ${sides}`;
    }
    case 'end':
      if (recorded === undefined) return `the turn ends in another way: ${is}`;
      return replayed === undefined ? `the turn no longer ends with ${was}` : `the end: ${sides}`;
    case 'call-name':
      return `another tool: recorded ${recorded}, replayed ${replayed}`;
    case 'call-missing':
      return `call of ${tool} is missing`;
    case 'call-extra':
      return `extra call of ${tool}${argsOf(replayed)}`;
    case 'call-retry':
      return replayed === undefined ? `repeated call of ${tool} is missing` : `call of ${tool} is repeated`;
    case 'call-order':
      return `call of ${tool} comes at another place`;
    case 'argument':
    case 'result':
      return `${kind}${place} of ${tool}${changed}`;
    case 'final-structure':
      return `answer${place}${changed}`;
    case 'final-text':
      return `answer: ${sides}`;
    case 'text':
      return `intermediate text: ${sides}`;
    case 'format':
      return `layout: ${sides}`;
  }
}

function argsOf(call: Json | undefined): string {
  const args = typeof call === 'object' && call !== null && !Array.isArray(call) ? call.args : undefined;
  return args === undefined || args === null ? '' : ` with ${quote(args, MAX_QUOTED)}`;
}
