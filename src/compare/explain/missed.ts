import { canonical } from '../../json/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import type { Difference } from '../shapes/result.ts';
import { placesApart, values } from '../values/paths.ts';
import { difference, type Found } from './difference.ts';
import type { Explanation } from './match.ts';

/** An explanation whose differences have no aspects yet. */
type Unsorted = Omit<Explanation, 'differences'> & { readonly differences: readonly Found[] };

/**
 * The same up to the call that the recording does not hold, with which the replay ended. That call is a difference that
 * counts, in whatever it differs, and nothing after it is missing.
 */
export function endedAtMissed<Explained extends Unsorted>(explanation: Explained): Explained {
  const { pairs, recorded, replayed, differences } = explanation;
  const at = replayed.findIndex(({ kind, isMissed }) => kind === 'call' && isMissed);
  const call = replayed[at];
  if (call === undefined) return explanation;
  const place = pairs.findIndex(({ b }) => b === at);
  const partner = recorded[pairs[place]?.a ?? -1];
  const reached = pairs.slice(0, place).findLastIndex(({ b }) => replayed[b] !== undefined);
  // A step before that call is missing only if the recording shows what it corresponds to.
  const isBefore = (step: KeyedStep | undefined) =>
    partner !== undefined && step !== undefined && (step.group === undefined || step.group !== partner.group);
  const kept = pairs.filter(
    ({ a }, index) => index <= reached || index === place || (index < place && isBefore(recorded[a])),
  );
  const ours = new Set(kept.map(({ a }) => recorded[a]?.number));
  const theirs = new Set(kept.map(({ b }) => replayed[b]?.number));
  const told = differences.filter(({ recordedStep, replayedStep }) =>
    recordedStep === null ? theirs.has(replayedStep ?? 0) : ours.has(recordedStep),
  );
  const isOfCall = ({ recordedStep, replayedStep }: Found) =>
    replayedStep === call.number || (recordedStep !== null && recordedStep === partner?.number);
  const [own = extra(call)] = told.filter(isOfCall);
  const nearest = nearestOf(call, partner, recorded);
  const missed = { name: call.name ?? '', ...(nearest && { nearest }) };
  return {
    ...explanation,
    pairs: kept,
    differences: [...told.filter((each) => !isOfCall(each)), { ...own, severity: 'behaviour', missed }],
  };
}

function extra(call: KeyedStep): Found {
  const given = { name: call.name ?? '', args: call.value ?? null };
  return difference('call-extra', 'behaviour', undefined, call, values(undefined, given));
}

/** The recorded call of the tool whose arguments differ in the fewest places. */
function nearestOf(
  call: KeyedStep,
  partner: KeyedStep | undefined,
  recorded: readonly KeyedStep[],
): NonNullable<Difference['missed']>['nearest'] {
  const own = recorded.filter(({ kind, name }) => kind === 'call' && name === call.name);
  const distance = (each: KeyedStep) => (each === partner ? -1 : placesApart(each.value, call.value));
  const [nearest] = own
    .map((step) => ({ step, distance: distance(step) }))
    .sort((a, b) => a.distance - b.distance || a.step.number - b.step.number);
  if (nearest === undefined) return undefined;
  const { number, value, exact } = nearest.step;
  return {
    step: number,
    args: canonical(value).length > MAX_ARGS_CHARS ? null : (value ?? null),
    isSame: exact === call.exact,
  };
}

/** Longer arguments are not shown beside the others. */
const MAX_ARGS_CHARS = 500;
