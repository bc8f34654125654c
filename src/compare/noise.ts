import type { ToolKnowledge } from './explain/tools.ts';
import type { Difference, NoiseProposal } from './result.ts';
import { canonical, isContainer } from './values/canonical.ts';
import { pathOf } from './values/paths.ts';

/** What generators and clocks write, short forms included: digits with at most a few letters around them. */
const LOOKS_GENERATED = /^[A-Za-z]{0,12}[-_:#]?[0-9A-Fa-f]*\d[\w.:+-]*$/;
/** Values shown as evidence. */
const MAX_EXAMPLES = 3;
const MAX_PROPOSALS = 20;

/**
 * Places at which what tools answered, or the answer itself, varies from run to run. `volatile` ones look generated and
 * never repeat; the user may ignore them. All others are `unstable`. Nothing is ignored by itself, nothing is learned
 * of arguments, which the model writes, nor of delicate tools.
 */
export function proposeNoise(
  clusters: readonly { readonly runs: number; readonly differences: readonly Difference[] }[],
  tools: ToolKnowledge,
): NoiseProposal[] {
  const places = new Map<string, { values: Map<string, number>; runs: number }>();
  for (const { runs, differences } of clusters) {
    if (runs === 0) continue;
    for (const each of differences) {
      const kind = each.kind === 'result' ? 'result' : each.kind === 'final-structure' ? 'final' : undefined;
      if (kind === undefined || each.pointer === undefined || each.change !== 'value' || tools.isDelicate(each.tool))
        continue;
      if (each.replayed === undefined || isContainer(each.replayed)) continue;
      const path = pathOf({ kind, ...(each.tool === undefined ? {} : { name: each.tool }) }, each.pointer);
      const place = places.get(path) ?? { values: new Map<string, number>(), runs: 0 };
      places.set(path, place);
      place.runs += runs;
      const value = typeof each.replayed === 'string' ? each.replayed : canonical(each.replayed);
      place.values.set(value, (place.values.get(value) ?? 0) + runs);
    }
  }
  return [...places]
    .filter(([, { values }]) => values.size > 1)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX_PROPOSALS)
    .map(([path, { values, runs }]) => {
      const seen = [...values.keys()].sort();
      const isGenerated = seen.every((value) => LOOKS_GENERATED.test(value)) && values.size === runs;
      return { path, kind: isGenerated ? 'volatile' : 'unstable', runs, examples: seen.slice(0, MAX_EXAMPLES) };
    });
}
