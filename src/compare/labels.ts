import { pointerParts } from '../json/index.ts';
import { apart, quotes } from './shapes/excerpt.ts';
import type { Cluster, Difference } from './shapes/result.ts';

/** Characters that a column has room for. */
const MAX_LABEL = 44;
/** Characters of a value in a label. */
const MAX_VALUE = 24;

/**
 * A short label for each behaviour: the first thing it does that was not recorded. Behaviours that begin alike are labelled
 * by what sets them apart, so no two labels are alike.
 * @param isShift recordings are columns like the others, and not what the others are measured by
 */
export function behaviourLabels(clusters: readonly Cluster[], isShift: boolean): string[] {
  const held = new Set(
    clusters.flatMap(({ recordings = 0, differences }) => (recordings > 0 ? differences : [])).map(phraseOf),
  );
  const usual = clusters.map((cluster, place) => {
    if (place === 0 && cluster.recorded) return isShift ? 'as the first recording' : 'as recorded';
    if (cluster.recorded && !isShift) return 'as another recording';
    // Under shift it is told by what no recording does, the calls first.
    const own = isShift ? cluster.differences.filter((each) => !held.has(phraseOf(each))) : [];
    const call = own.find(({ kind }) => kind.startsWith('call')) ?? own[0];
    return phraseOf(call ?? cluster.divergence ?? cluster.differences[0]);
  });
  const telling = clusters.map((cluster, place) => {
    const alike = clusters.filter((_, other) => other !== place && usual[other] === usual[place]);
    return alike.length === 0 ? undefined : ownPhrase(cluster, alike);
  });
  return apart(
    usual.map((label, place) => telling[place] ?? label),
    MAX_LABEL,
  );
}

/** A difference that no other behaviour has: preferably another step, otherwise another value. */
function ownPhrase({ differences }: Cluster, others: readonly Cluster[]): string | undefined {
  const theirs = others.flatMap((other) => other.differences);
  const step = differences.find((each) => !theirs.some((other) => phraseOf(other) === phraseOf(each)));
  if (step !== undefined) return phraseOf(step);
  for (const each of differences) {
    const same = theirs.filter((other) => phraseOf(other) === phraseOf(each));
    const values = same.map((other) => quotes(each.replayed, other.replayed, MAX_VALUE));
    const [[own] = []] = values;
    // The first one that is reported is the first one that readers see.
    if (own !== undefined && values.every(([mine, other]) => mine === own && other !== own))
      return `${own} ${placeOf(each)}`;
  }
  return undefined;
}

function placeOf({ tool, pointer = '' }: Difference): string {
  return [pointer === '' ? '' : `in ${pathOf(pointer)}`, tool === undefined ? '' : `of ${tool}`]
    .filter(Boolean)
    .join(' ');
}

/** `items.0.price` */
function pathOf(pointer: string): string {
  return pointerParts(pointer).join('.');
}

/** Starts with the tool, which tells columns apart best. */
function phraseOf(difference: Pick<Difference, 'kind' | 'tool' | 'pointer' | 'replayed'> | undefined): string {
  if (difference === undefined) return 'differs';
  const { kind, tool = 'a tool', pointer = '', replayed } = difference;
  switch (kind) {
    case 'call-name':
      return typeof replayed === 'string' ? `${replayed} instead` : 'another tool';
    case 'call-missing':
      return `${tool}: no call`;
    case 'call-extra':
      return `${tool}: one more call`;
    case 'call-retry':
      return `${tool}: called again`;
    case 'call-order':
      return 'calls in another order';
    case 'argument':
      return `${tool}: other ${pathOf(pointer) || 'arguments'}`;
    case 'result':
      return `${tool}: other result`;
    case 'error':
      return 'an error';
    case 'end':
      return 'ends elsewhere';
    case 'final-structure':
    case 'final-text':
      return 'another answer';
    case 'text':
    case 'format':
      return 'another wording';
  }
}
