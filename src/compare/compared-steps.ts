import type { TurnRequest } from '../contract/index.ts';
import type { Recording } from '../trace/index.ts';
import { withoutKeys } from './keys/keys.ts';
import { runSteps } from './keys/run-steps.ts';
import type { ShownStep } from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import { trajectoryOf } from './steps/recorded-steps.ts';
import { pathRules } from './values/paths.ts';

/** A step as it is compared: generated ids renamed, ignored parts removed. */
export interface ComparedStep extends ShownStep {
  /** Whether the strictness and `include` compare it. */
  readonly seen: boolean;
}

/**
 * Reads all steps of runs of one turn, also those that are not compared.
 * @param options.original the traces of the other runs are read with its traits; see {@link Traits}
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
      ...withoutKeys(step),
      seen: step.key !== null && (include === undefined || include.includes(step.kind)),
    }));
}
