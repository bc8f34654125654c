import type { TurnRequest } from '../../contract/index.ts';
import type { Recording } from '../../trace/index.ts';
import { learnTools } from '../explain/tool-knowledge.ts';
import type { Difference, TurnComparison } from '../result.ts';
import { type CompareRules, isMutating } from '../rules.ts';
import { compareTurn } from '../turn.ts';
import { pathRules } from '../values/paths.ts';
import { ANSWER_MUTATIONS } from './answer-mutations.ts';
import { CALL_MUTATIONS } from './call-mutations.ts';
import { HARMLESS } from './harmless.ts';
import type { Mutation, Planted } from './mutation.ts';
import { render, scriptOf } from './script.ts';

/**
 * What became of a planted change.
 * - `red`: it fails the run.
 * - `told`: it is in the report, and the user's rules or policy let it pass.
 * - `not compared`: the chosen strictness ignores it.
 * - `missed`: it is not reported, reported as something else, or should have counted and did not.
 * - `passed`: it is harmless, and nothing was reported.
 */
export type TrialOutcome = 'red' | 'told' | 'not compared' | 'missed' | 'passed';

/** One change to a copy of a recording, and what became of it. */
export interface Trial {
  /** The change, in a few words. */
  readonly mutation: string;
  /** It must not count. */
  readonly harmless: boolean;
  /** What was changed. A gate that looks at neither calls nor answers cannot see what an agent does. */
  readonly touches: 'call' | 'result' | 'answer' | 'nothing';
  /** A step of the recording, or of the copy for an added call; null if the change is everywhere. */
  readonly step: number | null;
  readonly pointer?: string | undefined;
  readonly outcome: TrialOutcome;
  /** The result is right: an important change is not missed, a harmless one is not red. */
  readonly isRight: boolean;
  /** What the comparison reported by mistake. */
  readonly instead: string | null;
}

export interface SelfTestOptions {
  readonly request?: TurnRequest | undefined;
  /** Whether a comparison fails the run: the user's gate. Default: every divergence fails. */
  readonly isRed?: (comparison: TurnComparison) => boolean;
  /** The comparison under test. */
  readonly compare?: typeof compareTurn;
}

/** Places at which one mutation is planted in one recording; further ones show nothing new. */
const MAX_PLACES = 20;

/**
 * Tests the comparison and the gate on a recording: important changes must be reported at their step with their kind, and
 * harmless ones must change nothing. Nothing is started or sent. Places that the rules ignore are left alone.
 */
export function selfTest(
  recording: Recording,
  rules: CompareRules,
  { request, compare = compareTurn, isRed = diverges }: SelfTestOptions = {},
): Trial[] {
  const script = () => scriptOf(recording, rules, request);
  const compared = (copy: Recording, with_: CompareRules) =>
    compare([recording], [{ run: 1, recording: copy }], with_, { request });
  const trials: Trial[] = [];
  for (const { name, apply } of HARMLESS) {
    const copy = script();
    if (!apply(copy, rules, request)) continue;
    const comparison = compared(render(copy), rules);
    const isRight = comparison.verdict === 'reproduced';
    trials.push({
      mutation: name,
      harmless: true,
      touches: 'nothing',
      step: null,
      outcome: isRight ? 'passed' : 'red',
      isRight,
      instead: isRight ? null : differencesInWords(comparison),
    });
  }
  // Only this strictness lists every difference, including those that do not count for the user.
  const strict: CompareRules = { ...rules, strictness: 'exact' };
  const context = { paths: pathRules(rules), mayChange: learnTools([], rules).mayChange };
  for (const mutation of [...CALL_MUTATIONS, ...ANSWER_MUTATIONS]) {
    const { name, needs, plant } = mutation;
    if (!needs.every((kind) => rules.include?.includes(kind) ?? true)) continue;
    for (let place = 0, planted = 0; planted < MAX_PLACES; place++) {
      const copy = script();
      const change = plant(copy, place, context);
      if (change === 'past') break;
      if (change === undefined) continue;
      planted++;
      const rendered = render(copy);
      const [whole, own] = [compared(rendered, strict), compared(rendered, rules)];
      const outcome = outcomeOf(change, { whole, own, mustCount: mustCount(mutation, change, rules), isRed });
      trials.push({
        mutation: name,
        harmless: false,
        touches: needs.includes('final') ? 'answer' : needs.includes('result') ? 'result' : 'call',
        step: change.steps[0] ?? null,
        pointer: change.pointer,
        outcome,
        isRight: outcome !== 'missed',
        instead: outcome === 'missed' ? differencesInWords(isTold(change, whole) ? own : whole) : null,
      });
    }
  }
  return trials;
}

interface Seen {
  /** Every difference, at the strictest level. */
  readonly whole: TurnComparison;
  /** Under the user's rules. */
  readonly own: TurnComparison;
  readonly mustCount: boolean;
  readonly isRed: (comparison: TurnComparison) => boolean;
}

function outcomeOf(change: Planted, { whole, own, mustCount, isRed }: Seen): TrialOutcome {
  if (!isTold(change, whole)) return 'missed';
  if (diverges(own)) return isRed(own) ? 'red' : 'told';
  if (mustCount) return 'missed';
  return isTold(change, own) ? 'told' : 'not compared';
}

function diverges({ verdict }: TurnComparison): boolean {
  return verdict === 'changed' || verdict === 'flaky' || verdict === 'unsettled';
}

/** Whether a change is a divergence under these rules, whatever is learned about its tool. */
function mustCount({ needs }: Mutation, { isBehaviour, tool }: Planted, rules: CompareRules): boolean {
  if (isBehaviour !== true) return false;
  return (
    rules.strictness !== 'outcome' ||
    needs.some((kind) => kind !== 'call' && kind !== 'result') ||
    isMutating(rules, tool)
  );
}

function isTold(change: Planted, { clusters }: TurnComparison): boolean {
  return clusters.some(({ differences }) => differences.some((each) => isOf(change, each)));
}

function isOf({ kinds, steps, side, tool, pointer, change }: Planted, difference: Difference): boolean {
  const step = side === 'replayed' ? difference.replayedStep : difference.recordedStep;
  return (
    kinds.includes(difference.kind) &&
    step !== null &&
    (steps.length === 0 ? difference.tool === tool : steps.includes(step)) &&
    (pointer === undefined || difference.pointer === pointer) &&
    (change === undefined || difference.change === change)
  );
}

const MAX_SAID = 3;

function differencesInWords({ verdict, clusters }: TurnComparison): string {
  const differences = clusters.flatMap((each) => each.differences);
  if (differences.length === 0) return `${verdict}, no difference`;
  const shown = differences.slice(0, MAX_SAID).map(({ kind, recordedStep, replayedStep, pointer, tool }) => {
    const place = recordedStep === null ? `replayed step ${replayedStep}` : `step ${recordedStep}`;
    return [kind, pointer, ...(tool === undefined ? [] : ['of', tool]), 'at', place].filter(Boolean).join(' ');
  });
  const more = differences.length > MAX_SAID ? `, and ${differences.length - MAX_SAID} more` : '';
  return `${verdict}, ${shown.join(', ')}${more}`;
}
