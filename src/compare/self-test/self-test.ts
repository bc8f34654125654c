import type { Recording, TurnRequest } from '../../contract/index.ts';
import type { Difference, TurnComparison } from '../result.ts';
import type { CompareRules } from '../rules.ts';
import { compareTurn } from '../turn.ts';
import { pathRules } from '../values/paths.ts';
import { HARMLESS } from './harmless.ts';
import { MUTATIONS, type Planted } from './mutations.ts';
import { render, scriptOf } from './script.ts';

/** One change that was made to a copy of a recording, and what the comparison said of it. */
export interface Trial {
  /** What was done, in a few words. */
  readonly mutation: string;
  /** It must not count. */
  readonly harmless: boolean;
  /** Where it was done: a step of the recording, or of the copy for a call put in; null when it is everywhere. */
  readonly step: number | null;
  readonly pointer?: string | undefined;
  /** Told at its step with its kind; of a harmless one: told as a divergence. */
  readonly noticed: boolean;
  /** It counts as a divergence under these rules. */
  readonly diverges: boolean;
  /** What the comparison said instead, when it should have said something else. */
  readonly instead: string | null;
}

/** Places at which one mutation is planted in one recording; more tell no more. */
const MAX_PLACES = 20;

/**
 * Tries the comparison on a recording: changes that matter must be told at their step with their kind, whatever their
 * severity, and harmless ones must change nothing. Nothing is started or sent. What the rules ignore is left alone.
 * @param options.compare the comparison that is tried
 */
export function selfTest(
  recording: Recording,
  rules: CompareRules,
  { request, compare = compareTurn }: { request?: TurnRequest | undefined; compare?: typeof compareTurn } = {},
): Trial[] {
  const script = () => scriptOf(recording, rules, request);
  const compared = (copy: Recording, with_: CompareRules) =>
    compare([recording], [{ run: 1, recording: copy }], with_, { request });
  const trials: Trial[] = [];
  for (const { name, apply } of HARMLESS) {
    const copy = script();
    if (!apply(copy, rules, request)) continue;
    const comparison = compared(render(copy), rules);
    const diverges = comparison.verdict !== 'reproduced';
    const instead = diverges ? said(comparison) : null;
    trials.push({ mutation: name, harmless: true, step: null, noticed: diverges, diverges, instead });
  }
  // At this strictness alone every difference is listed, also what does not count under the user's.
  const strict: CompareRules = { ...rules, strictness: 'exact' };
  const paths = pathRules(rules);
  for (const { name, needs, plant } of MUTATIONS) {
    if (!needs.every((kind) => rules.include?.includes(kind) ?? true)) continue;
    for (let place = 0, planted = 0; planted < MAX_PLACES; place++) {
      const copy = script();
      const change = plant(copy, place, paths);
      if (change === 'past') break;
      if (change === undefined) continue;
      planted++;
      const rendered = render(copy);
      const comparison = compared(rendered, strict);
      const noticed = comparison.clusters.some(({ differences }) => differences.some((each) => isOf(change, each)));
      trials.push({
        mutation: name,
        harmless: false,
        step: change.steps[0] ?? null,
        pointer: change.pointer,
        noticed,
        diverges: compared(rendered, rules).verdict !== 'reproduced',
        instead: noticed ? null : said(comparison),
      });
    }
  }
  return trials;
}

function isOf({ kinds, steps, side, pointer, change }: Planted, difference: Difference): boolean {
  const step = side === 'replayed' ? difference.replayedStep : difference.recordedStep;
  return (
    kinds.includes(difference.kind) &&
    step !== null &&
    steps.includes(step) &&
    (pointer === undefined || difference.pointer === pointer) &&
    (change === undefined || difference.change === change)
  );
}

const MAX_SAID = 3;

function said({ clusters }: TurnComparison): string {
  const differences = clusters.flatMap((each) => each.differences);
  if (differences.length === 0) return 'no difference';
  const shown = differences.slice(0, MAX_SAID).map(({ kind, recordedStep, replayedStep, pointer, tool }) => {
    const place = recordedStep === null ? `replayed step ${replayedStep}` : `step ${recordedStep}`;
    return [kind, pointer, ...(tool === undefined ? [] : ['of', tool]), 'at', place].filter(Boolean).join(' ');
  });
  return shown.join(', ') + (differences.length > MAX_SAID ? `, and ${differences.length - MAX_SAID} more` : '');
}
