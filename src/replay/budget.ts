import { AgentReplayError } from '../errors.ts';
import type { Trace } from '../trace/index.ts';
import type { ReplayCall } from './replay-call.ts';
import type { ReplayOptions } from './replay-options.ts';

/** What calls cost, in US dollars. */
export interface CostMeter {
  /** Before the call is made. */
  estimate(call: ReplayCall): number;
  /** Undefined if the trace does not show it. */
  costOf(trace: Trace): number | undefined;
}

export interface Limits extends Pick<ReplayOptions, 'maxCalls' | 'maxCost'> {
  /** Whose part of the limits these are. */
  readonly shard?: unknown;
}

/** Sums of floating-point estimates are not exact. */
const ROUNDING = 1e-9;

/** How many calls may be made, retries included, and what they may cost in total. */
export class Budget {
  readonly #maxCalls: number;
  readonly #maxCost: number;
  readonly #meter: CostMeter | undefined;
  readonly #isPart: boolean;
  #made = 0;
  #spent = 0;
  /** Estimates of calls that are still in flight. */
  #expected = 0;

  constructor({ maxCalls, maxCost, shard }: Limits, meter?: CostMeter) {
    this.#isPart = shard !== undefined;
    this.#maxCalls = maxCalls ?? Number.POSITIVE_INFINITY;
    this.#maxCost = maxCost ?? Number.POSITIVE_INFINITY;
    this.#meter = maxCost === undefined ? undefined : meter;
  }

  /** Counts calls that were made before this process began. */
  made(call: ReplayCall, attempts: number, cost: number | undefined): void {
    this.#made += attempts;
    this.#spent += cost ?? this.#meter?.estimate(call) ?? 0;
  }

  take(call: ReplayCall): void {
    this.#made++;
    this.#expected += this.#meter?.estimate(call) ?? 0;
  }

  /** The call cost what its trace says, or else what was estimated. */
  settle(call: ReplayCall, trace: Trace | null | undefined): void {
    if (this.#meter === undefined) return;
    const estimate = this.#meter.estimate(call);
    this.#expected -= estimate;
    this.#spent += (trace && this.#meter.costOf(trace)) ?? estimate;
  }

  /** Why this call may not be made; undefined if it may. */
  refusal(call: ReplayCall): AgentReplayError | undefined {
    if (this.#made >= this.#maxCalls) {
      const message = `All ${this.#maxCalls} calls that maxCalls allows ${this.#isPart ? 'this shard, its part of all, ' : ''}have been made.`;
      return new AgentReplayError('CALLS_EXCEEDED', message, {
        hint: 'Raise maxCalls, or replay fewer sessions or runs; --dry-run says how many calls it takes.',
      });
    }
    const cost = this.#spent + this.#expected + (this.#meter?.estimate(call) ?? 0);
    if (cost <= this.#maxCost * (1 + ROUNDING)) return undefined;
    return new AgentReplayError('COST_LIMIT', `With this call the run would cost more than $${this.#maxCost}.`, {
      evidence: [`${this.#isPart ? "this shard's part of maxCost" : 'maxCost'}: ${this.#maxCost}`],
      hint: 'Raise maxCost, or replay fewer sessions or runs; --dry-run says what it takes.',
    });
  }
}
