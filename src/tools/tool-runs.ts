import { echoesIn, isTool, type Observation } from '../trace/index.ts';

/** The runs of each tool, by its spans. A span of the same name inside a tool's span is the same call. */
export function toolRuns(observations: readonly Observation[]): Map<string, Observation[]> {
  const byId = new Map(observations.map((each) => [each.id, each]));
  const echoes = echoesIn(observations);
  const runs = observations.filter((each) => isTool(each) && !echoes.has(each) && !isInsideOwn(each, byId));
  return Map.groupBy(runs, ({ name }) => name);
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
