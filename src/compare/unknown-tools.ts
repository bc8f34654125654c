import type { Recording } from '../trace/index.ts';
import { hintsIn } from './explain/hints.ts';
import { effectsOf } from './keys/effects.ts';
import { soundOf } from './keys/writing.ts';
import type { CompareRules } from './shapes/rules.ts';
import { trajectoryOf } from './steps/recorded-steps.ts';

/** Tools by which a conversation is handed over: whether they are called varies most. */
const HANDS_OVER = /hand.?(?:over|off)|transfer.?to|escalat/i;

/**
 * Tools that recordings call and that are taken for writing although nothing says that they do, hand-over tools first. What an
 * agent did is only as good as what is known of them.
 */
export function unknownTools(recordings: readonly Recording[], { tools }: Pick<CompareRules, 'tools'>): string[] {
  const read = recordings.map((recording) => trajectoryOf(recording));
  const effects = effectsOf({ tools }, hintsIn(read));
  const isUnknown = (name: string) => soundOf(name) === 'unknown' || HANDS_OVER.test(name);
  const names = read
    .flatMap(({ steps }) => steps)
    .filter((step) => step.kind === 'call' && isUnknown(step.name ?? '') && effects.isGuess(step))
    .map(({ name }) => name as string);
  return [...new Set(names)].sort(
    (a, b) => Number(HANDS_OVER.test(b)) - Number(HANDS_OVER.test(a)) || (a < b ? -1 : 1),
  );
}
