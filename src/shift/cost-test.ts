import { z } from 'zod';
import { byCodeUnit, present } from '../json/index.ts';
import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { randomFrom } from './random.ts';
import { rankP } from './rarity.ts';
import { type Relabelings, relabelings } from './relabelings.ts';

/** What one run of a session used. */
export interface SpentRun {
  /** Of models. */
  readonly calls: number;
  /** Of all kinds, in and out. */
  readonly tokens: number;
  /** What it is compared by: US dollars, or, without prices, tokens in and four times those out. */
  readonly price: number;
}

const shapes = () => {
  const amount = z.number().nonnegative();
  const runs = z.array(z.object({ calls: amount.default(0), tokens: amount, price: amount }));
  const unit = z.enum(['money', 'tokens']);
  /** Whether replays cost what the recordings did. Amounts are geometric means of runs. */
  const shift = z.object({
    /** `varies`: the recordings themselves range over 10 %. `could-not-tell`: too few traces tell what was used. */
    state: z.enum(['as-recorded', 'varies', 'changed', 'could-not-tell']),
    unit,
    /** 1.1 means 10 % more than the recordings; 1 if it could not be told. */
    ratio: amount,
    recorded: amount,
    replayed: amount,
    /** Calls of models a run, of the recordings and of the replays; 0 in older reports. */
    calls: z.tuple([amount, amount]).default([0, 0]),
    /** Corrected for all sessions; null if nothing was tested. */
    p: z.number().min(0).max(1).nullable(),
  });
  return {
    /** `asked`: replays that were asked for. All prices are of one unit. */
    spent: z.object({ unit, recordings: runs, replays: runs, asked: z.int().nonnegative() }),
    /** `fails`: something costs more, and that fails the run. */
    cost: z.object({
      fails: z.boolean(),
      sessions: z.array(shift.extend({ id: z.string() })),
      suites: z.array(shift.extend({ agentId: z.string().optional() })),
    }),
  };
};

/** What the runs of a session used, as far as their traces tell. Few processes read it, so the schema is made when it is used. */
export const spent = z.lazy(() => shapes().spent);
export type Spent = z.infer<typeof spent>;

/** The cost of a run: of each session, and of all sessions of each agent together. */
export const runCost = z.lazy(() => shapes().cost);
export type RunCost = z.infer<typeof runCost>;
export type CostShift = Omit<RunCost['suites'][number], 'agentId'>;

export interface CostUnit {
  readonly id: string;
  readonly agentId?: string | undefined;
  readonly spent: Spent;
  /** Whether it alone fails the run. Default: as all sessions. */
  readonly gated?: boolean | undefined;
}

/** How often an unchanged agent may be called dearer: by one of its sessions, and again by all together. */
const ALPHA = 0.01;
/** A smaller change of all sessions together, or of the recordings among themselves, does not matter. */
const MATTERS = 1.1;
/** The same for one session. */
const MATTERS_ALONE = 1.25;
/** Runs of one side that are no further apart cost the same. */
const SAME = 1.01;
const LEAST_TOLD = 0.8;
const DRAWS = 2_000;
/** More ways to relabel the runs of a session are sampled. */
const MOST_WAYS = 20_000;
/** So few sessions with one recording each show nothing together. */
const LEAST_SESSIONS = 4;
/** Logarithms as whole numbers: sums are exact, and equal sums are ties. */
const PARTS = 2 ** 30;

/**
 * Compares what replays cost with what the recordings did. A session: the difference of the mean logarithms, ranked among
 * all ways to relabel its runs, on both sides. All sessions of an agent: the sum of these differences, each by its deviation
 * under relabeling, among joint relabelings. Where no run of a side costs anything else than the others, the ratio decides.
 * @param gated whether a run fails by it: by all sessions together, and by each that has no setting of its own
 * @returns undefined if no trace tells what was used
 */
export function costTest(units: readonly CostUnit[], { gated = false } = {}): RunCost | undefined {
  const known = units.filter(({ spent: { recordings, replays } }) => recordings.length + replays.length > 0);
  if (known.length === 0) return undefined;
  const measured = known.map(measure).sort((a, b) => byCodeUnit(a.id, b.id));
  const tested = measured.filter(({ scores }) => scores !== undefined);
  const corrected = benjaminiHochberg(tested.map(({ scores }) => rankP((scores as Scores).all.map(Math.abs))));
  const adjusted = new Map(tested.map(({ id }, index) => [id, corrected[index] as number]));
  const agents = Map.groupBy(measured, ({ agentId }) => agentId);
  const sessions = measured.map((each) => {
    const p = adjusted.get(each.id) ?? null;
    const isDearer = each.isSteady ? each.ratio >= MATTERS : p !== null && p <= ALPHA && each.ratio >= MATTERS_ALONE;
    return { id: each.id, ...toldOf(each, p, isDearer) };
  });
  const suites = [...agents].map(([agentId, of]) => ({
    ...present({ agentId }),
    ...together(of, ALPHA / agents.size),
  }));
  const own = new Map(known.map((each) => [each.id, each.gated ?? gated]));
  const isRed = ({ state }: CostShift) => state === 'changed';
  const fails = (gated && suites.some(isRed)) || sessions.some((each) => own.get(each.id) === true && isRed(each));
  return { fails, sessions, suites };
}

interface Scores {
  /** Standardised, in {@link PARTS}, positive where the replays cost more; the observed one first. */
  readonly all: Float64Array;
}

