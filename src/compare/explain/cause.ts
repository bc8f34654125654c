import type { Recording } from '../../trace/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import type { Cause, Difference } from '../shapes/result.ts';
import type { AlignedPair } from './align.ts';
import { isOfEnvironment } from './downstream.ts';
import { type CallPair, type Given, inputHeld, isOutputSame, lengthOf, outputKey, type Runs } from './model-calls.ts';
import { areOfTwoAgents, type OwnChange, ownChanges } from './own-input.ts';
import { type Parting, partingOf } from './parting.ts';
import { SAME_INPUT } from './same-input.ts';
import { Side } from './side.ts';

/** A run with everything in its trace that shows why it behaved so. */
export interface Evidence extends Given {
  readonly steps: readonly KeyedStep[];
  readonly recording?: Pick<Recording, 'asked'>;
}

/** Two runs laid side by side. */
export interface CauseContext {
  readonly recorded: Evidence;
  readonly replayed: Evidence;
  /** The steps of both sides by index, as they were aligned. */
  readonly match: {
    readonly pairs: readonly AlignedPair[];
    readonly recorded: readonly KeyedStep[];
    readonly replayed: readonly KeyedStep[];
  };
  /** All differences, in order. */
  readonly differences: readonly Difference[];
}

/**
 * Why two runs part at a difference, as far as their traces show, without a judge. It looks at the nearest model call
 * before the step and compares its whole input. If the inputs differ, it goes back to where they first part.
 */
export function causeOf(at: Difference, context: CauseContext): Cause {
  return new Finder(at, context).cause();
}

/** An edit of what the agent itself gives its model: the likely reason of other words, which no step shows. */
export function editBetween(...runs: Runs): Cause | undefined {
  for (const call of runs[0].modelCalls.keys()) {
    if (areOfTwoAgents(runs, [call, call])) continue;
    const changes = ownChanges(runs, [call, call]).filter(({ isOfDay }) => !isOfDay);
    if (changes.length > 0) return fromChanges(changes);
  }
  return undefined;
}

class Finder {
  readonly #at: Difference;
  readonly #context: CauseContext;
  readonly #runs: Runs;
  /** Steps at the difference. */
  readonly #a: KeyedStep | undefined;
  readonly #b: KeyedStep | undefined;

  constructor(at: Difference, context: CauseContext) {
    this.#at = at;
    this.#context = context;
    this.#runs = [context.recorded, context.replayed];
    this.#a = context.recorded.steps.find(({ number }) => number === at.recordedStep);
    this.#b = context.replayed.steps.find(({ number }) => number === at.replayedStep);
  }

