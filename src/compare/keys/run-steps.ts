import type { TurnRequest } from '../../contract/index.ts';
import type { Recording } from '../../trace/index.ts';
import type { CompareRules } from '../shapes/rules.ts';
import { type Traits, type Trajectory, trajectoryOf } from '../steps/recorded-steps.ts';
import type { RecordedWords } from '../text/recorded-words.ts';
import type { PathRules } from '../values/paths.ts';
import { toldIn } from '../values/told.ts';
import { comparableSteps } from './identities.ts';
import { type KeyedStep, keyedSteps } from './keys.ts';

export interface StepContext {
  readonly rules: CompareRules;
  readonly paths: PathRules;
  readonly request: TurnRequest | undefined;
  /** Undefined for the original itself. */
  readonly original: Traits | undefined;
  /** Recorded texts, which a replay may put in other words. */
  readonly recorded?: RecordedWords | undefined;
  /** How a recording is read. The self-test has copies with steps of its own. */
  readonly read?: typeof trajectoryOf | undefined;
}

/** One run as it is compared: generated values renamed, ignored ones removed, with keys. */
export function runSteps(
  recording: Recording,
  { rules, paths, request, original, recorded, read = trajectoryOf }: StepContext,
): { trajectory: Trajectory; steps: KeyedStep[] } {
  const trajectory = read(recording, original);
  // Ignored arguments count as not written by the model. Values that a tool generated count as generated.
  const steps = trajectory.steps.map((step) => (step.kind === 'call' ? paths.strip(step) : step));
  const entries = comparableSteps({ ...trajectory, steps }, rules, request, original?.told);
  const keyed = keyedSteps(
    entries.map(({ named }) => paths.strip(named)),
    rules,
    recorded,
  );
  const traits = original ?? { ...trajectory.traits, told: toldIn(entries) };
  return { trajectory: { ...trajectory, traits }, steps: keyed };
}
