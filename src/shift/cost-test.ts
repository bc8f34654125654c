import { z } from 'zod';
import { byCodeUnit, present } from '../json/index.ts';
import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { randomFrom } from './random.ts';
import { rankP, standardised } from './rarity.ts';
import { relabelings } from './relabelings.ts';

const shapes = () => {
  const amount = z.number().nonnegative();
  /** Calls of models, tokens of all kinds, and what runs are compared by: US dollars, or tokens in and four times those out. */
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
export type SpentRun = Spent['recordings'][number];

/** Of each session, and of all sessions of each agent together. */
export const runCost = z.lazy(() => shapes().cost);
export type RunCost = z.infer<typeof runCost>;
export type CostShift = Omit<RunCost['suites'][number], 'agentId'>;

export interface CostUnit {
  readonly id: string;
  readonly agentId?: string;
  readonly spent: Spent;
  /** Whether it alone fails the run. Default: as all sessions. */
  readonly gated?: boolean;
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
  const tested = measured.flatMap(({ id, scores }) => (scores === null ? [] : { id, p: rankP(scores.map(Math.abs)) }));
  const corrected = benjaminiHochberg(tested.map(({ p }) => p));
  const adjusted = new Map(tested.map(({ id }, index) => [id, corrected[index]!]));
  const agents = Map.groupBy(measured, ({ agentId }) => agentId);
  const sessions = measured.map((each) => {
    const p = adjusted.get(each.id) ?? null;
    const { ratio } = each.figures;
    const isDearer = each.isSteady ? ratio >= MATTERS : p !== null && p <= ALPHA && ratio >= MATTERS_ALONE;
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

interface Measured {
  readonly id: string;
  readonly agentId: string | undefined;
  readonly figures: Omit<CostShift, 'state' | 'p'>;
  /** Whether enough runs tell what they used. */
  readonly isTold: boolean;
  /** The runs of each side cost the same. */
  readonly isSteady: boolean;
  /** Of the recordings. */
  readonly range: number;
  readonly recordings: number;
  /**
   * Of every way to relabel its runs, the observed one first: positive where the replays cost more. Null if there is nothing
   * to relabel.
   */
  readonly scores: Float64Array | null;
}

function measure({ id, agentId, spent: { unit, asked, ...runs } }: CostUnit): Measured {
  const [recordings, replays] = [inOrder(runs.recordings), inOrder(runs.replays)];
  const meansOf = (amount: (run: SpentRun) => number): [number, number] => {
    const of = (side: readonly SpentRun[]) => Math.expm1(meanOf(side.map((run) => Math.log1p(amount(run)))));
    return [of(recordings), of(replays)];
  };
  const isTold = recordings.length > 0 && replays.length > 0 && replays.length >= LEAST_TOLD * asked;
  const [before, now] = [logsOf(recordings), logsOf(replays)];
  const [recorded, replayed] = meansOf(({ tokens, price }) => (unit === 'money' ? price : tokens));
  const isSteady = isTold && rangeOf(before) <= SAME && rangeOf(now) <= SAME;
  const ratio = isTold ? Number(Math.exp((meanOf(now) - meanOf(before)) / PARTS).toPrecision(6)) : 1;
  return {
    id,
    agentId,
    isTold,
    isSteady,
    range: rangeOf(before),
    recordings: recordings.length,
    figures: { unit, ratio, recorded, replayed, calls: meansOf(({ calls }) => calls) },
    scores: isTold && !isSteady ? scoresOf(before, now) : null,
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

/** Null if all runs cost the same. */
function scoresOf(before: readonly number[], now: readonly number[]): Float64Array | null {
  const isBefore = before.length <= now.length;
  const logs = [...before, ...now];
  const smaller = isBefore ? [...before.keys()] : [...now.keys()].map((run) => before.length + run);
  const ways = relabelings(logs.length, smaller, MOST_WAYS, () => randomFrom(`cost ${logs}`));
  const { count, chosen, members } = ways;
  const sums = Float64Array.from({ length: count }, (_, way) => {
    const own = members.subarray(way * chosen, (way + 1) * chosen);
    return own.reduce((sum, run) => sum + (isBefore ? -logs[run]! : logs[run]!), 0);
  });
  return standardised(sums, PARTS);
}

/** All sessions of an agent. */
function together(of: readonly Measured[], alpha: number): CostShift {
  const told = of.filter(({ isTold }) => isTold);
  const sum = (amount: (each: Measured['figures']) => number) =>
    told.reduce((all, { figures }) => all + amount(figures), 0);
  const ratio = Number(Math.exp(meanOf(told.map(({ figures }) => Math.log(figures.ratio)))).toPrecision(6));
  const figures = {
    unit: told.every((each) => each.figures.unit === 'money') ? ('money' as const) : ('tokens' as const),
    ratio,
    recorded: sum(({ recorded }) => recorded),
    replayed: sum(({ replayed }) => replayed),
    calls: [sum(({ calls }) => calls[0]), sum(({ calls }) => calls[1])] as [number, number],
  };
  const isTold = told.length >= LEAST_TOLD * of.length;
  const range = Math.max(1, ...told.map((each) => each.range));
  const isSteady = told.every((each) => each.isSteady);
  const scores = told.flatMap((each) => each.scores ?? []);
  const isFew = told.length < LEAST_SESSIONS && told.some(({ recordings }) => recordings === 1);
  const random = randomFrom(`cost of ${told.map(({ id }) => id).join(' ')} ${of[0]?.agentId}`);
  const sums = Float64Array.from({ length: DRAWS + 1 }, (_, draw) =>
    scores.reduce((sum, ways) => sum + ways[draw === 0 ? 0 : random(ways.length)]!, 0),
  );
  const p = scores.length === 0 || isFew ? null : rankP(sums.map(Math.abs));
  const isDearer = ratio >= MATTERS && (isSteady || (p !== null && p <= alpha));
  return toldOf({ figures, isTold, range }, p, isDearer);
}

function toldOf(
  { figures, range, isTold }: Pick<Measured, 'figures' | 'range' | 'isTold'>,
  p: number | null,
  isDearer: boolean,
): CostShift {
  const state = !isTold ? 'could-not-tell' : isDearer ? 'changed' : range > MATTERS ? 'varies' : 'as-recorded';
  return { state, ...figures, p };
}