  cause(): Cause {
    const read = this.#ofWire() ?? this.#ofSubAgent();
    if (read !== undefined) return read;
    if (isOfEnvironment(this.#at)) return this.#ofResult();
    const [recorded, replayed] = this.#runs;
    if (recorded.modelCalls.length === 0 || replayed.modelCalls.length === 0) return this.#withoutModelCalls();
    const pair = this.#pair();
    if (this.#at.kind === 'error') {
      return pair === undefined
        ? unknown('the agent failed outside of any model call or tool, and no trace says why')
        : (this.#ofOwnInput(pair) ?? MODEL_FAILED);
    }
    return pair === undefined ? this.#byItself('before any model call') : this.#ofCalls(pair);
  }

  /** Where models are answered as recorded, what they are asked leaves no doubt. */
  #ofWire(): Cause | undefined {
    const { asked } = this.#context.replayed.recording ?? {};
    if (asked === undefined) return undefined;
    if (asked === '') return { kind: 'agent', detail: 'its code, as its model is asked nothing else' };
    return { kind: 'agent', detail: `its ${asked} is another one than at the base`, changed: [asked] };
  }

  #ofResult(): Cause {
    if (this.#at.kind !== 'error') return OTHER_RESULT;
    return { kind: 'environment', detail: 'the same call ended in another way' };
  }

  /** A result is written by the model calls below its tool, if there are any. */
  #ofSubAgent(): Cause | undefined {
    if (this.#at.kind !== 'result' && this.#at.kind !== 'error') return undefined;
    const [ours, theirs] = [this.#callsBelow(0), this.#callsBelow(1)];
    if (ours.length === 0 || theirs.length === 0) return undefined;
    for (const [index, a] of ours.entries()) {
      const pair: CallPair = [a, theirs[index] ?? (theirs.at(-1) as number)];
      if (
        partingOf(this.#runs, pair).at === 'nothing' &&
        isOutputSame(this.#runs, pair) &&
        ownChanges(this.#runs, pair).length === 0
      )
        continue;
      return this.#ofCalls(pair);
    }
    return this.#at.kind === 'error' ? undefined : this.#byItself('after the same output of the model');
  }

  #callsBelow(side: 0 | 1): number[] {
    const tool = (side === 0 ? this.#a : this.#b)?.observationId;
    return this.#runs[side].modelCalls.flatMap(({ owner }, call) =>
      owner !== undefined && owner === tool ? [call] : [],
    );
  }

  #withoutModelCalls(): Cause {
    if (this.#at.atOnce === true) return AT_ONCE;
    return unknown(`there is no model call in the ${this.#which((run) => run.modelCalls.length === 0)}`);
  }

  /** `traces`, `recorded trace` or `replayed trace`: those for which something is true. */
  #which(holds: (run: Given) => boolean): string {
    const [recorded, replayed] = this.#runs.map(holds);
    return recorded && replayed ? 'traces' : recorded ? 'recorded trace' : 'replayed trace';
  }

  /** The model calls behind both steps. A side without a step there uses the call with the same input. */
  #pair(): CallPair | undefined {
    const [a, b] = [this.#a?.generation, this.#b?.generation];
    if (a !== undefined && b !== undefined) return [a, b];
    if (a === undefined && b === undefined) return undefined;
    const [side, call] = a === undefined ? [0 as const, b as number] : [1 as const, a];
    const pairWith = (other: number): CallPair => (side === 0 ? [other, call] : [call, other]);
    const length = lengthOf(this.#runs[1 - side] as Given, call);
    const isSame = (other: number) =>
      lengthOf(this.#runs[side], other) === length && partingOf(this.#runs, pairWith(other)).at === 'nothing';
    const next = this.#nextCall(side);
    const same = isSame(next) ? next : this.#runs[side].modelCalls.findIndex((_, other) => isSame(other));
    return pairWith(same === -1 ? next : same);
  }

  /** The model call behind what a run did instead of the step it lacks. */
  #nextCall(side: 0 | 1): number {
    const { pairs, recorded, replayed } = this.#context.match;
    const place = pairs.findIndex(({ a, b }) =>
      side === 0 ? replayed[b]?.number === this.#at.replayedStep : recorded[a]?.number === this.#at.recordedStep,
    );
    const steps = pairs.slice(place + 1).map(({ a, b }) => (side === 0 ? recorded[a] : replayed[b]));
    const next = steps.find((step) => step?.generation !== undefined)?.generation;
    return next ?? this.#runs[side].modelCalls.length - 1;
  }

  #ofCalls(pair: CallPair): Cause {
    const own = this.#ofOwnInput(pair);
    if (own !== undefined) return this.#ofRouter(pair) ?? own;
    if (this.#at.atOnce === true) return AT_ONCE;
    const [a, b] = pair;
    for (const [told, says] of [
      ['missing', 'not in'],
      ['cut off', 'cut off in'],
    ] as const) {
      const lacks = (run: Given) => inputHeld(run, run === this.#runs[0] ? a : b) === told;
      if (this.#runs.some(lacks)) return unknown(`what the model was given is ${says} the ${this.#which(lacks)}`);
    }
    return this.#ofParting(pair, partingOf(this.#runs, pair));
  }

  #ofOwnInput(pair: CallPair): Cause | undefined {
    const changes = ownChanges(this.#runs, pair);
    return changes.length === 0 ? undefined : fromChanges(changes);
  }

  /** A model handed the turn to another agent, whose prompt is another one and not an edited one. */
  #ofRouter(pair: CallPair): Cause | undefined {
    if (!areOfTwoAgents(this.#runs, pair)) return undefined;
    const router = this.#runs[0].modelCalls.findIndex((_, call) => {
      if (call >= Math.min(...pair)) return false;
      const both: CallPair = [call, call];
      const isSameInput = ownChanges(this.#runs, both).length === 0 && partingOf(this.#runs, both).at === 'nothing';
      return isSameInput && !isOutputSame(this.#runs, both);
    });
    return router === -1 ? undefined : { kind: 'model', detail: this.#after([router, router]) };
  }

  #ofParting(pair: CallPair, parting: Parting): Cause {
    switch (parting.at) {
      case 'nothing':
        return this.#ofSameInput(pair);
      case 'own':
        return fromChanges([parting.change]);
      case 'thoughts':
        return { kind: 'model', detail: 'after an earlier difference in what it thought' };
      case 'unread':
        return unknown('the input of the model holds a part in an unknown format, and that part differs');
      case 'user':
        return { kind: 'environment', changed: ['messages'], detail: parting.said };
      case 'result': {
        const { tool = 'a tool' } = parting;
        // A prompt that is one text does not tell a user from a tool.
        if (parting.tool === undefined && this.#earlier().every(({ kind }) => kind === 'text' || kind === 'format'))
          return unknown('the text that the model was given differs, and no tool answered otherwise');
        return { kind: 'model', detail: `after a different result of ${tool}${this.#stepOf('result')}` };
      }
      case 'output': {
        const [i, j] = parting.pair;
        // The runs part at one of these two calls here; the other one had the same input.
        if (i === this.#a?.generation || j === this.#b?.generation)
          return this.#ofOwnInput(parting.pair) ?? this.#ofSameInput(parting.pair);
        const own = this.#ofOwnInput(parting.pair);
        const after = this.#after(parting.pair);
        if (own !== undefined) return { ...own, detail: `${own.detail}, ${after}` };
        // A write is told before what led to it, and has the cause of that.
        const root = this.#before(parting.pair);
        const isTold = root?.severity === 'behaviour';
        const at = isTold ? ` at step ${root.recordedStep ?? root.replayedStep}` : '';
        return { kind: 'model', detail: isTold ? `${SAME_INPUT.detail}${at}` : after };
      }
    }
  }

  #ofSameInput(pair: CallPair): Cause {
    const outcomes = this.#runs.map((run, side) => run.modelCalls[pair[side] as number]?.outcome);
    if (outcomes.includes('failed')) return MODEL_FAILED;
    const isUntold = (run: Given) => outcomes[run === this.#runs[0] ? 0 : 1] === 'untold';
    if (this.#runs.some(isUntold)) return unknown(`what the model said is not in the ${this.#which(isUntold)}`);
    // Layout is the model's work too, although it counts as equal.
    if (!isOutputSame(this.#runs, pair) || this.#at.severity === 'noise') return SAME_INPUT;
    if (this.#isAnsweredOtherwise(pair)) return OTHER_RESULT;
    // An agent may assemble its answer from several model calls.
    const outputs = this.#runs.map((run) => run.modelCalls.map((_, call) => outputKey(run, call)));
    const theirs = new Set(outputs[1]);
    const other = outputs[0]?.findIndex((output, call) => call < pair[0] && !theirs.has(output)) ?? -1;
    if (other !== -1) return this.#ofParting(pair, { at: 'output', pair: [other, other] });
    return this.#byItself('after the same output of the model');
  }

  /** A call that one side repeats, such as a poll, because the same call came to something else there. */
  #isAnsweredOtherwise(pair: CallPair): boolean {
    const own = this.#a ?? this.#b;
    if (own === undefined || (this.#a !== undefined && this.#b !== undefined)) return false;
    const outcomes = [this.#context.recorded, this.#context.replayed].map(({ steps }, side) => {
      const made = steps.find(({ exact, generation }) => exact === own.exact && generation === pair[side]);
      return new Side(steps).outcomeOf(made)?.exact;
    });
    return outcomes[0] !== undefined && outcomes[1] !== undefined && outcomes[0] !== outcomes[1];
  }

  /** The earlier difference that the model call has in its input. */
  #after(pair: CallPair): string {
    const first = this.#before(pair);
    return first === undefined
      ? 'after an earlier difference in what it said'
      : `after an earlier ${first.severity} difference at step ${first.recordedStep ?? first.replayedStep}`;
  }

  #before([a, b]: CallPair): Difference | undefined {
    const { recorded, replayed } = this.#context;
    const isOf = ({ recordedStep, replayedStep }: Difference) =>
      recorded.steps.find(({ number }) => number === recordedStep)?.generation === a ||
      replayed.steps.find(({ number }) => number === replayedStep)?.generation === b;
    const own = this.#earlier().filter(isOf);
    return own.find(({ severity }) => severity !== 'noise') ?? own[0];
  }

  /** No trace shows why a step is missing: the agent may have left it out, or what it did may not have come. */
  #byItself(when: string): Cause {
    const isMissing = this.#at.recordedStep !== null && this.#at.replayedStep === null;
    return isMissing
      ? unknown(`the replayed trace does not show the step, ${when}`)
      : { kind: 'agent', detail: `the agent itself did this, ${when}` };
  }

  /** What differs before. */
  #earlier(): readonly Difference[] {
    const { differences } = this.#context;
    return differences.slice(0, differences.indexOf(this.#at));
  }

  #stepOf(kind: Difference['kind']): string {
    const found = this.#earlier().find((each) => each.kind === kind);
    return found === undefined ? '' : ` at step ${found.recordedStep ?? found.replayedStep}`;
  }
}

const AT_ONCE: Cause = { kind: 'concurrency', detail: 'calls made at once, in another order' };
const OTHER_RESULT: Cause = { kind: 'environment', detail: 'same call, other result' };
const MODEL_FAILED: Cause = { kind: 'environment', detail: 'the model call failed' };

function unknown(detail: string): Cause {
  return { kind: 'unknown', detail };
}

/** If only the day differs, the agent is not the cause. */
function fromChanges(changes: readonly OwnChange[]): Cause {
  const own = changes.filter(({ isOfDay }) => !isOfDay);
  const told = own.length === 0 ? changes : own;
  const line = told.find((change) => change.line !== undefined)?.line;
  return {
    kind: own.length === 0 ? 'environment' : 'agent',
    changed: told.map(({ part }) => part),
    detail: told.map(({ said }) => said).join('; '),
    ...(line && { line }),
  };
}
