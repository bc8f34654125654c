import type { TurnRequest } from '../contract/index.ts';
import type { Recording } from '../trace/index.ts';
import type { ShownStep } from './result.ts';
import type { CompareRules } from './rules.ts';
import { trajectoryOf } from './steps/trajectory.ts';
import { shownStep } from './values/keys.ts';
import { pathRules } from './values/paths.ts';
import { runSteps } from './values/run-steps.ts';

/** A step as it is compared: generated ids renamed, what is ignored taken out. */
export interface ComparedStep extends ShownStep {
  /** Whether the strictness and `include` look at it. */
  readonly seen: boolean;
}

/**
 * How runs of one turn are seen: all of its steps, those that are not looked at too.
 * @param options.original what the other runs' traces are read by; see {@link Traits}
 */
export function stepReader(
  rules: CompareRules,
  { request, original }: { readonly request?: TurnRequest | undefined; readonly original?: Recording | undefined } = {},
): (recording: Recording) => ComparedStep[] {
  const paths = pathRules(rules);
  const traits = original && trajectoryOf(original).traits;
  const { include, ...all } = rules;
  return (recording) =>
    runSteps(recording, { rules: all, paths, request, original: traits }).steps.map((step) => ({
      ...shownStep(step),
      seen: step.key !== null && (include === undefined || include.includes(step.kind)),
    }));
}
