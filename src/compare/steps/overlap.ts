import type { Observation } from '../../trace/index.ts';
import { endOf, startOf } from './tree.ts';

/**
 * Tells by their ids whether two observations ran at once: their branches of the trace overlap in time, as those of two
 * sub-agents started together do.
 */
export function overlapsIn(observations: readonly Observation[]): (a: string, b: string) => boolean {
  const byId = new Map(observations.map((each) => [each.id, each]));
  /** The observation's ancestors, root first, and itself. */
  const lineOf = (id: string): Observation[] => {
    const line: Observation[] = [];
    const seen = new Set<string>();
    for (let at = byId.get(id); at !== undefined && !seen.has(at.id); at = byId.get(at.parentId ?? '')) {
      seen.add(at.id);
      line.push(at);
    }
    return line.reverse();
  };
  return (idA, idB) => {
    const [a, b] = [lineOf(idA), lineOf(idB)];
    const parting = a.findIndex((each, depth) => each !== b[depth]);
    const [one, other] = [a[parting], b[parting]];
    return one !== undefined && other !== undefined && startOf(one) < endOf(other) && startOf(other) < endOf(one);
  };
}
