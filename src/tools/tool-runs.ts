import { echoesIn, isTool, type Observation } from '../trace/index.ts';

/** How often each tool ran, by its spans. A span of the same name inside a tool's span is the same call. */
export function toolRuns(observations: readonly Observation[]): Map<string, number> {
  const byId = new Map(observations.map((each) => [each.id, each]));
  const echoes = echoesIn(observations);
  const counts = new Map<string, number>();
  for (const each of observations) {
    if (!isTool(each) || echoes.has(each) || isInsideOwn(each, byId)) continue;
    counts.set(each.name, (counts.get(each.name) ?? 0) + 1);
  }
  return counts;
}

/** Ancestors of a span that are examined. */
const MAX_ABOVE = 50;

function isInsideOwn({ name, parentId }: Observation, byId: ReadonlyMap<string, Observation>): boolean {
  let above = byId.get(parentId ?? '');
  for (let height = 0; above !== undefined && height < MAX_ABOVE; height++) {
    if (above.name === name && isTool(above)) return true;
    above = byId.get(above.parentId ?? '');
  }
  return false;
}
