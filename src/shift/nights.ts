import { hash } from 'node:crypto';
import { byCodeUnit, present } from '../json/index.ts';
import { randomFrom } from './random.ts';
import { rankP, standardised } from './rarity.ts';
import { samples } from './relabelings.ts';
import type { ShiftRun } from './run.ts';
import type { NightDrift, UnitMarks } from './shift-result.ts';
import { tableOf } from './table.ts';

/** Recordings by which all other runs are placed. */
const MOST_LANDMARKS = 3;
const PER_THOUSANDTH = 1_000;

/** Undefined if there are too few recordings, or no replay. */
export function marksOf(
  { id, agentId }: Pick<UnitMarks, 'id' | 'agentId'>,
  recordings: readonly ShiftRun[],
  replays: readonly ShiftRun[],
): UnitMarks | undefined {
  const landmarks = recordings.slice(0, Math.min(MOST_LANDMARKS, Math.ceil(recordings.length / 2)));
  if (landmarks.length === 0 || replays.length === 0) return undefined;
  const others = [...recordings.slice(landmarks.length), ...replays];
  const { runs, calls, answer } = tableOf(landmarks, others);
  const at = new Map(runs.map(({ side, index }, row) => [`${side} ${index}`, row]));
  const places = others.map((_, index): [number, number] => {
    const row = at.get(`replay ${index}`)! * runs.length;
    const meanOf = (distances: Int32Array) => {
      const sum = landmarks.reduce((all, _, landmark) => all + distances[row + at.get(`recording ${landmark}`)!]!, 0);
      return Math.round(sum / landmarks.length / PER_THOUSANDTH);
    };
    return [meanOf(calls), meanOf(answer)];
  });
  const key = hash('sha256', JSON.stringify(recordings), 'base64url');
  const made = recordings.length - landmarks.length;
  const about = { id, ...present({ agentId }) };
  return { ...about, key: key.slice(0, 12), recorded: places.slice(0, made), replayed: places.slice(made) };
}

/** What speaks most this night. */
interface LoudestMarks {
  readonly channel: 'calls' | 'answers';
  readonly ids: readonly string[];
}

/** An unchanged agent alarms once in 100 years. */
export const DRIFT_ALARM = 100;
const NIGHTS_A_YEAR = 365;
const MOST_NIGHTS = 120;
const DRAWS = 5_000;
/** The unit of 1: sums of whole numbers are exact, and equal sums are ties. */
const PARTS = 2 ** 20;
/** How much is bet on a small p; no night alone multiplies the evidence by more than {@link MOST_WON}. */
const KAPPAS = [0.05, 0.1, 0.2, 0.35, 0.5, 0.7] as const;
const MOST_WON = 20;
/** In deviations: units below it are not named. */
const LOUD = 2;
const NAMED = 3;

/**
 * What this night adds to the nights before. Tonight's runs are relabelled among all runs of the epoch, so that the ps of
 * nights do not depend on each other while nothing changes (conformal ranks, Vovk). Each p is a bet, and bets are summed over
 * all nights on which a change could have begun (Shiryaev and Roberts; as an e-detector: Shin, Ramdas and Rinaldo 2023).
 * Calls, answers and both are bet on apart: the mean of such sums is one again, and what the chance differences of the
 * answers cost is paid once, where one p of all three would pay it every night.
 * @param before of the same agent, oldest first
 * @param now when this night began
 */
export function nightAfter(
  before: readonly NightDrift[],
  tonight: readonly UnitMarks[],
  now: string,
): { readonly drift: NightDrift; readonly loudest: LoudestMarks } {
  const last = before.at(-1);
  const known = before.filter(({ start }) => start === last?.start);
  const keys = new Map(known.flatMap(({ units }) => units.map(({ id, key }) => [id, key] as const)));
  // A run of some sessions ends nothing; other recordings of most of them do.
  const old = tonight.filter(({ id }) => keys.has(id));
  const kept = old.filter(({ id, key }) => keys.get(id) === key).length;
  const goesOn = last !== undefined && last.nights < MOST_NIGHTS && kept > 0 && 2 * kept >= old.length;
  const epoch = goesOn ? known : [];
  const { ps, loudest } = testOf(epoch, tonight);
  const { bets, evidence } = betOn(goesOn ? last.bets : [], ps);
  const since = evidence < 1 ? undefined : goesOn ? (last.since ?? now) : now;
  return {
    drift: {
      start: goesOn ? last.start : now,
      nights: goesOn ? last.nights + 1 : 1,
      p: Math.min(...ps),
      bets,
      evidence,
      ...present({ since }),
      units: tonight.map(({ id, key, replayed }) => ({ id, key, replayed })),
    },
    loudest,
  };
}

/** Adds the bets on each p of one more night. @param before their sums so far; empty before the first night */
export function betOn(before: readonly number[], ps: readonly number[]): Pick<NightDrift, 'bets' | 'evidence'> {
  const won = ps.flatMap((p) => KAPPAS.map((kappa) => Math.min(MOST_WON, kappa * p ** (kappa - 1))));
  const bets = won.map((times, index) => Number((((before[index] ?? 0) + 1) * times).toPrecision(6)));
  const mean = bets.reduce((sum, bet) => sum + bet, 0) / bets.length;
  return { bets, evidence: Number((mean / NIGHTS_A_YEAR).toPrecision(3)) };
}

function testOf(epoch: readonly NightDrift[], tonight: readonly UnitMarks[]): { ps: number[]; loudest: LoudestMarks } {
  const inOrder = tonight.toSorted((a, b) => byCodeUnit(a.id, b.id));
  const random = randomFrom(`night ${epoch.length} ${inOrder.map(({ key }) => key)}`);
  const sums = [new Float64Array(DRAWS + 1), new Float64Array(DRAWS + 1)] as const;
  const loud: { id: string; score: number }[] = [];
  for (const { id, key, recorded, replayed } of inOrder) {
    const known = epoch.flatMap(({ units }) => units.filter((unit) => unit.id === id && unit.key === key));
    const places = [...replayed, ...recorded, ...known.flatMap((unit) => unit.replayed)];
    if (places.length === replayed.length) continue;
    // Of as many as tonight has, drawn without replacement, the sum has deviation 1.
    const spread = Math.sqrt((replayed.length * (places.length - replayed.length)) / (places.length - 1));
    const halves = ([0, 1] as const).map((half) =>
      standardised(
        Float64Array.from(places, (place) => place[half]),
        PARTS / spread,
      ),
    );
    const drawn = samples(places.length, replayed.length, random);
    let score = 0;
    for (let draw = 0; draw <= DRAWS; draw++) {
      // The observed runs come first.
      const own = draw === 0 ? [...replayed.keys()] : drawn.next().value!;
      for (const [half, values] of halves.entries()) {
        let sum = 0;
        for (const run of own) sum += values?.[run] ?? 0;
        sums[half]![draw]! += sum;
        if (draw === 0) score += sum / PARTS;
      }
    }
    if (score >= LOUD) loud.push({ id, score });
  }
  const [calls, answers] = sums;
  const ids = loud.sort((a, b) => b.score - a.score).map(({ id }) => id);
  return {
    ps: [calls, answers, calls.map((sum, draw) => sum + answers[draw]!)].map(rankP),
    loudest: {
      channel: calls[0]! >= answers[0]! ? 'calls' : 'answers',
      ids: ids.slice(0, NAMED),
    },
  };
}
