import { AgentReplayError } from '../errors.ts';
import type { ReplayResult } from './result.ts';

/**
 * The calls that stand or fall together: a single one, or all turns of a run that go on from each other's answers. A take
 * in which the model's provider failed is made anew as a whole.
 */
export class Take<Call> {
  /** Those that this one is made in place of, the first one first. */
  readonly before: readonly Take<Call>[];
  readonly #over: { readonly call: Call; readonly result: ReplayResult }[] = [];
  #size: number;

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

  /** Whether another take may do better: its provider had a hiccup, and nothing else leaves it in doubt. */
  get hadHiccup(): boolean {
    return this.#over.some(({ result: { outcome } }) => outcome.kind === 'inconclusive' && outcome.provider?.isHiccup);
  }

  add(call: Call, result: ReplayResult): void {
    this.#over.push({ call, result });
    // Turns are sent in order, but their traces come in any.
    this.#over.sort((a, b) => a.result.turn - b.result.turn);
  }

  /** A call of it is not made. */
  drop(): void {
    this.#size--;
  }

  /** What counts in the end. A take that could not be sent any more is none: the one before it counts. */
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

/** Turns that went on from the answer of an agent whose model had failed say nothing of the agent. */
function spoiled(results: readonly ReplayResult[]): ReplayResult[] {
  const failed = results.findIndex(({ outcome }) => outcome.kind === 'inconclusive' && outcome.provider !== undefined);
  if (failed === -1) return [...results];
  return results.map((result, index) => {
    const { outcome } = result;
    if (index <= failed || outcome.kind === 'inconclusive') return result;
    return { ...result, outcome: { kind: 'inconclusive', error: goneOn(), trace: outcome.trace ?? undefined } };
  });
}

/** Whether a replay is not compared because of an earlier turn, with any trace. */
export function isSpoiled({ outcome }: ReplayResult): boolean {
  return outcome.kind === 'inconclusive' && outcome.error.code === 'PROVIDER_FAILED' && outcome.provider === undefined;
}

function goneOn(): AgentReplayError {
  return new AgentReplayError('PROVIDER_FAILED', 'The turn follows one in which the model provider failed.', {
    hint: 'See that turn.',
  });
}
