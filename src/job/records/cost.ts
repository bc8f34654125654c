import type { Config, Prices } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { CostMeter, ReplayCall } from '../../replay/index.ts';
import { usageByModel } from '../../session/index.ts';
import { counted, dollars, grouped, means } from '../../text/index.ts';
import { type ModelUsage, type Recording, type Trace, withoutCopies } from '../../trace/index.ts';
import type { PlannedSession } from './run-scope.ts';

/** What calls will probably use, estimated from their recordings. */
export interface CostEstimate {
  /** US dollars; null if unknown. */
  readonly money: number | null;
  /** Why it is unknown, one reason per line. */
  readonly unknown: readonly string[];
  /** `about 12,000 tokens in, 800 out, $0.0310`, or why that is unknown. Names of models in it are not safe to print. */
  readonly words: string;
}

/** How often each turn of a session is called: at first, and how much further looks add, usually and at most. */
interface CountedSession {
  readonly session: PlannedSession;
  readonly runs: number;
  readonly usual: number;
  readonly more: number;
}

interface CountedTurn extends Omit<CountedSession, 'session'> {
  readonly pin: string;
  readonly usage: readonly ModelUsage[];
  readonly cost: TurnCost;
}

/** What one call of a turn uses: the mean over the recordings that show it; null if none does. */
interface TurnCost {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly money: number | null;
}

const PER_TOKENS = 1_000_000;
/** Pins and models beyond this number are counted, not named. */
const NAMED = 5;

/** @returns `looks`: with further looks; undefined if there are none */
export function estimateCalls(sessions: readonly CountedSession[], prices: Prices) {
  const turns = sessions.flatMap(({ session, ...counts }) =>
    session.turns.map((turn): CountedTurn => {
      const usage = recordingsOf(session, turn).flatMap((recording) => recording.usage ?? []);
      return { ...counts, pin: session.pin.path, usage, cost: turnCost(session, turn, prices) };
    }),
  );
  const count = (times: Times) => turns.reduce((sum, turn) => sum + times(turn), 0);
  const total = (of: keyof TurnCost, times: Times) =>
    sumOf(turns.map((turn) => (turn.cost[of] === null ? null : turn.cost[of] * times(turn))));
  const priced = (times: Times) => {
    const money = total('money', times);
    return `${counted(Math.round(count(times)), 'replay')}${money === null ? '' : `, ${dollars(money)}`}`;
  };
  const first: Times = ({ runs }) => runs;
  const moreCalls = count(({ more }) => more);
  const usual = priced(({ runs, usual }) => runs + usual);
  const most = priced(({ runs, more }) => runs + more);
  const money = total('money', first);
  const tokens = [total('inputTokens', first), total('outputTokens', first)] as const;
  const unknown = unknownIn(turns, prices);
  return {
    calls: count(first),
    moreCalls,
    looks: moreCalls === 0 ? undefined : `expected with further looks: about ${usual}; at most ${most}`,
    cost: { money, unknown, words: costWords(tokens, money, unknown, packagesOf(turns, prices)) } as CostEstimate,
  };
}

type Times = (turn: CountedTurn) => number;

function costWords(
  [input, output]: readonly [number | null, number | null],
  money: number | null,
  unknown: readonly string[],
  from: readonly string[],
): string {
  const whole = (amount: number) => grouped(Math.round(amount));
  const tokens = input === null || output === null ? '' : `about ${whole(input)} tokens in, ${whole(output)} out, `;
  if (money === null) return `${tokens}cost unknown: ${unknown.join('; ')}`;
  return `${tokens}${dollars(money)}${from.length === 0 ? '' : ` (prices of ${from.join(', ')})`}`;
}

/** @throws AgentReplayError `CONFIG_INVALID` if a limit is set and the cost of calls is unknown */
export function checkCost({ maxCost }: Config, { money, unknown }: CostEstimate): void {
  if (maxCost === undefined || money !== null) return;
  throw new AgentReplayError('CONFIG_INVALID', 'maxCost is set, but the cost of the calls is not known.', {
    evidence: unknown.map((reason) => `cost unknown: ${reason}`),
    hint: 'Give the prices of these models per million tokens (prices), install @pydantic/genai-prices, let the agent trace its token usage and pin again, or take maxCost out.',
  });
}

/** A note if the planned calls cost more than the limit. */
export function limitNotes({ maxCost }: Config, { money }: CostEstimate): string[] {
  if (maxCost === undefined || money === null || money <= maxCost) return [];
  return [`these calls are estimated at ${dollars(money)}, and maxCost is $${maxCost}: calls beyond that are not made`];
}

