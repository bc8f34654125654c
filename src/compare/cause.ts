import { canonical } from './canonical.ts';
import { isOfEnvironment } from './classify.ts';
import type { Cause, Difference } from './result.ts';
import type { OwnInput } from './steps.ts';

/** The evidence of one side: what each generation was given, without what a clock or a generator wrote. */
export interface InputDigests {
  readonly system: string;
  readonly tools: string;
  readonly model: string;
  readonly parameters: string;
}

const SAID: Record<keyof InputDigests, string> = {
  system: 'system prompt',
  tools: 'tools',
  model: 'model',
  parameters: 'parameters',
};

export function inputDigests(input: OwnInput, mask: (value: string) => string): InputDigests {
  return {
    system: mask(input.system),
    tools: canonical(input.tools),
    model: input.model ?? '',
    parameters: canonical(input.parameters),
  };
}

/**
 * Why two runs part at a difference, as far as the traces tell; no judge.
 * @param recorded what the generation was given out of which the recorded step came; undefined when none is told of
 * @param earlier lesser differences before this one, in order
 */
export function causeOf(
  at: Difference,
  recorded: InputDigests | undefined,
  replayed: InputDigests | undefined,
  earlier: readonly Difference[],
): Cause {
  if (isOfEnvironment(at)) {
    return {
      kind: 'environment',
      detail: at.kind === 'error' ? 'the same call ended in another way' : 'same call, other result',
    };
  }
  if (recorded !== undefined && replayed !== undefined) {
    const changed = (Object.keys(SAID) as (keyof InputDigests)[]).filter((part) => recorded[part] !== replayed[part]);
    if (changed.length > 0) {
      const parts = changed.map((part) => SAID[part]);
      return {
        kind: 'agent',
        changed: parts,
        detail: `the agent's ${parts.join(' and ')} ${changed.length > 1 || changed[0] === 'tools' || changed[0] === 'parameters' ? 'differ' : 'differs'}`,
      };
    }
  }
  if (at.kind === 'call-order') return { kind: 'concurrency', detail: 'same calls, other order' };
  if (recorded === undefined || replayed === undefined)
    return { kind: 'unknown', detail: 'the traces hold no model call for it' };
  const before = earlier.findLast(({ severity }) => severity !== 'noise');
  if (before === undefined) return { kind: 'model', detail: 'same input, other output' };
  const step = before.recordedStep ?? before.replayedStep;
  return { kind: 'unknown', detail: `after an earlier ${before.severity} difference at step ${step}` };
}
