import type { TurnRequest } from '../../contract/index.ts';
import { byCodeUnit, canonical } from '../../json/index.ts';
import type { Step } from '../steps/step.ts';
import type { Trajectory } from '../steps/trajectory.ts';
import { isGenerating, type NamedStep, Names, NO_IDS } from './names.ts';
import { idsIn } from './volatile.ts';

export interface IdentityOptions {
  /** Ids in it are never renamed. */
  readonly request: TurnRequest | undefined;
  /** Nothing is renamed at all. */
  readonly literal: boolean;
  readonly orderMatters: (tool: string) => boolean;
}

/**
 * Makes the values of one run comparable with another run's: ids and times that tools generated are renamed by first
 * occurrence among those of a tool (`<create_order.uuid#1>`), so that equality is a bijection and the wrong generated id
 * is still found. What the model wrote first and what the request holds stay as they are; a date without a time is never
 * a clock's. Parallel calls, which have no order of their own, come by what they say.
 */
export function comparableSteps(trajectory: Trajectory, options: IdentityOptions): NamedStep[] {
  return new Naming(trajectory, options).steps().map(({ named }) => named);
}

/** The steps in the order in which they are compared, with their values as they were. */
export function orderedSteps(trajectory: Trajectory, options: IdentityOptions): Step[] {
  return new Naming(trajectory, options).steps().map(({ step }) => step);
}

interface Entry {
  readonly step: Step;
  readonly named: NamedStep;
}

/** A parallel call, what a sub-agent did for it, and what it came to. */
interface Block {
  readonly steps: readonly Step[];
  /** What it says, with what it generates masked. */
  readonly sketch: string;
}

/** One pass over the steps of a run: parallel calls are put in order and ids are named in that order. */
class Naming {
  readonly #steps: readonly Step[];
  readonly #options: IdentityOptions;
  readonly #names: Names;
  readonly #entries: Entry[] = [];
  readonly #partOf = new Map<Step, number>();
  readonly #lastOf: ReadonlyMap<number | undefined, Step>;
  #mentions: Mentions | undefined;

  constructor({ steps, clock, otherClocks }: Trajectory, options: IdentityOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#names = new Names([clock, ...otherClocks], options.request);
    this.#lastOf = new Map(steps.map((step) => [step.group, step]));
  }

  steps(): readonly Entry[] {
    this.#visit(this.#steps, (step) => this.#name(step));
    return this.#entries;
  }

