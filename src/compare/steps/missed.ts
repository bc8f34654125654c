import { canonical } from '../../json/index.ts';
import type { MissedCall, Observation } from '../../trace/index.ts';
import type { Step } from '../shapes/step.ts';

/** How a run ends whose last call the recording does not hold. */
const END = 'a call that the recording does not hold';

/**
 * The steps up to the first call that the recording does not hold. Later and parallel steps are left out: the agent took
 * them after an answer that no tool gave, so they show nothing about it.
 */
export function untilMissed(
  steps: readonly Step[],
  missed: readonly MissedCall[],
  observations: readonly Observation[],
): Step[] {
  const inputs = new Map(observations.map(({ id, input }) => [id, input]));
  const places = missed.map((each) => placeOf(each, steps, inputs)).filter((place) => place !== -1);
  const [first] = missed;
  const known = steps[Math.min(...places)];
  // Some agents write no span for a failed call and show no model that asked for it. The call was made all the same.
  const call = known ?? { kind: 'call' as const, name: first?.name ?? '', value: first?.arguments, isUnasked: true };
  const { group, generation } = call;
  const beside = group === undefined ? -1 : steps.findIndex((step) => step.group === group);
  const before = known === undefined ? steps.length : beside === -1 ? steps.indexOf(known) : beside;
  return [
    ...steps.slice(0, before),
    { ...call, isMissed: true },
    { kind: 'end', value: END, generation, isMissed: true },
  ];
}

function placeOf(
  { name, arguments: args, before, callId }: MissedCall,
  steps: readonly Step[],
  inputs: ReadonlyMap<string, Observation['input']>,
): number {
  const own = steps.flatMap((step, place) => (step.kind === 'call' && step.name === name ? [{ step, place }] : []));
  const wanted = canonical(args);
  const equal = own.filter(({ step: { value, observationId = '' } }) =>
    [value, inputs.get(observationId)].some((each) => each !== undefined && canonical(each) === wanted),
  );
  const named = callId === undefined ? undefined : own.find(({ step }) => step.callId === callId);
  return (named ?? equal[before] ?? equal.at(-1) ?? own.at(-1))?.place ?? -1;
}
