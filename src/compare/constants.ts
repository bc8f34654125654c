import { type Behaviour, bySize, type Group, stepsOf, type Variant } from './keys/behaviour.ts';
import { type KeyedStep, withKeys, withNames } from './keys/keys.ts';
import { mayChange } from './keys/writing.ts';
import type { CompareRules } from './shapes/rules.ts';
import { callsWithOutcomes } from './steps/calls.ts';
import { RecordedWords } from './text/recorded-words.ts';

type Side = 'recorded' | 'replayed';

/** Ids that are examined in all places together: a list of ten thousand new ids shows no more than its start. */
const MAX_PLACES = 5_000;

interface Sighting {
  /** Null if runs of this side had different values. */
  value: string | null;
  runs: number;
}

type Sightings = Record<Side, Sighting | undefined>;

/**
 * Finds values that look generated but are not. A generator makes a new value in every run. If a tool that only reads gives
 * the same value in all recordings, and the same one in all replays, that value is data (a wallet, a commit, a customer),
 * so another value on the other side is a difference. One run per side is not enough to tell. Tools that may change
 * something are left out, because a sandbox that is set up anew for each run can make the same new id each time.
 *
 * recordings get_wallet: 0x51aa... 0x51aa...
 * replays get_wallet: 0x77c0... 0x77c0... 0x77c0... another wallet, not a new id
 */
export class Constants {
  readonly #rules: CompareRules;
  /** The steps of each recording, the original's first. */
  readonly #recordings: (readonly KeyedStep[])[] = [];
  readonly #places = new Map<string, Sightings>();

  constructor(rules: CompareRules) {
    this.#rules = rules;
  }

  addRecording(steps: readonly KeyedStep[]): void {
    this.#recordings.push(steps);
    this.#add('recorded', steps);
  }

  addRun(steps: readonly KeyedStep[]): void {
    this.#add('replayed', steps);
  }

  #add(side: Side, steps: readonly KeyedStep[]): void {
    for (const { place, text } of this.#idsIn(steps)) {
      const known = this.#places.get(place);
      if (known === undefined && this.#places.size >= MAX_PLACES) continue;
      const sightings = known ?? { recorded: undefined, replayed: undefined };
      if (known === undefined) this.#places.set(place, sightings);
      const sighting = sightings[side];
      if (sighting === undefined) sightings[side] = { value: text, runs: 1 };
      else {
        sighting.runs++;
        if (sighting.value !== text) sighting.value = null;
      }
    }
  }

  /**
   * Splits groups by such values: runs and recordings that differ in one are no longer in one group.
   * @param groups of all runs and recordings that were added
   * @returns largest first
   */
  splitGroups(groups: readonly Group[]): readonly Group[] {
    if (![...this.#places.values()].some(isConstant)) return groups;
    const recorded: (readonly KeyedStep[])[] = [];
    for (const steps of this.#recordings) recorded.push(this.#literal('recorded', steps, new RecordedWords(recorded)));
    const words = new RecordedWords(recorded);
    const ofSide = (side: Side, group: Group, of: Behaviour): Group => {
      const behaviour = { ...of, ...stepsOf(this.#literal(side, of.steps, words)) };
      const here = ({ runs, recordings }: Pick<Variant, 'runs' | 'recordings'>) =>
        side === 'recorded' ? { runs: [], recordings } : { runs, recordings: [] };
      const own = group.variants.filter(({ runs, recordings }) => (side === 'recorded' ? recordings : runs).length > 0);
      return {
        representative: behaviour,
        recorded: side === 'recorded' ? behaviour : undefined,
        ...here(group),
        variants: own.map((variant): Variant => {
          const { steps, exact } = stepsOf(this.#literal(side, variant.steps, words));
          return { steps, exact, ...here(variant) };
        }),
      };
    };
    return groups
      .flatMap((group) => {
        const { recorded: ours, representative, runs } = group;
        const isConcerned = [ours, representative].some((each) => each && this.#holdsAny(each.steps));
        if (!isConcerned) return [group];
        return [
          ...(ours === undefined ? [] : [ofSide('recorded', group, ours)]),
          ...(runs.length === 0 ? [] : [ofSide('replayed', group, representative)]),
        ];
      })
      .sort(bySize);
  }

  #holdsAny(steps: readonly KeyedStep[]): boolean {
    return [...this.#idsIn(steps)].some(({ place }) => this.#isKnown(this.#places.get(place)));
  }

  /** Whether several runs show that it is not an id. */
  #isKnown(sightings: Sightings | undefined): boolean {
    if (sightings === undefined || !isConstant(sightings)) return false;
    return Math.max(sightings.recorded?.runs ?? 0, sightings.replayed?.runs ?? 0) > 1;
  }

  #literal(side: Side, steps: readonly KeyedStep[], words: RecordedWords): readonly KeyedStep[] {
    const values = new Map<string, string>();
    for (const { place, name } of this.#idsIn(steps)) {
      const sightings = this.#places.get(place);
      const value = sightings?.[side]?.value;
      if (value !== undefined && value !== null && this.#isKnown(sightings)) values.set(name, value);
    }
    if (values.size === 0) return steps;
    const replaced = steps.map(({ value, ids, ...step }) => ({
      ...step,
      value: value === undefined ? undefined : withNames(value, values),
      ids: ids.filter(({ name }) => !values.has(name)),
    }));
    return withKeys(replaced, this.#rules, words);
  }

  /** New ids in the results of tools that only read, each with its call, how often that call was made before, and its turn. */
  *#idsIn(steps: readonly KeyedStep[]): Generator<{ place: string; name: string; text: string }> {
    if (!steps.some(({ kind, ids }) => kind === 'result' && ids.some(({ isNew }) => isNew))) return;
    const times = new Map<string, number>();
    for (const { call, outcome } of callsWithOutcomes(steps)) {
      if (outcome === undefined || outcome.byModel === true || mayChange(this.#rules, call.name)) continue;
      const ids = outcome.ids.filter(({ isNew }) => isNew);
      if (ids.length === 0) continue;
      const nth = times.get(call.exact) ?? 0;
      times.set(call.exact, nth + 1);
      for (const [turn, { name, text }] of ids.entries()) yield { place: `${call.exact}.${nth}.${turn}`, name, text };
    }
  }
}

function isConstant({ recorded, replayed }: Sightings): boolean {
  const [a, b] = [recorded?.value, replayed?.value];
  return typeof a === 'string' && typeof b === 'string' && a !== b;
}
