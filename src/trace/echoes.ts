import { canonical, spelledOut } from '../json/index.ts';
import { isTool, type Observation } from './trace.ts';

/**
 * Observations that report the same call as another one: two instrumentations see one model call, or a framework's tool
 * span wraps the span of its MCP client. An observation that stands alone below another of its kind is the same call. The
 * outer one counts, unless it is empty.
 */
export function echoesIn(observations: readonly Observation[]): ReadonlySet<Observation> {
  const byId = new Map(observations.map((each) => [each.id, each]));
  const below = Map.groupBy(observations.filter(isAct), (each) => actAbove(each, byId));
  const echoes = new Set<Observation>();
  for (const [outer, inner] of below) {
    const alike = outer === undefined ? [] : inner.filter((each) => isSameCall(outer, each));
    const [only] = alike;
    if (outer === undefined || only === undefined || alike.length > 1) continue;
    echoes.add(saysNothing(outer) ? outer : only);
  }
  return echoes;
}

function isAct(each: Observation): boolean {
  return each.type === 'generation' || each.type === 'agent' || isTool(each);
}

function actAbove(observation: Observation, byId: ReadonlyMap<string, Observation>): Observation | undefined {
  const seen = new Set<Observation>([observation]);
  let above = observation.parentId === null ? undefined : byId.get(observation.parentId);
  while (above !== undefined && !isAct(above)) {
    if (seen.has(above)) return undefined;
    seen.add(above);
    above = above.parentId === null ? undefined : byId.get(above.parentId);
  }
  return above;
}

function isSameCall(outer: Observation, inner: Observation): boolean {
  if (outer === inner) return false;
  if (outer.type === 'generation') return inner.type === 'generation';
  if (!isTool(outer) || !isTool(inner)) return false;
  const isSameAsked = inner.input === undefined || asked(inner) === asked(outer);
  return outer.name === inner.name && isSameAsked && (inner.level !== 'ERROR' || outer.level === 'ERROR');
}

function asked({ input }: Observation): string {
  return canonical(spelledOut(input));
}

function saysNothing({ input, output }: Observation): boolean {
  return input === undefined && output === undefined;
}