/** Measures the cost of calls to these sessions. */
export function costMeter(sessions: () => readonly PlannedSession[], prices: Prices): CostMeter {
  let of: readonly PlannedSession[] | undefined;
  const estimates = new Map<string, number>();
  return {
    estimate({ session, turn }: ReplayCall): number {
      if (of !== sessions()) estimates.clear();
      of = sessions();
      const key = `${turn} ${session}`;
      const scoped = of.find(({ pin }) => pin.session.id === session);
      const known = estimates.get(key) ?? (scoped && turnCost(scoped, turn, prices).money) ?? 0;
      estimates.set(key, known);
      return known;
    },
    costOf: ({ observations }: Trace) => {
      const usage = usageByModel(observations);
      return usage && (moneyOf(usage, prices) ?? undefined);
    },
  };
}

/** What models used, in US dollars: by the configured prices, or else as recorded; null if neither is known. */
export function moneyOf(usage: readonly ModelUsage[], prices: Prices): number | null {
  return sumOf(
    usage.map(({ model, inputTokens, outputTokens, cost }) => {
      const price = priceOf(model, prices);
      if (price === undefined || inputTokens === undefined || outputTokens === undefined) return cost ?? null;
      // The trace knows better than a table for all.
      if (price.from !== undefined && cost !== undefined) return cost;
      return (inputTokens * price.input + outputTokens * price.output) / PER_TOKENS;
    }),
  );
}

/** The longest matching name wins, a name that the user has given before all others. */
function priceOf(model: string | undefined, prices: Prices): Prices[string] | undefined {
  if (model === undefined) return undefined;
  const found = Object.entries(prices).filter(([name]) => means(name, model));
  const own = found.filter(([, { from }]) => from === undefined);
  const [longest] = (own.length > 0 ? own : found).sort(([a], [b]) => b.length - a.length);
  return longest?.[1];
}

function turnCost(session: PlannedSession, turn: number, prices: Prices): TurnCost {
  const usages = recordingsOf(session, turn).flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  // If other turns show their model calls and this one shows none, it makes none.
  if (usages.flat().length === 0 && asksNone(session, turn)) return { inputTokens: 0, outputTokens: 0, money: 0 };
  return {
    inputTokens: meanOf(usages.map((usage) => sumOf(usage.map((each) => each.inputTokens ?? null)))),
    outputTokens: meanOf(usages.map((usage) => sumOf(usage.map((each) => each.outputTokens ?? null)))),
    money: meanOf(usages.map((usage) => moneyOf(usage, prices))),
  };
}

function recordingsOf({ pin }: PlannedSession, turn: number): Recording[] {
  const { recorded, baselines = [] } = pin.session.turns[turn - 1] ?? {};
  return recorded === undefined ? [] : withoutCopies([recorded, ...baselines]);
}

function asksNone(session: PlannedSession, turn: number): boolean {
  const isTraced = recordingsOf(session, turn).every(
    ({ observations }) => observations.length > 0 && usageByModel(observations) === undefined,
  );
  return isTraced && session.pin.session.turns.some(({ recorded }) => recorded.usage !== undefined);
}

function unknownIn(turns: readonly CountedTurn[], prices: Prices): string[] {
  const open = turns.filter(({ cost }) => cost.money === null);
  const silent = open.filter(({ usage }) => !usage.some(tellsTokens)).map(({ pin }) => pin);
  const told = open.flatMap(({ usage }) => usage.filter(tellsTokens));
  const unpriced = told.flatMap(({ model }) => (priceOf(model, prices) ? [] : (model ?? 'a model without a name')));
  return [
    ...withExamples('the recordings hold no token usage', silent),
    ...withExamples('there is no price', unpriced),
  ];
}

function packagesOf(turns: readonly CountedTurn[], prices: Prices): string[] {
  const unpriced = turns.flatMap(({ usage }) => usage.filter(({ cost }) => cost === undefined));
  const models = new Set(unpriced.map(({ model }) => model));
  return [...new Set([...models].flatMap((model) => priceOf(model, prices)?.from ?? []))];
}

function tellsTokens({ inputTokens, outputTokens }: ModelUsage): boolean {
  return inputTokens !== undefined && outputTokens !== undefined;
}

/** `there is no price: gpt-1, gpt-2, and 3 more` */
function withExamples(what: string, all: readonly string[]): string[] {
  const distinct = [...new Set(all)].sort();
  if (distinct.length === 0) return [];
  const more = distinct.length > NAMED ? [`and ${counted(distinct.length - NAMED, 'other')}`] : [];
  return [`${what}: ${[...distinct.slice(0, NAMED), ...more].join(', ')}`];
}

function sumOf(amounts: readonly (number | null)[]): number | null {
  return amounts.reduce<number | null>((sum, each) => (sum === null || each === null ? null : sum + each), 0);
}

/** The mean of the known amounts; null if none is known. */
function meanOf(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0) / known.length;
}
