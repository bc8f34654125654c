import { canonical } from '../json/index.ts';
import type { Gathered } from './clusters.ts';
import { type Difference, MAX_DIFFERENCES, type SeenDifference } from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import { remembered } from './values/remembered.ts';

/**
 * Differences in calls of runs that count as recorded: a read that is left out, added, repeated or moved, or asked for in
 * other words with the same result. The difference of most runs comes first.
 * @param members of a cluster, each explained by the recording that it belongs to
 */
export function minorIn(
  members: readonly Gathered[],
  { strictness }: Pick<CompareRules, 'strictness'>,
): SeenDifference[] {
  if (strictness !== 'behaviour') return [];
  const seen = new Map<string, SeenDifference>();
  for (const { group, explanation } of members) {
    if (group.runs.length === 0) continue;
    for (const difference of explanation.differences.filter(({ severity }) => severity === 'minor')) {
      remembered(seen, keyOf(difference), () => ({ ...difference, runs: [] })).runs.push(...group.runs);
    }
  }
  return [...seen]
    .map(([key, each]) => [key, { ...each, runs: [...new Set(each.runs)].sort((a, b) => a - b) }] as const)
    .sort(([a, { runs: ours }], [b, { runs: theirs }]) => theirs.length - ours.length || (a < b ? -1 : 1))
    .map(([, each]) => each)
    .slice(0, MAX_DIFFERENCES);
}

/** Runs with at least one of these differences. */
export function runsWith(differences: readonly SeenDifference[]): number {
  return new Set(differences.flatMap(({ runs }) => runs)).size;
}

/** Equal for the same difference at the same place of the recording. */
function keyOf({ kind, tool, pointer, recordedStep, replayed }: Difference): string {
  const place = recordedStep ?? -1;
  return canonical([
    place,
    kind,
    tool ?? '',
    pointer ?? '',
    kind === 'argument' || place === -1 ? (replayed ?? null) : null,
  ]);
}
