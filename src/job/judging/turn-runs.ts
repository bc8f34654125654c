import type { ReadStep, RecordedTurn, TurnComparison } from '../../compare/index.ts';
import { type PinnedTurn, type RecordingMade, recordingsMade } from '../../session/index.ts';
import { shiftRun } from '../../shift/index.ts';
import type { Recording } from '../../trace/index.ts';

type Run = readonly ReadStep[];
export type Ways = Pick<TurnComparison['figures'], 'behaviours' | 'asRecorded'>;

/** The runs of one turn that is judged by shift, as the tests need them. */
export class TurnRuns {
  /** Made by runs, oldest first. */
  readonly made: readonly RecordingMade[];
  /** Recordings to test against: those made by runs, or else the original. */
  readonly recordings: readonly Run[];
  /** By run. */
  readonly replays = new Map<number, Run>();
  readonly #all: readonly Run[];
  readonly #read: (recording: Recording) => ReadStep[];

  constructor(turn: PinnedTurn, recorded: RecordedTurn) {
    const known = new WeakMap<Recording, ReadStep[]>();
    this.#read = (recording) => {
      const steps = known.get(recording) ?? recorded.stepsOf(recording).filter(({ kind }) => KEPT.has(kind));
      known.set(recording, steps);
      return steps;
    };
    this.made = recordingsMade(turn);
    this.#all = recorded.recordings.map(this.#read);
    this.recordings = this.made.length > 0 ? this.made.map(this.#read) : this.#all.slice(0, 1);
  }

  add(run: number, recording: Recording): void {
    this.replays.set(run, this.#read(recording));
  }

  /** Equal for runs that the tests cannot tell apart. */
  relationOf(recording: Recording): string {
    return keyOf(this.#read(recording));
  }

  /** In how many ways its replays go, and how many of them go as a recording does: never by what tools return. */
  ways(): Ways {
    const recorded = new Set(this.#all.map(keyOf));
    const replayed = [...this.replays.values()].map(keyOf);
    return { behaviours: new Set(replayed).size, asRecorded: replayed.filter((key) => recorded.has(key)).length };
  }

  /** What the turn is known to do, and what its replays did. @param base whose runs count as recordings */
  sides(base?: TurnRuns) {
    return { recordings: [...this.#all, ...(base?.replays.values() ?? [])], replays: this.replays };
  }
}

/** Tool results and texts in between are not tested. */
const KEPT: ReadonlySet<string> = new Set(['call', 'final', 'error', 'end']);

function keyOf(run: Run): string {
  return JSON.stringify(shiftRun(run));
}
