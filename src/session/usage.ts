import { byCodeUnit } from '../json/index.ts';
import type { ModelUsage, Observation } from '../trace/index.ts';

/** An agent uses a few models; a longer list is something else. */
const MAX_MODELS = 20;
const MAX_MODEL_CHARS = 200;
const MODEL_CALLS: ReadonlySet<string> = new Set(['generation', 'embedding']);

/** Undefined without model calls. An amount is unknown if one call does not report it. */
export function usageByModel(observations: readonly Observation[]): ModelUsage[] | undefined {
  const around = aroundUsage(observations);
  // A span that only wraps others has no usage of its own.
  const calls = observations.filter(
    ({ id, type, usage }) => MODEL_CALLS.has(type) && (usage !== undefined || !around.has(id)),
  );
  const byModel = Map.groupBy(calls, ({ model }) => model?.slice(0, MAX_MODEL_CHARS));
  if (byModel.size === 0 || byModel.size > MAX_MODELS) return undefined;
  return [...byModel]
    .sort(([a = ''], [b = '']) => byCodeUnit(a, b))
    .map(([model, of]) => ({
      ...(model && { model }),
      calls: of.length,
      ...known('inputTokens', of, ({ usage }) => tokensOf(usage, 'input')),
      ...known('outputTokens', of, ({ usage }) => tokensOf(usage, 'output')),
      ...known('cost', of, ({ cost }) => cost && (cost.total ?? sum(Object.values(cost)))),
    }));
}

/** All tokens of a side, including cached, reasoning and audio tokens, which are counted separately (`input_cached_tokens`). */
export function tokensOf(usage: Observation['usage'], side: 'input' | 'output'): number | undefined {
  if (usage?.[side] === undefined) return undefined;
  return sum(Object.entries(usage).flatMap(([kind, count]) => (kind.startsWith(side) ? [count] : [])));
}

/** The ids of all observations above one that reports its usage. */
function aroundUsage(observations: readonly Observation[]): Set<string> {
  const parents = new Map(observations.map(({ id, parentId }) => [id, parentId]));
  const found = new Set<string>();
  for (let { parentId: id, usage } of observations) {
    if (usage === undefined) continue;
    for (; id && !found.has(id); id = parents.get(id) ?? null) found.add(id);
  }
  return found;
}

function known(
  name: 'inputTokens' | 'outputTokens' | 'cost',
  calls: readonly Observation[],
  amountOf: (call: Observation) => number | undefined,
): Partial<ModelUsage> {
  const told = calls
    .map(amountOf)
    .filter((amount) => amount !== undefined && Number.isFinite(amount) && amount >= 0) as number[];
  return told.length < calls.length ? {} : { [name]: sum(told) };
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, amount) => all + amount, 0);
}
