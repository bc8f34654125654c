import { canonical } from '../json/index.ts';
import type { ToolKnowledge } from './explain/tool-knowledge.ts';
import type { Behaviour } from './keys/behaviour.ts';
import { isClockTime } from './keys/names.ts';
import { type Difference, MAX_DIFFERENCES, type NoiseProposal, type TurnComparison } from './shapes/result.ts';
import { isContainer } from './values/canonical.ts';
import { pathOf } from './values/paths.ts';
import { remembered } from './values/remembered.ts';
import { isGenerated } from './values/volatile.ts';

/** Values shown as evidence. */
const MAX_EXAMPLES = 3;
const MAX_PROPOSALS = 20;

/** Runs that behave alike, and how they differ from the recording. */
export interface Varying {
  readonly runs: number;
  readonly clock: Behaviour['clock'];
  readonly differences: readonly Difference[];
}

interface Place {
  readonly values: Map<string, number>;
  runs: number;
  /** Values that differ in them, with repetition. */
  seen: number;
  last?: readonly Difference[];
  /** All values, including recorded ones, have a shape that only generators and the run's clock write. */
  isGenerated: boolean;
}

/**
 * Places where tool results vary from run to run. `volatile` places hold only generated values that never repeat; the user
 * may ignore them. All others are `unstable`: a varying number, date, name or code is reported, but never proposed. Nothing
 * is ignored automatically, and nothing is learned from what the model writes (arguments and answers) or from tools that
 * may change something.
 * @param options.areTold every result that is not as recorded is reported, because none decides anything
 */
export function proposeNoise(
  clusters: readonly Varying[],
  recordedClock: Behaviour['clock'],
  { tools, areTold }: { readonly tools: ToolKnowledge; readonly areTold: boolean },
): NoiseProposal[] {
  const places = new Map<string, Place>();
  for (const { runs, clock, differences } of clusters) {
    if (runs === 0) continue;
    for (const { kind, tool, pointer, change, recorded, replayed, byModel } of differences) {
      if (kind !== 'result' || byModel === true || tool === undefined) continue;
      const isValue = pointer !== undefined && change === 'value' && replayed !== undefined && !isContainer(replayed);
      const isLearnable = isValue && !tools.mayChange(tool);
      if (!isLearnable && !areTold) continue;
      const path = pathOf({ kind, name: tool }, pointer ?? '');
      const place = remembered(places, path, (): Place => ({ values: new Map(), runs: 0, seen: 0, isGenerated: true }));
      // A path names every item of a list: its runs count once, however many of them differ.
      if (place.last !== differences) place.runs += runs;
      place.last = differences;
      place.seen += runs;
      place.isGenerated &&= isLearnable && isOfNoOne(recorded, recordedClock) && isOfNoOne(replayed, clock);
      const value = typeof replayed === 'string' ? replayed : canonical(replayed ?? null);
      place.values.set(value, (place.values.get(value) ?? 0) + runs);
    }
  }
  return [...places]
    .filter(([, { values }]) => areTold || values.size > 1)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX_PROPOSALS)
    .map(([path, { values, runs, seen, isGenerated: isOnlyGenerated }]) => {
      const isVolatile = isOnlyGenerated && values.size === seen && seen > 1;
      const examples = [...values.keys()].sort().slice(0, MAX_EXAMPLES);
      return { path, kind: isVolatile ? 'volatile' : 'unstable', runs, examples };
    });
}

/** A value that nobody chose: generated, or the time of the run in any notation. */
function isOfNoOne(value: Difference['recorded'], clock: Behaviour['clock']): boolean {
  if (typeof value !== 'string') return false;
  return isGenerated(value) || (/\d:\d\d/.test(value) && isClockTime(Date.parse(value), clock));
}

/**
 * The proposals of a turn that together explain all of its divergences; none if anything else remains.
 * @param options.areAsked somebody is asked: a value that is another one in every run, and that nothing uses, may be one, too
 */
export function learnablePaths(
  { noise, clusters, requested, conclusive }: TurnComparison,
  { areAsked = false } = {},
): ReadonlySet<string> {
  const isProposed = ({ kind, runs }: NoiseProposal) => kind === 'volatile' || (areAsked && runs === requested);
  const proposed = new Set(noise.filter(isProposed).map(({ path }) => path));
  const replayed = clusters.filter(({ runs }) => runs.length > 0);
  const isListed = replayed.every(({ differences }) => differences.length < MAX_DIFFERENCES);
  if (conclusive !== requested || !isListed) return new Set();
  const counting = replayed.flatMap(({ differences }) =>
    differences.filter(({ severity }) => severity === 'behaviour'),
  );
  const isExplained = counting.every((each) => {
    const path = placeOf(each);
    return path !== undefined && proposed.has(path);
  });
  return isExplained ? proposed : new Set();
}

/**
 * The rule that would ignore a difference. Tool names and keys come from outside: if one would make the rule broader, or
 * longer than one line, there is no rule.
 */
function placeOf({ kind, tool, pointer = '', byModel }: Difference): string | undefined {
  if (kind !== 'result' || byModel === true || tool === undefined) return undefined;
  if (tool.includes('/') || tool === '*' || pointer.split('/').includes('*')) return undefined;
  const path = pathOf({ kind: 'result', name: tool }, pointer);
  return /\p{C}|\s$/u.test(path) ? undefined : path;
}
