import { AgentReplayError } from '../errors.ts';
import type { ReplayResult } from './replay-result.ts';

/**
 * Calls that stand or fall together: a single one, or all turns of a run that build on each other's answers. If the model's
 * provider fails one of them, the whole take is made again.
 */
export class Take<Call> {
  /** The takes that this one replaces, first one first. */
  readonly before: readonly Take<Call>[];
  readonly #over: { readonly call: Call; readonly result: ReplayResult }[] = [];
  readonly #size: number;

  constructor(size: number, before: readonly Take<Call>[]) {
    this.#size = size;
    this.before = before;
  }

  /** Whether all of its calls are over. */
  get isWhole(): boolean {
    return this.#over.length === this.#size;
  }

  /** In the order in which they were sent. */
  get calls(): readonly Call[] {
    return this.#over.map(({ call }) => call);
  }

  /** Whether another take may do better: its provider had a hiccup, and nothing else keeps it from being compared. */
  get hadHiccup(): boolean {
    return this.#over.some(({ result: { outcome } }) => outcome.kind === 'unverified' && outcome.provider?.isHiccup);
  }

  add(call: Call, result: ReplayResult): void {
    this.#over.push({ call, result });
    // Turns are sent in order, but their traces arrive in any order.
    this.#over.sort((a, b) => a.result.turn - b.result.turn);
  }

  /** If this take could not be sent any more, the one before it counts. */
  results(): ReplayResult[] {
    const failed = this.before.at(-1);
    if (failed !== undefined && this.#over.some(({ result }) => result.callMs === undefined)) return failed.results();
    const own = spoiled(this.#over.map(({ result }) => result));
    if (failed === undefined) return own;
    return own.map((result) => ({
      ...result,
      replaced: this.before
        .flatMap((take) => take.#over.filter((each) => each.result.turn === result.turn))
        .map((each) => each.result),
    }));
  }
}

/** Marks turns that built on the answer of an agent whose model had failed: they show nothing about the agent. */
function spoiled(results: readonly ReplayResult[]): ReplayResult[] {
  const failed = results.findIndex(({ outcome }) => outcome.kind === 'unverified' && outcome.provider !== undefined);
  if (failed === -1) return [...results];
  return results.map((result, index) => {
    const { outcome } = result;
    if (index <= failed || outcome.kind === 'unverified') return result;
    return { ...result, outcome: { kind: 'unverified', error: goneOn(), trace: outcome.trace ?? undefined } };
  });
}

/** Whether a replay is not compared because an earlier turn failed. */
export function isSpoiled({ outcome }: ReplayResult): boolean {
  return outcome.kind === 'unverified' && outcome.error.code === 'PROVIDER_FAILED' && outcome.provider === undefined;
}

function goneOn(): AgentReplayError {
  return new AgentReplayError('PROVIDER_FAILED', 'The turn follows one in which the model provider failed.', {
    hint: 'See that turn.',
  });
}
