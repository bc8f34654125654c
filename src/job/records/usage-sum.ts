import type { Config } from '../../config/index.ts';
import type { Report } from '../../report/index.ts';
import { tokensOf, usageByModel } from '../../session/index.ts';
import type { Trace } from '../../trace/index.ts';
import { moneyOf } from './cost.ts';
import type { TraceUsage } from './journal-format.ts';

type Usage = Report['evidence']['usage'];

/** An agent uses a few models with short names; a longer list is something else. */
const MAX_MODELS = 20;
const MAX_MODEL_CHARS = 200;

/** Undefined if no generation has usage. A missing cost is computed from prices. */
export function usageOf({ observations }: Trace, prices: Config['prices']): TraceUsage | undefined {
  const generations = observations.filter(({ type }) => type === 'generation');
  const byModel = usageByModel(observations);
  const models = new Set(generations.flatMap(({ model }) => (model ? model.slice(0, MAX_MODEL_CHARS) : [])));
  const known = {
    inputTokens: sumOf(generations.map(({ usage }) => tokensOf(usage, 'input'))),
    outputTokens: sumOf(generations.map(({ usage }) => tokensOf(usage, 'output'))),
    cost:
      (byModel && (moneyOf(byModel, prices) ?? undefined)) ??
      sumOf(
        generations.map(({ cost }) => cost && (cost.total ?? Object.values(cost).reduce((sum, part) => sum + part, 0))),
      ),
    models: models.size === 0 ? undefined : [...models].sort().slice(0, MAX_MODELS),
  };
  return Object.values(known).some((value) => value !== undefined) ? known : undefined;
}

function sumOf(amounts: readonly (number | undefined)[]): number | undefined {
  const told = amounts.filter((amount) => amount !== undefined && Number.isFinite(amount)) as number[];
  return told.length === 0 ? undefined : told.reduce((sum, amount) => sum + Math.max(0, amount), 0);
}

const AMOUNTS = ['inputTokens', 'outputTokens', 'cost'] as const;

/** The number of calls and what their traces show, over a whole run. */
export class UsageSum {
  #calls = 0;
  #retries = 0;
  #replaced = 0;
  readonly #known: Record<(typeof AMOUNTS)[number], number | null> = {
    inputTokens: null,
    outputTokens: null,
    cost: null,
  };
  readonly #models = new Set<string>();

  /** Adds a replay whose call was sent. */
  add(attempts: number, usage: TraceUsage = {}): void {
    this.#calls += attempts;
    this.#retries += attempts - 1;
    this.correct({}, usage);
  }

  /** Replaces what a trace showed before it changed. */
  correct(before: TraceUsage = {}, after: TraceUsage = {}): void {
    for (const name of AMOUNTS) {
      if (before[name] === undefined && after[name] === undefined) continue;
      this.#known[name] = (this.#known[name] ?? 0) + (after[name] ?? 0) - (before[name] ?? 0);
    }
    for (const model of after.models ?? []) if (this.#models.size < MAX_MODELS) this.#models.add(model);
  }

  absorb(other: UsageSum): void {
    this.#calls += other.#calls;
    this.#retries += other.#retries;
    this.#replaced += other.#replaced;
    for (const name of AMOUNTS) {
      const amount = other.#known[name];
      if (amount !== null) this.#known[name] = (this.#known[name] ?? 0) + amount;
    }
    this.correct({}, other.models());
  }

  /** Adds a replay that another one replaced. */
  replace(attempts: number, usage?: TraceUsage): void {
    this.#replaced++;
    this.add(attempts, usage);
  }

  sum(): Usage {
    const replaced = this.#replaced > 0 ? { replaced: this.#replaced } : {};
    return { calls: this.#calls, retries: this.#retries, ...replaced, ...this.#known };
  }

  /** Empty if no trace names a model. */
  models(): { models?: string[] } {
    return this.#models.size === 0 ? {} : { models: [...this.#models].sort() };
  }
}
