import type { ReplayCall } from './replay-call.ts';
import type { ReplayOptions } from './replay-options.ts';

/** Calls that go one after another. Lanes run side by side. */
interface Lane<T> {
  readonly calls: Iterator<T>;
  /** Calls to make once those are over. */
  readonly added: T[];
  isOver: boolean;
}

export interface Slot<T> {
  readonly call: T;
  readonly lane: Lane<T>;
}

/**
 * Sessions are opened one after another, so that the calls of one are sent, and finished, together; within a session
 * run by run. Only open lanes take memory.
 */
export class Schedule<T> {
  readonly #lanes: Iterator<Iterator<T>>;
  readonly #open: Lane<T>[] = [];

  constructor(lanes: Iterator<Iterator<T>>) {
    this.#lanes = lanes;
  }

  /** The call that may go now; undefined if all are done or another must finish first. */
  next(): Slot<T> | undefined {
    for (;;) {
      const lane = this.#open.shift() ?? this.#nextLane();
      if (lane === undefined) return undefined;
      const step = lane.calls.next();
      const call = step.done ? lane.added.shift() : step.value;
      if (call !== undefined) return { call, lane };
      lane.isOver = true;
    }
  }

  /** The call is over, so the next one of its lane may go. */
  release({ lane }: Slot<T>): void {
    this.#open.push(lane);
  }

  /** Adds calls that replace others of the same lane. They go at its end, before lanes that have not begun. */
  append({ lane }: Slot<T>, calls: readonly T[]): void {
    lane.added.push(...calls);
    if (!lane.isOver) return;
    lane.isOver = false;
    this.#open.unshift(lane);
  }

  #nextLane(): Lane<T> | undefined {
    const { value } = this.#lanes.next();
    return value && { calls: value, added: [], isOver: false };
  }
}

type Order = Pick<ReplayOptions, 'context' | 'runs'> & {
  /** Sessions take turns, run by run. */
  readonly byRound?: boolean;
};

interface Scheduled {
  readonly id: string;
  readonly turns: readonly { readonly turn: number }[];
  /** Numbers of its runs. Default: as many as the order says. */
  readonly runs?: readonly number[];
}

/**
 * The lanes of all sessions: one per run if its turns go one after another, otherwise one per call.
 * @param open prepares a session when its first call is near; called for each of its calls
 */
export function* lanesOf<S extends Scheduled, T>(
  sessions: Iterable<S>,
  { context, runs: count, byRound }: Order,
  open: (session: S) => (call: ReplayCall) => T,
): Generator<Iterator<T>> {
  const inOrder = Array.from({ length: count }, (_, index) => index + 1);
  const rowsOf = (session: S) => {
    const planned = open(session);
    const row = function* (run: number): Generator<T> {
      for (const { turn } of session.turns) yield planned({ session: session.id, turn, run });
    };
    return { runs: session.runs ?? inOrder, row };
  };
  const lanesOfRun = function* (row: Generator<T>): Generator<Iterator<T>> {
    if (context === 'sequence') yield row;
    else for (const call of row) yield [call].values();
  };
  if (byRound) {
    const all = [...sessions].map(rowsOf);
    const most = all.reduce((length, { runs }) => Math.max(length, runs.length), 0);
    for (let at = 0; at < most; at++) {
      for (const { runs, row } of all) {
        const run = runs[at];
        if (run !== undefined) yield* lanesOfRun(row(run));
      }
    }
    return;
  }
  for (const session of sessions) {
    const { runs, row } = rowsOf(session);
    for (const run of runs) yield* lanesOfRun(row(run));
  }
}
