import { inCausalOrder, isTool, type Observation } from '../../trace/index.ts';

/** Start and end of a run, in milliseconds since 1970. */
export interface Clock {
  readonly from: number;
  readonly to: number;
}

/** The observations of a turn in order, each followed by everything below it. */
export class Tree {
  readonly ordered: readonly Observation[];
  /** Undefined if there is nothing. */
  readonly clock: Clock | undefined;
  readonly #starts: ReadonlyMap<Observation, number>;
  readonly #place = new Map<Observation, number>();
  readonly #size: number[];
  /** The nearest tool above each observation: the sub-agent that it belongs to. */
  readonly #owner: (Observation | undefined)[] = [];
  /** What the last failure below an observation said. */
  readonly #failedBelow = new Map<Observation, string>();

  constructor(observations: readonly Observation[]) {
    this.ordered = inCausalOrder(observations);
    const byId = new Map(this.ordered.map((each) => [each.id, each]));
    this.#starts = new Map(this.ordered.map((each) => [each, startOf(each)]));
    this.clock = clockOf(observations);
    const parents: (number | undefined)[] = [];
    this.#size = this.ordered.map(() => 1);
    for (const [place, observation] of this.ordered.entries()) {
      this.#place.set(observation, place);
      const above = observation.parentId === null ? undefined : byId.get(observation.parentId);
      // A parent that comes later would close a loop.
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

  /** The tool that the observation is part of, if any. */
  ownerOf(observation: Observation): Observation | undefined {
    return this.#owner[this.#place.get(observation) ?? -1];
  }

  /** Whether an observation failed only because something below it did, and repeats that error. */
  passesOnFailure(observation: Observation): boolean {
    const said = this.#failedBelow.get(observation);
    return said !== undefined && (observation.statusMessage ?? '').includes(said);
  }
}

export function isFailed({ level }: Observation): boolean {
  return level === 'ERROR';
}

export function startOf({ startTime }: Observation): number {
  return Date.parse(startTime);
}

export function endOf({ startTime, endTime }: Observation): number {
  return Date.parse(endTime ?? startTime);
}

export function clockOf(observations: readonly Observation[]): Clock | undefined {
  if (observations.length === 0) return undefined;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const each of observations) {
    from = Math.min(from, startOf(each));
    to = Math.max(to, endOf(each));
  }
  return { from, to };
}