interface Measured extends Pick<CostShift, 'unit' | 'ratio' | 'recorded' | 'replayed' | 'calls'> {
  readonly id: string;
  readonly agentId: string | undefined;
  /** Whether enough runs tell what they used. */
  readonly isTold: boolean;
  /** The runs of each side cost the same. */
  readonly isSteady: boolean;
  readonly range: number;
  readonly recordings: number;
  /** Undefined if there is nothing to relabel. */
  readonly scores: Scores | undefined;
}

function measure({ id, agentId, spent: { unit, asked, ...runs } }: CostUnit): Measured {
  const meansOf = (amount: (run: SpentRun) => number) => {
    const of = (side: readonly SpentRun[]) => Math.expm1(meanOf(side.map((run) => Math.log1p(amount(run)))));
    return [of(recordings), of(replays)] as const;
  };
  const [recordings, replays] = [inOrder(runs.recordings), inOrder(runs.replays)];
  const isTold = recordings.length > 0 && replays.length > 0 && replays.length >= LEAST_TOLD * asked;
  const [before, now] = [logsOf(recordings), logsOf(replays)];
  const [recorded, replayed] = meansOf(({ tokens, price }) => (unit === 'money' ? price : tokens));
  const isSteady = isTold && rangeOf(before) <= SAME && rangeOf(now) <= SAME;
  return {
    ...{ id, agentId, unit, isTold, isSteady, recordings: recordings.length },
    range: rangeOf(before),
    ...{ recorded, replayed, calls: [...meansOf(({ calls }) => calls)] },
    ratio: isTold ? Number(Math.exp((meanOf(now) - meanOf(before)) / PARTS).toPrecision(6)) : 1,
    scores: isTold && !isSteady ? scoresOf(before, now) : undefined,
  };
}

/** The order in which runs came changes no digit. */
function inOrder(runs: readonly SpentRun[]): SpentRun[] {
  return runs.toSorted((a, b) => a.price - b.price || a.tokens - b.tokens || a.calls - b.calls);
}

/** A run that used nothing counts as one thousandth of a cent, or one token. */
function logsOf(runs: readonly SpentRun[]): number[] {
  return runs.map(({ price }) => Math.round(Math.log(Math.max(price, price < 1 ? 1e-5 : 1)) * PARTS));
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rangeOf(logs: readonly number[]): number {
  return logs.length === 0 ? 1 : Math.exp((Math.max(...logs) - Math.min(...logs)) / PARTS);
}

/** Of every way to relabel the runs; undefined if they all cost the same. */
function scoresOf(before: readonly number[], now: readonly number[]): Scores | undefined {
  const isBefore = before.length <= now.length;
  const logs = [...before, ...now];
  const smaller = isBefore ? [...before.keys()] : [...now.keys()].map((run) => before.length + run);
  const ways = relabelings(logs.length, smaller, MOST_WAYS, () => randomFrom(`cost ${logs}`));
  const sums = sumsOf(ways, logs);
  const mean = sums.reduce((sum, each) => sum + each, 0) / sums.length;
  const deviation = Math.sqrt(sums.reduce((sum, each) => sum + (each - mean) ** 2, 0) / sums.length);
  if (deviation === 0) return undefined;
  const scale = ((isBefore ? -1 : 1) * PARTS) / deviation;
  return { all: sums.map((each) => Math.round((each - mean) * scale)) };
}

function sumsOf({ count, chosen, members }: Relabelings, logs: readonly number[]): Float64Array {
  return Float64Array.from({ length: count }, (_, way) => {
    let sum = 0;
    for (let at = way * chosen; at < (way + 1) * chosen; at++) sum += logs[members[at] as number] as number;
    return sum;
  });
}

/** All sessions of an agent. */
function together(of: readonly Measured[], alpha: number): CostShift {
  const told = of.filter(({ isTold }) => isTold);
  const [one] = of as [Measured];
  const sum = (amount: (each: Measured) => number) => told.reduce((all, each) => all + amount(each), 0);
  const all = {
    unit: told.every(({ unit }) => unit === 'money') ? ('money' as const) : ('tokens' as const),
    ratio: Number(Math.exp(meanOf(told.map(({ ratio }) => Math.log(ratio)))).toPrecision(6)),
    recorded: sum((each) => each.recorded),
    replayed: sum((each) => each.replayed),
    calls: ([0, 1] as const).map((side) => sum(({ calls }) => calls[side])) as [number, number],
    isTold: told.length >= LEAST_TOLD * of.length,
    range: Math.max(1, ...told.map(({ range }) => range)),
  };
  const isSteady = told.every((each) => each.isSteady);
  const scores = told.flatMap((each) => each.scores ?? []);
  const isFew = told.length < LEAST_SESSIONS && told.some(({ recordings }) => recordings === 1);
  const random = randomFrom(`cost of ${told.map(({ id }) => id).join(' ')} ${one.agentId}`);
  const sums = Float64Array.from({ length: DRAWS + 1 }, (_, draw) =>
    scores.reduce((sum, { all }) => sum + (all[draw === 0 ? 0 : random(all.length)] as number), 0),
  );
  const p = scores.length === 0 || isFew ? null : rankP(sums.map(Math.abs));
  return toldOf(all, p, all.ratio >= MATTERS && (isSteady || (p !== null && p <= alpha)));
}

function toldOf(
  {
    unit,
    ratio,
    recorded,
    replayed,
    calls,
    range,
    isTold,
  }: Omit<Measured, 'id' | 'agentId' | 'scores' | 'isSteady' | 'recordings'>,
  p: number | null,
  isDearer: boolean,
): CostShift {
  const state = !isTold ? 'could-not-tell' : isDearer ? 'changed' : range > MATTERS ? 'varies' : 'as-recorded';
  return { state, unit, ratio, recorded, replayed, calls, p };
}
