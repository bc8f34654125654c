import { byCodeUnit } from '../json/index.ts';
import { follow } from './looks.ts';
import { type Random, randomFrom } from './random.ts';
import { leastP } from './relabelings.ts';
import { LEAST_RECORDINGS, type RunShift } from './shift-result.ts';
import { type RunTable, tableOf } from './table.ts';
import { turnTest } from './turn-test.ts';
import type { ShiftUnit } from './unit.ts';

/** Of each share. Where 80 % of 20 are seen, one standard deviation is about two. */
const SIMULATED_TURNS = 20;
const SEEN_OFTEN = 0.8 * SIMULATED_TURNS;
/** Enough for the earlier looks, where a turn ends at a p of .05 or more. */
const ROUGH_RELABELINGS = 100;
/** A rough p from here on is not measured finely if that takes ten times as many: the bar is below .0017 then. */
const SURELY_NOT_RED = 0.04;
/** So many relabelings are as extreme where the p is the bar: at most one is as often as not (Poisson, 49 %). */
const EXTREME_AT_BAR = 1.7;
/** The time grows with the relabelings that red takes, and these grow with the turns: above this nothing is simulated. */
const MOST_RELABELINGS = 40_000;

/**
 * What a green run could have seen: the smallest share of the runs of one turn in which a call may be missing so that at
 * least 80 % of the simulated turns are red at their last look. Replays are drawn from a turn's own recordings. It covers
 * at most the first 20 turns, sorted by id.
 * @param bar the p that is red among all turns
 * @returns undefined if no turn with five recordings makes a call in each of them, or if there are too many turns
 */
export function wouldSee(units: readonly ShiftUnit[], bar: number, test = turnTest): RunShift['wouldSee'] {
  const turns = units
    .filter((unit) => unit.recordings().length >= LEAST_RECORDINGS)
    .filter((unit) => unit.recordings().every(({ calls }) => calls.length > 0))
    .sort((a, b) => byCodeUnit(a.id, b.id))
    .slice(0, SIMULATED_TURNS)
    .map((unit) => simulatedTurn(unit, bar, test));
  if (turns.length === 0 || turns.some(({ draws }) => draws > MOST_RELABELINGS)) return undefined;
  const seenAt = (share: number) => {
    let found = 0;
    let made = 0;
    // A share that cannot be seen often any more is given up. The figure of the last one is told in any case.
    for (; made < SIMULATED_TURNS && (share === 1 || made - found <= SIMULATED_TURNS - SEEN_OFTEN); made++) {
      if (turns[made % turns.length]!.isSeen(share, randomFrom(`seen ${share} ${made}`))) found++;
    }
    return { share, found, of: SIMULATED_TURNS };
  };
  let smallest = seenAt(0.8);
  if (smallest.found < SEEN_OFTEN) return seenAt(1);
  for (const share of [0.6, 0.4]) {
    const next = seenAt(share);
    if (next.found < SEEN_OFTEN) break;
    smallest = next;
  }
  return smallest;
}

/** A turn whose replays are drawn from its recordings, with their first call and without it. */
function simulatedTurn(unit: ShiftUnit, bar: number, test: typeof turnTest) {
  const recordings = unit.recordings();
  const looks = unit.looksFor(bar);
  // All that a replay may do, each once.
  const table = tableOf(
    recordings,
    recordings.map((run) => ({ ...run, calls: run.calls.slice(1) })),
  );
  const last = looks.at(-1)!;
  const isBlind = leastP(recordings.length, last.replays) > last.share * bar;
  /** Relabelings that red takes. */
  const draws = isBlind ? 0 : Math.ceil(EXTREME_AT_BAR / (last.share * bar));
  const isSeen = (share: number, random: Random): boolean => {
    if (isBlind) return false;
    const seed = `${share} ${random(2 ** 32)}`;
    const replays: string[] = [];
    const pAt = (count: number) => {
      while (replays.length < count) {
        const place = random(recordings.length);
        replays.push(random(1_000) < share * 1_000 ? `replay ${place}` : `recording ${place}`);
      }
      const drawn = tableWith(table, replays, `${seed} ${count}`);
      const rough = test(drawn, { limit: ROUGH_RELABELINGS })?.p ?? 1;
      const isEarlier = count !== last.replays;
      if (isEarlier || (draws > 10 * ROUGH_RELABELINGS && rough >= SURELY_NOT_RED)) return rough;
      const asExtreme = Math.round((test(drawn, { limit: draws })?.p ?? 1) * draws);
      // The p at which so many or fewer are as extreme as often as not. The observed one is among them.
      return (asExtreme - 1 / 3) / draws;
    };
    const { state, p } = follow(looks, pAt, { bar, least: unit.least });
    return state === 'over' && p <= bar;
  };
  return { draws, isSeen };
}

/** As if its recordings had been compared with these of its runs. */
function tableWith(table: RunTable, replays: readonly string[], digest: string): RunTable {
  const { runs, recordings, features } = table;
  const rows = new Map(runs.map(({ side, index }, row) => [`${side} ${index}`, row]));
  const recorded = Array.from({ length: recordings }, (_, index) => `recording ${index}`);
  const chosen = [...recorded, ...replays].map((name) => rows.get(name)!);
  const between = (distances: Int32Array) =>
    Int32Array.from(chosen.flatMap((one) => chosen.map((other) => distances[one * runs.length + other]!)));
  return {
    runs: chosen.map((_, at) =>
      at < recordings ? { side: 'recording', index: at } : { side: 'replay', index: at - recordings },
    ),
    recordings,
    replays: replays.length,
    calls: between(table.calls),
    answer: between(table.answer),
    features: features.flatMap((feature) => {
      const has = new Set(feature.runs);
      const having = [...chosen.keys()].filter((at) => has.has(chosen[at]!));
      return having.length === 0 || having.length === chosen.length ? [] : { ...feature, runs: having };
    }),
    digest,
  };
}
