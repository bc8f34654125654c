import { byCodeUnit } from '../json/index.ts';
import { follow, type Look } from './looks.ts';
import { type Random, randomFrom } from './random.ts';
import { leastP } from './relabelings.ts';
import type { RunShift } from './shift-result.ts';
import { pairOf, type RunTable, tableOf } from './table.ts';
import { turnTest } from './turn-test.ts';
import type { ShiftUnit } from './unit.ts';

/** Simulated turns of each share: of 16 found, one deviation is two. */
const TRIALS = 20;
const OFTEN = 0.8 * TRIALS;
const LEAST_RECORDINGS = 5;
/** Relabelings that show whether a turn ends early, and whether it is worth while to draw as many as red takes. */
const FEW = 100;
/** With so many of {@link FEW} as extreme as what was observed, it is not: a p of a thousandth has them once in 200 times. */
const TOO_MANY = 4;
/** Relabelings, times the p that is red: one as red as that has at most one more as extreme as often as not. */
const FINE = 1.7;
const ONE_MORE = 2;
/** With so many turns that red takes more relabelings, nothing is simulated. */
const MOST = 40_000;

/**
 * What a green run could have seen: the smallest share of the runs of one turn in which a call may be missing so that at
 * least 80 % of the simulated turns are red at their last look. Replays are drawn from a turn's own recordings.
 * @param bar the p that is red among all turns
 * @returns undefined if no turn with five recordings makes a call in each of them, or if there are too many turns
 */
export function wouldSee(units: readonly ShiftUnit[], bar: number, test = turnTest): RunShift['wouldSee'] {
  const turns = units
    .filter((unit) => unit.recordings().length >= LEAST_RECORDINGS)
    .filter((unit) => unit.recordings().every(({ calls }) => calls.length > 0))
    .sort((a, b) => byCodeUnit(a.id, b.id))
    .slice(0, TRIALS)
    .map((unit) => new SimulatedTurn(unit, bar));
  if (turns.length === 0 || turns.some(({ draws }) => draws > MOST)) return undefined;
  const seenAt = (share: number) => {
    let [found, made] = [0, 0];
    // Of the last share the figure is told in any case.
    for (; made < TRIALS && (share === 1 || made - found <= TRIALS - OFTEN); made++) {
      const turn = turns[made % turns.length] as SimulatedTurn;
      if (turn.isSeen(share, randomFrom(`seen ${share} ${made}`), test)) found++;
    }
    return { share, found, of: TRIALS };
  };
  let told = seenAt(0.8);
  if (told.found < OFTEN) return seenAt(1);
  for (const share of [0.6, 0.4]) {
    const next = seenAt(share);
    if (next.found < OFTEN) break;
    told = next;
  }
  return told;
}

/** A turn's recordings, with their first call and without it, from which replays are drawn. */
class SimulatedTurn {
  /** Relabelings that red takes. */
  readonly draws: number;
  readonly #least: number;
  readonly #looks: readonly Look[];
  readonly #bar: number;
  /** Of all that a replay may do, each once. */
  readonly #table: RunTable;
  readonly #recordings: number;
  /** Whether not even the least p at the last look is red. */
  readonly #isBlind: boolean;

  constructor(unit: ShiftUnit, bar: number) {
    const recordings = unit.recordings();
    this.#least = unit.least;
    this.#looks = unit.looksFor(bar);
    this.#bar = bar;
    this.#recordings = recordings.length;
    this.#table = tableOf(
      recordings,
      recordings.map((run) => ({ ...run, calls: run.calls.slice(1) })),
    );
    const { replays, share } = this.#looks.at(-1) as Look;
    this.#isBlind = leastP(recordings.length, replays) > share * bar;
    this.draws = this.#isBlind ? 0 : Math.ceil(FINE / (share * bar));
  }

  isSeen(share: number, random: Random, test: typeof turnTest): boolean {
    if (this.#isBlind) return false;
    const last = this.#looks.at(-1)?.replays;
    const seed = `${share} ${random(2 ** 32)}`;
    const replays: string[] = [];
    const pAt = (count: number) => {
      while (replays.length < count) {
        const place = random(this.#recordings);
        replays.push(random(1_000) < share * 1_000 ? `replay ${place}` : `recording ${place}`);
      }
      const table = this.#tableWith(replays, seed);
      const p = test(table, { limit: FEW })?.p ?? 1;
      if (count !== last) return p;
      if (this.draws > 10 * FEW && p * FEW >= TOO_MANY) return 1;
      const asExtreme = Math.round((test(table, { limit: this.draws })?.p ?? 1) * this.draws);
      return asExtreme <= ONE_MORE ? 0 : 1;
    };
    const { state, p } = follow(this.#looks, pAt, { bar: this.#bar, least: this.#least });
    return state === 'over' && p <= this.#bar;
  }

  /** As if all of these runs had been compared. */
  #tableWith(replays: readonly string[], seed: string): RunTable {
    const { runs, calls, answer, features } = this.#table;
    const rows = new Map(runs.map(({ side, index }, row) => [`${side} ${index}`, row]));
    const recorded = Array.from({ length: this.#recordings }, (_, index) => `recording ${index}`);
    const chosen = [...recorded, ...replays].map((name) => rows.get(name) as number);
    const between = (distances: readonly number[]) =>
      chosen.flatMap((one, at) => chosen.slice(at + 1).map((other) => distances[pairOf(one, other, runs.length)] ?? 0));
    return {
      runs: chosen.map((_, at) =>
        at < recorded.length ? { side: 'recording', index: at } : { side: 'replay', index: at - recorded.length },
      ),
      calls: between(calls),
      answer: between(answer),
      features: features.flatMap((feature) => {
        const has = new Set(feature.runs);
        const own = [...chosen.keys()].filter((at) => has.has(chosen[at] as number));
        return own.length === 0 || own.length === chosen.length ? [] : { ...feature, runs: own };
      }),
      digest: `${seed} ${replays.length}`,
    };
  }
}
