import type { TracedTurn } from './wire.ts';

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
}

/** Asymmetric matchers may stand for any part of the arguments. */
export type ExpectedCall = string | { readonly name: string; readonly args?: unknown };

/**
 * `strict`: exactly these calls in this order. `unordered`: exactly these calls in any order. `subset`: no other calls than
 * these. `superset`: these calls, and possibly others.
 */
export type TrajectoryMode = 'strict' | 'unordered' | 'subset' | 'superset';

type Equals = (a: unknown, b: unknown) => boolean;

/** The tool calls of a trace, in order. */
export function callsOf({ steps }: TracedTurn): ToolCall[] {
  return steps.filter(({ kind }) => kind === 'call').map(({ name = '', value }) => ({ name, args: value }));
}

/** Arguments that are not given do not matter. */
export function isCall(call: ToolCall, expected: ExpectedCall, equals: Equals): boolean {
  const { name, args } = typeof expected === 'string' ? { name: expected, args: undefined } : expected;
  return call.name === name && (args === undefined || equals(call.args, args));
}

/** Whether the calls are the expected ones under the mode. Each expected call matches one call only. */
export function isTrajectory(
  calls: readonly ToolCall[],
  expected: readonly ExpectedCall[],
  mode: TrajectoryMode,
  equals: Equals,
): boolean {
  const fits = (call: number, place: number) => isCall(calls[call]!, expected[place]!, equals);
  switch (mode) {
    case 'strict':
      return calls.length === expected.length && calls.every((_, index) => fits(index, index));
    case 'unordered':
      return calls.length === expected.length && pairs(calls.length, expected.length, fits) === calls.length;
    case 'subset':
      return pairs(calls.length, expected.length, fits) === calls.length;
    case 'superset':
      return pairs(calls.length, expected.length, fits) === expected.length;
  }
}

/**
 * How many calls can be assigned a place each. With matchers a call may fit several places, so first come, first served is
 * not enough: a call that takes a place moves the one there to another, if it fits one (augmenting paths).
 */
function pairs(calls: number, places: number, fits: (call: number, place: number) => boolean): number {
  const taken = new Map<number, number>();
  const seat = (call: number, tried: Set<number>): boolean => {
    for (let place = 0; place < places; place++) {
      if (tried.has(place) || !fits(call, place)) continue;
      tried.add(place);
      const there = taken.get(place);
      if (there === undefined || seat(there, tried)) {
        taken.set(place, call);
        return true;
      }
    }
    return false;
  };
  return Array.from({ length: calls }, (_, call) => seat(call, new Set())).filter(Boolean).length;
}
