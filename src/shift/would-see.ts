import { byCodeUnit } from '../json/index.ts';
import { follow } from './looks.ts';
import { type Random, randomFrom } from './random.ts';
import { leastP } from './relabelings.ts';
import { LEAST_RECORDINGS, type RunShift } from './shift-result.ts';
import { type RunTable, tableOf } from './table.ts';
import { turnTest } from './turn-test.ts';
import type { ShiftUnit } from './unit.ts';

/** Simulated turns of each share: of 16 found, one deviation is two. */
const TRIALS = 20;
const OFTEN = 0.8 * TRIALS;
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
    .map((unit) => simulatedTurn(unit, bar, test));
  if (turns.length === 0 || turns.some(({ draws }) => draws > MOST)) return undefined;
  const seenAt = (share: number) => {
    let [found, made] = [0, 0];
    // Of the last share the figure is told in any case.
    for (; made < TRIALS && (share === 1 || made - found <= TRIALS - OFTEN); made++) {
      if (turns[made % turns.length]!.isSeen(share, randomFrom(`seen ${share} ${made}`))) found++;
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
  const draws = isBlind ? 0 : Math.ceil(FINE / (last.share * bar));
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
      const p = test(drawn, { limit: FEW })?.p ?? 1;
      if (count !== last.replays) return p;
      if (draws > 10 * FEW && p * FEW >= TOO_MANY) return 1;
      const asExtreme = Math.round((test(drawn, { limit: draws })?.p ?? 1) * draws);
      return asExtreme <= ONE_MORE ? 0 : 1;
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
      const own = [...chosen.keys()].filter((at) => has.has(chosen[at]!));
      return own.length === 0 || own.length === chosen.length ? [] : { ...feature, runs: own };
    }),
    digest,
  };
}
