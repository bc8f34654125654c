import type { Json } from '../contract/index.ts';
import type { Cause, CountedDifference, Difference, Divergence, Severity } from './result.ts';
import { canonical } from './values/canonical.ts';

/** Longest value inside a sentence, in characters. */
const MAX_QUOTED = 80;

interface Told {
  readonly turn: number;
  readonly difference: Difference;
  readonly cause: Cause;
  readonly others: readonly CountedDifference[];
  readonly runs: number;
  readonly of: number;
  readonly asRecorded: number;
  readonly agreement: number | null;
  readonly earlier: Divergence['earlier'];
  readonly meetsAgainAt: number | null;
}

/** The whole divergence in one paragraph: what, where, how often, why. */
export function sentenceFor(told: Told): string {
  const { turn, difference, cause, others, runs, of, asRecorded, agreement, earlier, meetsAgainAt } = told;
  const step = stepOf(difference);
  const share = asRecorded > 0 ? ` (${asRecorded} of ${of} as recorded)` : '';
  const parts = [
    `turn ${turn}, step ${step}: ${whatDiffers(difference)} in ${runs} of ${of} ${of === 1 ? 'run' : 'runs'}${share}.`,
    `Cause: ${cause.kind} (${cause.detail}).`,
    ...besides(others),
  ];
  if (agreement !== null) parts.push(`Replays agree with each other ${Math.floor(agreement * 100)} %.`);
  const lesser = (['minor', 'wording', 'noise'] as const).flatMap((severity) => counted(earlier[severity], severity));
  if (lesser.length > 0) parts.push(`Earlier: ${lesser.join(', ')}.`);
  if (meetsAgainAt !== null)
    parts.push(`Runs meet again at ${difference.recordedStep === null ? 'recorded ' : ''}step ${meetsAgainAt}.`);
  return parts.join(' ');
}

/** Other things that count, told in full. */
const MAX_BESIDES = 3;

/** What else counts, first what is not of the environment: `Besides, step 4: another tool: ... Cause: ...`. */
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

function counted(count: number | undefined, severity: Severity): string[] {
  return count === undefined ? [] : [`${count} ${severity} ${count === 1 ? 'difference' : 'differences'}`];
}

/** What differs, both sides named. */
function whatDiffers({ kind, tool, pointer, change, recorded, replayed }: Difference): string {
  const sides = `recorded ${quoted(recorded)}, replayed ${quoted(replayed)}`;
  const place = pointer ? ` ${pointer}` : '';
  switch (kind) {
    case 'error':
      return recorded === undefined || replayed === undefined
        ? `${tool === undefined ? 'an error' : `an error of ${tool}`} ${recorded === undefined ? 'that was not recorded' : 'is gone'}: ${quoted(recorded ?? replayed)}`
        : `${tool === undefined ? 'the error' : `the outcome of ${tool}`}: ${sides}`;
    case 'end':
      return recorded === undefined || replayed === undefined
        ? `the end ${recorded === undefined ? `is another: ${quoted(replayed)}` : `${quoted(recorded)} is missing`}`
        : `the end: ${sides}`;
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
      return `argument${place} of ${tool}${changed(change, sides, recorded, replayed)}`;
    case 'result':
      return `result${place} of ${tool}${changed(change, sides, recorded, replayed)}`;
    case 'final-structure':
      return `answer${place}${changed(change, sides, recorded, replayed)}`;
    case 'final-text':
      return `answer: ${sides}`;
    case 'text':
      return `intermediate text: ${sides}`;
    case 'format':
      return `layout: ${sides}`;
  }
}

function changed(change: Difference['change'], sides: string, recorded?: Json, replayed?: Json): string {
  if (change === 'added') return ` was added: ${quoted(replayed)}`;
  if (change === 'removed') return ` is gone: recorded ${quoted(recorded)}`;
  return change === 'type' ? ` has another type: ${sides}` : `: ${sides}`;
}

function argsOf(call: Json | undefined): string {
  const args = typeof call === 'object' && call !== null && !Array.isArray(call) ? call.args : undefined;
  return args === undefined || args === null ? '' : ` with ${quoted(args)}`;
}

function quoted(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = canonical(value);
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED - 1).toWellFormed()}…`;
}
