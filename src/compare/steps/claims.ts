import type { ToolCall } from '../../chat/index.ts';
import { canonical, spelledOut } from '../../json/index.ts';
import { isTool, type Observation } from '../../trace/index.ts';
import { remembered } from '../values/remembered.ts';
import type { Tree } from './tree.ts';

/**
 * Finds the tool observation of each call that a model asked for, each observation at most once. The id counts most. Runs
 * use ids twice, so the nearest one wins: between the generation and its agent's next one, then in the same agent, then
 * anywhere, because other processes' clocks may put a tool before the generation that asked for it. Without an id: by name
 * and arguments, or else by name, up to the next generation.
 */
export function claimTools(
  tree: Tree,
  asked: ReadonlyMap<Observation, readonly ToolCall[]>,
): Map<ToolCall, Observation> {
  const claims = new Map<ToolCall, Observation>();
  const taken = new Set<Observation>();
  const claimFrom = (pools: Pools, keyOf: (call: ToolCall) => string | undefined): void => {
    for (const [generation, calls] of asked) {
      for (const call of calls) {
        const key = claims.has(call) ? undefined : keyOf(call);
        if (key === undefined) continue;
        for (const pool of pools(generation)) {
          const tool = pool.take(key, call, taken);
          if (tool === undefined) continue;
          claims.set(call, tool);
          taken.add(tool);
          break;
        }
      }
    }
  };
  const tools = tree.ordered.filter(isTool);
  const spans = spansOf(tree, asked);
  const nearby = (keyOf: (tool: Observation) => string | undefined): Pools => {
    const pools = new Map<readonly Observation[], Pool>();
    const poolOf = (own: readonly Observation[]) => remembered(pools, own, () => new Pool(own, keyOf));
    return (generation) => {
      const span = spans.get(generation);
      return [span?.tools, span?.next?.tied].filter((own) => own !== undefined).map(poolOf);
    };
  };
  const all = [new Pool(tools, byId)];
  const [ours, theirs] = [usedOnce([...asked.values()].flat().map(({ id }) => id)), usedOnce(tools.map(byId))];
  claimFrom(
    () => all,
    ({ id }) => (ours.has(id) && theirs.has(id) ? id : undefined),
  );
  const isClaimed = (call: ToolCall) => call.id === undefined || claims.has(call);
  if (![...asked.values()].flat().every(isClaimed)) {
    // Within one millisecond, positions do not show which tool of an id is meant, but the arguments may.
    claimFrom(
      nearby((tool) => tool.callId && `${tool.callId}\0${canonical(spelledOut(tool.input))}`),
      ({ id, args }) => id && `${id}\0${canonical(args)}`,
    );
    const ofAgents = new Map(
      [...Map.groupBy(tools, (tool) => tree.ownerOf(tool))].map(([owner, own]) => [owner, new Pool(own, byId)]),
    );
    const inAgent: Pools = (generation) =>
      [ofAgents.get(tree.ownerOf(generation))].filter((pool) => pool !== undefined);
    for (const pools of [nearby(byId), inAgent, () => all]) claimFrom(pools, ({ id }) => id);
  }
  claimFrom(
    nearby(({ name, input }) => `${name}\0${canonical(spelledOut(input))}`),
    ({ name, args }) => `${name}\0${canonical(args)}`,
  );
  claimFrom(
    nearby(({ name }) => name),
    ({ name }) => name,
  );
  return claims;
}

/** Most ids are, so there is nothing to choose. */
function usedOnce(ids: readonly (string | undefined)[]): ReadonlySet<string | undefined> {
  return new Set([...Map.groupBy(ids, (id) => id)].flatMap(([id, { length }]) => (length === 1 ? [id] : [])));
}

type Pools = (generation: Observation) => readonly Pool[];

function byId({ callId }: Observation): string | undefined {
  return callId;
}

/** Unclaimed tools by key, in order. */
class Pool {
  readonly #byKey: Map<string | undefined, Observation[]>;
  readonly #next = new Map<string, number>();

  constructor(tools: readonly Observation[], keyOf: (tool: Observation) => string | undefined) {
    this.#byKey = Map.groupBy(tools, keyOf);
  }

  take(key: string, call: ToolCall, taken: ReadonlySet<Observation>): Observation | undefined {
    const tools = this.#byKey.get(key) ?? [];
    let next = this.#next.get(key) ?? 0;
    while (next < tools.length && !isFree(tools[next] as Observation, call, taken)) next++;
    this.#next.set(key, next + 1);
    return tools[next];
  }
}

/** Not claimed, and not known to belong to another call. */
function isFree(tool: Observation, { id }: ToolCall, taken: ReadonlySet<Observation>): boolean {
  return !taken.has(tool) && (tool.callId === undefined || id === undefined || tool.callId === id);
}

/** What an agent did between two milliseconds in which it asked its model. */
interface Span {
  readonly startMs: number;
  readonly tools: Observation[];
  /** Tools that start in its first millisecond: an earlier generation may have asked for them. */
  readonly tied: Observation[];
  next: Span | undefined;
}

/** Generations of one agent in one millisecond share a span. */
function spansOf(tree: Tree, counted: Pick<ReadonlyMap<Observation, unknown>, 'has'>): Map<Observation, Span> {
  const spans = new Map<Observation, Span>();
  const running = new Map<Observation | undefined, Span>();
  for (const each of tree.ordered) {
    const owner = tree.ownerOf(each);
    let span = running.get(owner);
    const startMs = tree.startOf(each);
    if (each.type === 'generation') {
      // An observation that reports a call a second time is not a call of its own.
      if (!counted.has(each)) continue;
      if (span?.startMs !== startMs) {
        const next: Span = { startMs, tools: [], tied: [], next: undefined };
        if (span !== undefined) span.next = next;
        running.set(owner, next);
        span = next;
      }
      spans.set(each, span);
    } else if (isTool(each) && span !== undefined) {
      span.tools.push(each);
      if (startMs === span.startMs) span.tied.push(each);
    }
  }
  return spans;
}
