import type { CostShift } from '../../shift/index.ts';
import { counted, dollars, firstOf, grouped } from '../../text/index.ts';
import type { Report } from '../schema.ts';
import { nameOfPin } from './words.ts';

type Cost = NonNullable<Report['results']['cost']>;

/** Sessions beyond this number are counted. */
const NAMED = 5;
/** A smaller saving is not told. */
const LESS = 1 / 1.1;
const ALPHA = 0.01;

/** `Cost: tokens 10.0 x the recordings' (570 / 57).` What is dearer or cheaper than recorded; empty if nothing is. */
export function costLines({ cost, sessions }: Report['results']): string[] {
  if (cost === undefined) return [];
  const together = cost.suites.filter((suite) => isDearer(suite) || isCheaper(suite));
  const pins = new Map(sessions.map(({ id, pin }) => [id, pin]));
  const alone = together.some(isDearer) ? [] : cost.sessions.filter(isDearer);
  const named = firstOf(alone, NAMED, (each) => `${nameOfPin(pins.get(each.id) ?? each.id)} ${sizeOf(each)}`);
  return [
    ...together.map((suite) => `Cost${suite.agentId === undefined ? '' : ` of ${suite.agentId}`}: ${sizeOf(suite)}.`),
    ...(alone.length === 0 ? [] : [`Cost: ${named.join(', ')}.`]),
    ...untold(cost),
  ];
}

function isDearer({ state }: CostShift): boolean {
  return state === 'changed';
}

/** A note: it fails nothing. */
function isCheaper({ state, ratio, p }: CostShift): boolean {
  return state !== 'could-not-tell' && ratio <= LESS && (p === null || p <= ALPHA);
}

/** `tokens 10.0 x the recordings' (570 / 57), calls of the model 3.0 x (9 / 3)`: more calls, or longer ones. */
function sizeOf({ unit, ratio, recorded, replayed, calls: [before, now] }: CostShift): string {
  const amount = (of: number) => (unit === 'money' ? dollars(of) : grouped(Math.round(of)));
  const size = `${unit} ${timesOf(ratio)} x the recordings' (${amount(replayed)} / ${amount(recorded)})`;
  const called = before === 0 ? 1 : now / before;
  if (called > LESS && called < 1 / LESS) return size;
  const shown = (of: number) => grouped(Number(of.toFixed(1)));
  return `${size}, calls of the model ${timesOf(called)} x (${shown(now)} / ${shown(before)})`;
}

function timesOf(ratio: number): string {
  return ratio >= 1.95 ? ratio.toFixed(1) : ratio.toFixed(2);
}

function untold({ sessions }: Cost): string[] {
  const unknown = sessions.filter(({ state }) => state === 'could-not-tell').length;
  // The plan has said it of all of them.
  return unknown === 0 || unknown === sessions.length
    ? []
    : [`Cost: not compared in ${counted(unknown, 'session')}, because too few traces of one side tell their tokens.`];
}