  #name(step: Step): void {
    const named = this.#options.literal ? { ...step, ids: NO_IDS } : this.#names.rename(step);
    const part = this.#partOf.get(step);
    this.#entries.push({ step, named: part === undefined ? named : { ...named, part } });
  }

  /** One step after the other, as the order of what comes later can depend on how what came before was named. */
  #visit(steps: readonly Step[], take: (step: Step) => void): void {
    for (let start = 0; start < steps.length; ) {
      const group = steps[start]?.group;
      const last = group === undefined ? undefined : this.#lastOf.get(group);
      const end = last === undefined ? start : Math.max(start, steps.indexOf(last, start));
      // A call and what it came to is no group.
      if (end - start < 2) for (let at = start; at <= end; at++) take(steps[at] as Step);
      else for (const step of this.#groupInOrder(steps.slice(start, end + 1))) take(step);
      start = end + 1;
    }
  }

  #groupInOrder(steps: readonly Step[]): Step[] {
    const group = steps[0]?.group;
    const calls: Step[][] = [];
    for (const step of steps) {
      if (step.group === group && step.kind === 'call') calls.push([step]);
      else calls.at(-1)?.push(step);
    }
    // Asked for all at once: what one call writes, none of the others has generated.
    if (!this.#options.literal) for (const [call] of calls) if (call !== undefined) this.#names.write(call);
    const blocks = calls.map(([call, ...rest]): Block => {
      // Between a call and its result stands what a sub-agent did.
      const own = [call as Step];
      this.#visit(rest.slice(0, -1), (step) => own.push(step));
      own.push(...rest.slice(-1));
      return { steps: own, sketch: own.map((step) => this.#sketch(step)).join('\0') };
    });
    const parts = this.#partsWithoutOrder(blocks);
    for (const part of parts) part.sort((a, b) => byCodeUnit(a.sketch, b.sketch) || this.#byUse(a, b));
    if (parts.length === 1) return blocksOf(parts);
    for (const [index, part] of parts.entries())
      for (const step of blocksOf([part])) if (step.group === group) this.#partOf.set(step, index);
    return blocksOf(parts);
  }

  /** The group in pieces: a call whose order matters is one, and all calls between two such are one. */
  #partsWithoutOrder(blocks: readonly Block[]): Block[][] {
    const parts: Block[][] = [];
    let isFree = false;
    for (const block of blocks) {
      const isOrdered = this.#options.orderMatters(block.steps[0]?.name ?? '');
      if (isFree && !isOrdered) parts.at(-1)?.push(block);
      else parts.push([block]);
      isFree = !isOrdered;
    }
    return parts;
  }

  #sketch(step: Step): string {
    const { kind, name, value } = step;
    if (value === undefined) return `${name}\0${kind}\0`;
    const said = this.#options.literal ? value : this.#names.sketch(value, isGenerating(step));
    return `${name}\0${kind}\0${canonical(said)}`;
  }

  /** Calls that say the same came to different ids: whose id is used first comes first. */
  #byUse(a: Block, b: Block): number {
    if (this.#options.literal) return 0;
    this.#mentions ??= new Mentions(this.#steps, this.#names);
    return byCodeUnit(this.#mentions.after(a.steps), this.#mentions.after(b.steps));
  }
}

function blocksOf(parts: readonly (readonly Block[])[]): Step[] {
  return parts.flat().flatMap(({ steps }) => steps);
}

/** Where in a run ids are mentioned that have no name yet. */
class Mentions {
  readonly #names: Names;
  readonly #placeOf = new Map<Step, number>();
  readonly #ids = new Map<Step, readonly string[]>();
  /** Of each id in order; `order` sorts them the same way whatever the order within parallel groups. */
  readonly #mentions = new Map<string, { readonly place: number; readonly order: string }[]>();

  constructor(steps: readonly Step[], names: Names) {
    this.#names = names;
    const starts = new Map<number, number>();
    for (const [place, step] of steps.entries()) {
      this.#placeOf.set(step, place);
      const { group, name, value } = step;
      if (group !== undefined && !starts.has(group)) starts.set(group, place);
      const ids = value === undefined ? [] : idsIn(value);
      if (value === undefined || ids.length === 0) continue;
      this.#ids.set(step, ids);
      const start = ordinal(group === undefined ? place : (starts.get(group) ?? place));
      const among = group === undefined ? '' : `${name}\0${canonical(names.masked(value))}`;
      for (const [index, id] of ids.entries()) {
        const known = this.#mentions.get(id) ?? [];
        known.push({ place, order: `${start}\0${among}\0${ordinal(index)}` });
        this.#mentions.set(id, known);
      }
    }
  }

  /** Where the ids that these steps bring up are mentioned behind them, as a text to sort by. */
  after(steps: readonly Step[]): string {
    const end = steps.reduce((last, step) => Math.max(last, this.#placeOf.get(step) ?? 0), 0);
    const ids = new Set(steps.flatMap((step) => this.#ids.get(step) ?? []));
    const later = [...ids].flatMap((id) => {
      if (this.#names.isKnown(id)) return [];
      return this.#mentions.get(id)?.find(({ place }) => place > end)?.order ?? [];
    });
    return [...later.sort(), LAST].join('\0');
  }
}

/** Behind every ordinal. */
const LAST = '~';

/** A number as a text that sorts as the number does. */
function ordinal(value: number): string {
  return String(value).padStart(8, '0');
}
