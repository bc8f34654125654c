import type { TurnRequest } from '../../contract/index.ts';
import type { Recording } from '../../trace/index.ts';
import { orderedSteps } from '../keys/identities.ts';
import { isAsRecorded, isDiverged, isDoubt } from '../shapes/outcomes.ts';
import type { TurnComparison } from '../shapes/result.ts';
import { type CompareRules, compareRules } from '../shapes/rules.ts';
import type { Step } from '../shapes/step.ts';
import { trajectoryOf } from '../steps/recorded-steps.ts';
import { compareTurn } from '../turn.ts';
import { leafDifferences, pathOf } from '../values/paths.ts';
import { MUTATIONS, type Mutation, type Planted } from './mutations.ts';

/** One change to a copy of a recording, and what became of it. */
export interface Trial extends Pick<Mutation, 'touches'> {
  readonly mutation: string;
  /** It must not count. */
  readonly harmless: boolean;
  /** Step of the recording, from 1; null if the change is everywhere. */
  readonly step: number | null;
  /** The tool, or the path of the value as a rule would name it. */
  readonly place: string | null;
  /**
   * - `red`: it fails the run.
   * - `told`: it is in the report, and the user's rules, policy or another recording let it pass; or nothing can be told of it.
   * - `not compared`: the user's rules leave it out.
   * - `missed`: the comparison does not see it, or not as what it is.
   * - `passed`: it is harmless, and nothing was reported.
   */
  readonly outcome: 'red' | 'told' | 'not compared' | 'missed' | 'passed';
  /** False: a change was missed, or a harmless one is red. */
  readonly isRight: boolean;
  /** What the comparison said instead. */
  readonly instead: NonNullable<TurnComparison['divergence']> | TurnComparison['verdict'] | null;
}

interface SelfTestOptions {
  readonly request?: TurnRequest | undefined;
  /** Whether a comparison fails the run: the user's gate. Default: every divergence fails. */
  readonly isRed?: (comparison: TurnComparison) => boolean;
  /** The comparison under test. */
  readonly compare?: typeof compareTurn;
}

const DEFAULTS = compareRules.parse({});
const STRICTEST = compareRules.parse({ strictness: 'exact', identities: 'literal' });
/** Places at which one mutation is planted in a turn with one recording; further ones show nothing new. */
const MAX_PLACES = 20;

/** Plants changes in copies of a turn's recordings, and says which of them fail a run. Nothing is started or sent. */
export function selfTest(
  recordings: readonly Recording[],
  rules: CompareRules,
  { request, compare = compareTurn, isRed = ({ verdict }) => isDiverged(verdict) }: SelfTestOptions = {},
): Trial[] {
  // Each trial reads all recordings, so many of them have fewer places each.
  const places = Math.ceil(MAX_PLACES / recordings.length ** 2);
  return recordings.flatMap((recording) => {
    const trajectory = trajectoryOf(recording);
    const steps = orderedSteps(trajectory, rules, request);
    const tried = ({ name: mutation, touches }: Mutation, { copy, at, original, counts, isFirst }: Planted): Trial => {
      const [before, after] = [{ ...recording }, { ...recording }];
      const read: typeof trajectoryOf = (each, traits) => {
        const planted = each === after ? copy : each === before ? original : undefined;
        return planted === undefined ? trajectoryOf(each, traits) : { ...trajectory, steps: planted };
      };
      const compared = (by: CompareRules, all: readonly Recording[] = [before]) =>
        compare(all, [{ run: 1, recording: after }], by, { request, read });
      const all = recordings.map((each) => (each === recording ? before : each));
      const own = compared(rules, all);
      const outcomeOf = (): Trial['outcome'] => {
        if (touches === 'nothing') return isAsRecorded(own.verdict) ? 'passed' : 'red';
        const isMistaken = isFirst && firstKindOf(compared(DEFAULTS)).startsWith('final');
        if (isMistaken) return 'missed';
        if (isRed(own)) return 'red';
        // What could not be told passes nowhere.
        if (isDoubt(own.verdict)) return 'told';
        if (counts && !isDiverged(compared(DEFAULTS).verdict)) return 'missed';
        const isTold = !isAsRecorded(own.verdict) || own.clusters.some(({ differences }) => differences.length > 0);
        if (isTold) return 'told';
        return counts || isDiverged(compared(STRICTEST).verdict) ? 'not compared' : 'missed';
      };
      const outcome = outcomeOf();
      const isRight = outcome !== (touches === 'nothing' ? 'red' : 'missed');
      return {
        mutation,
        touches,
        harmless: touches === 'nothing',
        step: at === undefined ? null : at + 1,
        place: at === undefined ? null : placeOf(at, original ?? steps, copy),
        outcome,
        isRight,
        instead: isRight ? null : (own.divergence ?? own.verdict),
      };
    };
    return MUTATIONS.flatMap((mutation) => {
      const planted = mutation.plant({ steps, rules, request });
      const isTaken = (at: number) =>
        at === 0 || Math.floor((at * places) / planted.length) > Math.floor(((at - 1) * places) / planted.length);
      return planted
        .filter((_, index) => planted.length <= places || isTaken(index))
        .map((each) => tried(mutation, each));
    });
  });
}

/** Where the replay leaves the recording. */
function firstKindOf({ clusters }: TurnComparison): string {
  return clusters.find(({ divergence }) => divergence !== null)?.divergence?.kind ?? '';
}

function placeOf(at: number, steps: readonly Step[], copy: readonly Step[]): string {
  const step = steps[at] as Step;
  const isOnlyValue =
    steps.length === copy.length && steps.every((each, index) => index === at || each === copy[index]);
  const [{ pointer } = { pointer: '' }] = isOnlyValue ? leafDifferences(step.value, copy[at]?.value, { limit: 1 }) : [];
  return isOnlyValue ? pathOf(step, pointer) : `tool:${step.name}`;
}
