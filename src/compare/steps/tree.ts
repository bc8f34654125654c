import type { Observation } from '../../contract/index.ts';
import { byCodeUnit, canonical } from '../values/canonical.ts';
import { messagesOf } from './messages.ts';

/** The observations of a turn in order, each with what lies below it in one piece behind it. */
export class Tree {
  readonly ordered: readonly Observation[];
  /** Start and end of all that happened, in milliseconds; undefined when nothing did. */
  readonly clock: { readonly from: number; readonly to: number } | undefined;
  readonly #starts: ReadonlyMap<Observation, number>;
  readonly #place = new Map<Observation, number>();
  readonly #size: number[];
  /** The nearest tool above each observation: the sub-agent that it belongs to. */
  readonly #owner: (Observation | undefined)[] = [];
  /** What the last failure below an observation said. */
  readonly #failedBelow = new Map<Observation, string>();

  constructor(observations: readonly Observation[]) {
    const byId = withoutDuplicates(observations);
    this.#starts = new Map([...byId.values()].map((each) => [each, startOf(each)]));
    this.clock = clockOf(observations);
    this.ordered = inOrder(byId, this.#starts);
    const parents: (number | undefined)[] = [];
    this.#size = this.ordered.map(() => 1);
    for (const [place, observation] of this.ordered.entries()) {
      this.#place.set(observation, place);
      const above = observation.parentId === null ? undefined : byId.get(observation.parentId);
      // A parent that comes later closes a loop, and has no place yet.
      const parent = above === undefined || above === observation ? undefined : this.#place.get(above);
      parents.push(parent);
      const isOwner = parent !== undefined && above !== undefined && isTool(above);
      this.#owner.push(isOwner ? above : parent === undefined ? undefined : this.#owner[parent]);
    }
    for (let place = this.ordered.length - 1; place > 0; place--) {
      const parent = parents[place];
      const [observation, above] = [this.ordered[place], parent === undefined ? undefined : this.ordered[parent]];
      if (parent === undefined || observation === undefined || above === undefined) continue;
      this.#size[parent] = (this.#size[parent] ?? 1) + (this.#size[place] ?? 1);
      const said = isFailed(observation) ? (observation.statusMessage ?? '') : this.#failedBelow.get(observation);
      if (said !== undefined && !this.#failedBelow.has(above)) this.#failedBelow.set(above, said);
    }
  }

  /** Milliseconds since 1970. */
  startOf(observation: Observation): number {
    return this.#starts.get(observation) ?? startOf(observation);
  }

  below(observation: Observation): readonly Observation[] {
    const place = this.#place.get(observation) ?? 0;
    return this.ordered.slice(place + 1, place + (this.#size[place] ?? 1));
  }

  /** The tool, if any, that the observation is a part of. */
  ownerOf(observation: Observation): Observation | undefined {
    return this.#owner[this.#place.get(observation) ?? -1];
  }

  /** Whether an observation failed only because something below it did, and passes on what that said. */
  passesOnFailure(observation: Observation): boolean {
    const said = this.#failedBelow.get(observation);
    return said !== undefined && (observation.statusMessage ?? '').includes(said);
  }
}

/** Tools by type, and what older SDKs record as a span under a tool call's id. */
export function isTool({ type, callId }: Observation): boolean {
  return type === 'tool' || type === 'retriever' || (type === 'span' && callId !== undefined);
}

export function isFailed({ level }: Observation): boolean {
  return level === 'ERROR';
}

function startOf({ startTime }: Observation): number {
  return Date.parse(startTime);
}

export function endOf({ startTime, endTime }: Observation): number {
  return Date.parse(endTime ?? startTime);
}

function clockOf(observations: readonly Observation[]): Tree['clock'] {
  if (observations.length === 0) return undefined;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const each of observations) {
    from = Math.min(from, startOf(each));
    to = Math.max(to, endOf(each));
  }
  return { from, to };
}

/**
 * Parents before their children, siblings by start. Equal milliseconds are common in fast agents, so that ties are
 * broken by what cannot differ from run to run: how much a generation was given, then content, never the span's id.
 */
function inOrder(
  byId: ReadonlyMap<string, Observation>,
  starts: ReadonlyMap<Observation, number>,
): readonly Observation[] {
  const byContent = contentOrder();
  const sorted = [...byId.values()].sort((a, b) => (starts.get(a) ?? 0) - (starts.get(b) ?? 0) || byContent(a, b));
  const children = Map.groupBy(sorted, ({ id, parentId }) =>
    parentId !== null && parentId !== id && byId.has(parentId) ? parentId : null,
  );
  const ordered = new Set<Observation>();
  const visit = (roots: readonly Observation[]): void => {
    const pending = roots.toReversed();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (ordered.has(next)) continue;
      ordered.add(next);
      const below = children.get(next.id);
      if (below !== undefined) for (let i = below.length - 1; i >= 0; i--) pending.push(below[i] as Observation);
    }
  };
  visit(children.get(null) ?? []);
  // What hangs in a loop is reached from no root; it comes last, by start.
  for (const each of sorted) visit([each]);
  return [...ordered];
}

/** Of two reports of one observation the later one counts, whichever arrived first. */
function withoutDuplicates(observations: readonly Observation[]): ReadonlyMap<string, Observation> {
  const byId = new Map<string, Observation>();
  for (const each of observations) {
    const known = byId.get(each.id);
    if (known === undefined || isLater(each, known)) byId.set(each.id, each);
  }
  return byId;
}

function isLater(a: Observation, b: Observation): boolean {
  const [endA, endB] = [endOf(a), endOf(b)];
  return endA > endB || (endA === endB && canonical(a) > canonical(b));
}

/** Values are spelled only when all else is equal, and only once. */
function contentOrder(): (a: Observation, b: Observation) => number {
  const spelled = new Map<Observation, string>();
  const contentOf = (each: Observation): string => {
    const text = spelled.get(each) ?? `${canonical(each.input)}\0${canonical(each.output)}`;
    spelled.set(each, text);
    return text;
  };
  return (a, b) =>
    rank(a) - rank(b) || given(a) - given(b) || byCodeUnit(a.name, b.name) || byCodeUnit(contentOf(a), contentOf(b));
}

/** Of what starts in the same millisecond, the model comes before the tools that it asked for. */
function rank({ type }: Observation): number {
  return type === 'tool' ? 1 : 0;
}

function given({ type, input }: Observation): number {
  return type === 'generation' ? messagesOf(input).length : 0;
}
