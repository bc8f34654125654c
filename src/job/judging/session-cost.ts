import type { Config } from '../../config/index.ts';
import { recordingsMade } from '../../session/index.ts';
import type { Spent, SpentRun } from '../../shift/index.ts';
import type { ModelUsage, Recording } from '../../trace/index.ts';
import { moneyOf } from '../records/cost.ts';
import type { PlannedSession } from '../records/run-scope.ts';

/** What an output token counts, in tokens in, where no price is known: most models ask four times as much for it. */
const OUT_IN_TOKENS = 4;

/** Null: its trace does not tell. */
type Used = (Omit<SpentRun, 'price'> & { readonly weighed: number; readonly money: number | null }) | null;

export class SessionCost {
  readonly #prices: Config['prices'];
  /** By turn: of each recording. */
  readonly #recorded: ReadonlyMap<number, readonly Used[]>;
  /** By turn and run. */
  readonly #replayed: ReadonlyMap<number, Map<number, Used>>;

  constructor({ pin, turns }: PlannedSession, prices: Config['prices']) {
    this.#prices = prices;
    this.#recorded = new Map(
      turns.map((turn) => {
        const { recorded, ...more } = pin.session.turns[turn - 1] ?? {};
        const made = recordingsMade(more);
        return [turn, (made.length > 0 ? made : recorded ? [recorded] : []).map((each) => this.#usedBy(each))];
      }),
    );
    this.#replayed = new Map(turns.map((turn) => [turn, new Map()]));
  }

  /** A conclusive replay. */
  add(turn: number, run: number, recording: Recording): void {
    this.#replayed.get(turn)?.set(run, this.#usedBy(recording));
  }

  /** Undefined if no run tells what it used. @param asked how often each turn was to be replayed: looks differ by turn */
  spent(asked: (turn: number) => number): Spent | undefined {
    // A turn of which no recording tells anything asks no model.
    const turns = [...this.#recorded].filter(([, used]) => used.some((each) => each !== null));
    const told = turns.length > 0 ? turns : [...this.#recorded];
    if (told.length === 0) return undefined;
    const recorded = told.map(([, used]) => used);
    const replayed = told.map(([turn]) => this.#replayed.get(turn) ?? new Map<number, Used>());
    const runs = [...(replayed[0]?.keys() ?? [])].sort((a, b) => a - b);
    const recordings = Math.min(...recorded.map(({ length }) => length));
    const before = Array.from({ length: recordings }, (_, index) => sumOf(recorded.map((used) => used[index])));
    const now = runs.map((run) => sumOf(replayed.map((used) => used.get(run))));
    const all = [...before, ...now].filter((used) => used !== null);
    if (all.length === 0) return undefined;
    const unit = all.every(({ money }) => money !== null) ? 'money' : 'tokens';
    const known = (of: readonly Used[]): SpentRun[] =>
      of.flatMap((used) =>
        used === null
          ? []
          : { calls: used.calls, tokens: used.tokens, price: unit === 'money' ? (used.money as number) : used.weighed },
      );
    return {
      unit,
      recordings: known(before),
      replays: known(now),
      asked: Math.min(...told.map(([turn]) => asked(turn))),
    };
  }

  #usedBy({ usage }: Pick<Recording, 'usage'>): Used {
    const told = usage?.filter(tellsTokens) ?? [];
    if (usage === undefined || told.length < usage.length || told.length === 0) return null;
    const total = (of: (each: (typeof told)[number]) => number) => told.reduce((sum, each) => sum + of(each), 0);
    const [input, output] = [total((each) => each.inputTokens), total((each) => each.outputTokens)];
    const calls = total((each) => each.calls);
    return {
      calls,
      tokens: input + output,
      weighed: input + OUT_IN_TOKENS * output,
      money: moneyOf(usage, this.#prices),
    };
  }
}

function tellsTokens(usage: ModelUsage): usage is ModelUsage & { inputTokens: number; outputTokens: number } {
  return usage.inputTokens !== undefined && usage.outputTokens !== undefined;
}

/** Of all turns of a run; null if one of them is unknown. */
function sumOf(turns: readonly (Used | undefined)[]): Used {
  return turns.reduce<Used>(
    (sum, used) =>
      sum &&
      (used
        ? {
            calls: sum.calls + used.calls,
            tokens: sum.tokens + used.tokens,
            weighed: sum.weighed + used.weighed,
            money: sum.money === null || used.money === null ? null : sum.money + used.money,
          }
        : null),
    { calls: 0, tokens: 0, weighed: 0, money: 0 },
  );
}
