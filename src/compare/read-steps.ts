import type { TurnRequest } from '../contract/index.ts';
import type { Recording } from '../trace/index.ts';
import { withoutKeys } from './keys/keys.ts';
import { runSteps } from './keys/run-steps.ts';
import type { ShownStep } from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import { trajectoryOf } from './steps/recorded-steps.ts';
import { pathRules } from './values/paths.ts';

/** A step of a run, with generated ids renamed and ignored parts removed. */
export interface ReadStep extends ShownStep {
  /** Whether the strictness and `include` compare it. */
  readonly isCompared: boolean;
}

/**
 * Reads all steps of runs of one turn, also those that are not compared.
 * @param options.original the other runs are read with its traits
 */
export function stepReader(
  rules: CompareRules,
  { request, original }: { readonly request?: TurnRequest | undefined; readonly original?: Recording | undefined } = {},
): (recording: Recording) => ReadStep[] {
  const paths = pathRules(rules);
  const traits = original && trajectoryOf(original).traits;
  const { include, ...withoutInclude } = rules;
  return (recording) =>
    runSteps(recording, { rules: withoutInclude, paths, request, original: traits }).steps.map((step) => ({
      ...withoutKeys(step),
      isCompared: step.key !== null && (include === undefined || include.includes(step.kind)),
    }));
}
