import type { ComparedStep, CompareRules, RecordedTurn } from '../../compare/index.ts';
import { type PinnedTurn, type RecordingMade, recordingsMade } from '../../session/index.ts';
import { alarmFails, type NeverGreenEvent, neverGreenEvents, type ShiftEvent } from '../../shift/index.ts';
import type { Recording } from '../../trace/index.ts';

type Run = readonly ComparedStep[];

/** The runs of one turn that is judged by shift, as the tests need them. */
export class TurnRuns {
  /** Made by runs, oldest first. */
  readonly made: readonly RecordingMade[];
  /** Recordings to test against: those made by runs, or else the original. */
  readonly recordings: readonly Run[];
  /** By run. */
  readonly replays = new Map<number, Run>();
  readonly #all: readonly Run[];
  readonly #tools: Pick<CompareRules, 'tools'>;
  readonly #read: (recording: Recording) => ComparedStep[];

  constructor(turn: PinnedTurn, recorded: RecordedTurn, compare: CompareRules) {
    this.#read = (recording) => recorded.stepsOf(recording).filter(({ kind }) => KEPT.has(kind));
    this.#tools = compare;
    this.made = recordingsMade(turn);
    this.#all = recorded.recordings.map(this.#read);
    this.recordings = this.made.length > 0 ? this.made.map(this.#read) : this.#all.slice(0, 1);
  }

  add(run: number, recording: Recording): void {
    this.replays.set(run, this.#read(recording));
  }

  /** @param base whose runs count as recordings */
  events(looks: Looks, base?: TurnRuns | undefined): ShiftEvent[] {
    const runs = [...this.replays.keys()].sort((a, b) => a - b);
    const replays = runs.map((run) => this.replays.get(run) as Run);
    const known = [...this.#all, ...(base?.replays.values() ?? [])];
    return neverGreenEvents(known, replays, this.#tools).map((event) => {
      const { tool = '' } = event;
      const isCritical = Object.hasOwn(this.#tools.tools, tool) && this.#tools.tools[tool]?.critical === true;
      return { ...toldEvent(event, runs, looks), ...(isCritical && { isCritical }) };
    });
  }
}

/** How often a turn was looked at. */
interface Looks {
  /** Number of runs over all looks. */
  readonly asked: number;
  /** There was a second look, or it already has all runs that it can have. */
  readonly isLast: boolean;
}

/** @param runs numbers of the replays that it concerns */
export function toldEvent(event: NeverGreenEvent, runs: readonly number[], { asked, isLast }: Looks): ShiftEvent {
  const { kind, weight, tool, replays, of, sentence } = event;
  return {
    kind,
    weight,
    ...(tool !== undefined && { tool }),
    runs: replays.map((place) => runs[place] as number),
    of,
    fails: weight === 'red' || (isLast && alarmFails(event, asked)),
    sentence,
  };
}

/** Tool results and texts in between are not tested. */
const KEPT: ReadonlySet<string> = new Set(['call', 'final', 'error', 'end']);
