import type { Difference, Outcome, Tone } from '../../compare/index.ts';
import type { LaidStep, LaidStretch, Level, Status } from '../schema.ts';
import type { DiffPart } from '../words/changed-words.ts';

/**
 * A report as the HTML pages show it. Everything is decided and worded here, in texts without invisible characters; the
 * pages only lay it out. Used by the HTML report and by the Reproducibility page.
 */
export interface ReportView {
  readonly status: Status;
  readonly sign: string;
  readonly title: string;
  readonly message: string;
  /** Which gate judges which sessions and why, one entry per line; empty if that is obvious. */
  readonly gate: readonly string[];
  /** Worst first. */
  readonly sessions: readonly SessionView[];
  /** Problems that belong to no session. */
  readonly problems: readonly ProblemView[];
  readonly significance: readonly string[];
  /** What was run, where and how. */
  readonly facts: readonly Fact[];
  readonly usage: string;
  readonly log: readonly string[];
}

/** One named figure or circumstance; `hint` explains it. */
export interface Fact {
  readonly name: string;
  readonly text: string;
  readonly hint?: string | undefined;
  /** ISO 8601, for a time: shown in the reader's zone. */
  readonly time?: string | undefined;
}

/** A verdict, and how it is drawn. */
export interface VerdictLook {
  readonly verdict: Outcome;
  readonly sign: string;
  readonly tone: Tone;
}

export interface SessionView extends VerdictLook {
  readonly id: string;
  readonly name: string;
  readonly pin: string;
  readonly title: string;
  readonly agentId: string;
  /** The verdict, and whether the policy lets it pass. */
  readonly word: string;
  readonly level: Level;
  readonly asRecorded: string;
  readonly agreement: string;
  readonly summary: string;
  /** Share as recorded in its latest runs, 0 to 1, oldest first; null if none could be compared, empty without a history. */
  readonly trend: readonly (number | null)[];
  readonly turns: readonly TurnView[];
  readonly problems: readonly ProblemView[];
  /** Shell command that replays just this session. */
  readonly rerun: string;
}

export interface TurnView extends VerdictLook {
  readonly turn: number;
  readonly word: string;
  /** The first divergence, or the reason for the verdict. */
  readonly sentence: string;
  /** Kind of the cause of the first divergence; empty without one. */
  readonly cause: string;
  /** Why, in a clause. */
  readonly causeDetail: string;
  /** Shell command that asks the model again at this step; empty if the model is not the question. */
  readonly measure: string;
  /** The line of the model's input that made the difference; null if there is none. */
  readonly line: LineView | null;
  /** What raises an alarm, and how recordings and replays differ. */
  readonly separation: readonly string[];
  /** Further notes, one per line. */
  readonly notes: readonly string[];
  /** Conclusive runs. */
  readonly n: number;
  readonly requested: number;
  readonly figures: readonly Fact[];
  /** The figures that matter most, in a line. */
  readonly figuresLine: string;
  /** Share of runs still on the recorded path after each step. */
  readonly survival: readonly { readonly share: number; readonly text: string }[];
  readonly steps: readonly LaidStep[];
  /** Number of recorded steps left out. */
  readonly moreSteps: number;
  /** The recorded one first. */
  readonly behaviours: readonly BehaviourView[];
  readonly ids: readonly IdView[];
  readonly runs: readonly RunView[];
  /** Texts of the replays that differ from the recorded ones, answers first. */
  readonly texts: readonly TextView[];
  /** Number of texts left out. */
  readonly moreTexts: number;
  readonly problems: readonly ProblemView[];
  /** About runs that were compared. */
  readonly warnings: readonly ProblemView[];
  /** What the picture shows beside the replays: recordings, or runs of the base. */
  readonly besides: { readonly one: string; readonly many: string };
  /** Recordings and replays as dots, one row per channel; empty if nothing may have shifted. */
  readonly picture: readonly PictureRow[];
}

/** Positions of recordings and replays, from 0 (as the recordings) to 1 (as the replays). */
export interface PictureRow {
  readonly name: string;
  /** What sets them apart in this row; empty for a distance. */
  readonly feature: string;
  readonly recordings: readonly number[];
  readonly replays: readonly number[];
}

/** A line that was edited; null on the side that lacks it. */
export interface LineView {
  /** `System prompt, line 5`. */
  readonly place: string;
  readonly recorded: string | null;
  readonly replayed: string | null;
}

/** Runs that behaved alike. */
export interface BehaviourView {
  /** The letter of the behaviour; `A` is the recorded one. */
  readonly letter: string;
  readonly label: string;
  /** `runs 1-3`; empty if no replay did this. */
  readonly runs: string;
  readonly count: number;
  readonly recorded: boolean;
  /** Number of recordings that did this; null if there is only one, or the gate uses no others. */
  readonly recordings: number | null;
  /** Step of the recording at which it leaves; null if it does not. */
  readonly leavesAt: number | null;
  readonly meetsAgainAt: number | null;
  readonly sentence: string;
  readonly differences: readonly DifferenceView[];
  /** Its steps beside the recording, equal ones folded; empty for the recorded behaviour, or if it was not kept. */
  readonly rows: readonly (RowView | LaidStretch)[];
  /** Number of rows left out. */
  readonly more: number;
}

export interface RowView {
  readonly recorded: LaidStep | null;
  readonly replayed: LaidStep | null;
  readonly same: boolean;
}

export interface DifferenceView {
  readonly what: string;
  /** JSON pointer into the value; empty for all of it. */
  readonly pointer: string;
  readonly severity: Difference['severity'];
  readonly recordedStep: number | null;
  readonly replayedStep: number | null;
  readonly recorded: string;
  readonly replayed: string;
  /** Both texts merged, if most of them is the same; otherwise empty. */
  readonly words: readonly DiffPart[];
}

/** A text that some replays say. */
export interface TextView {
  /** `A`, `runs 1-3`. */
  readonly letter: string;
  readonly recorded: boolean;
  readonly runs: string;
  readonly difference: DifferenceView;
}

/** An id that is shown by a name, such as `<refund_order.hex#1>`, and its real value. */
export interface IdView {
  readonly name: string;
  /** Letter of a behaviour; empty for the recording. */
  readonly of: string;
  readonly text: string;
}

export interface RunView extends VerdictLook {
  readonly run: number;
  /** Letter of its behaviour; empty if it could not be compared. */
  readonly behaviour: string;
  readonly recorded: boolean;
  /** Whether it passes by itself; if it could not be compared, why, as a code. */
  readonly word: string;
  /** Time of the call, its status if it failed, and attempts if there were several. */
  readonly took: string;
  readonly traceId: string;
}

export interface ProblemView {
  readonly code: string;
  /** Runs, or a place in a file. */
  readonly where: string;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly hint: string;
}

/** What one run did: the recording, or the run that stands for a behaviour. */
export interface TraceView {
  readonly traceId: string;
  /** Where to look at it on the platform; empty if unknown. */
  readonly link: string;
  /** ISO 8601; empty if nothing was observed. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** In tree order: a parent, then its children. */
  readonly observations: readonly ObservationView[];
  /** Number of observations left out. */
  readonly more: number;
  /** Number of inputs and outputs that are cut here. */
  readonly cut: number;
  /** The whole text of steps that the report cuts. */
  readonly texts: readonly { readonly number: number; readonly text: string }[];
}

export interface ObservationView {
  readonly id: string;
  readonly depth: number;
  readonly type: string;
  readonly name: string;
  /** From the start of the trace. */
  readonly startMs: number;
  /** Null until it has ended. */
  readonly durationMs: number | null;
  readonly model: string;
  /** Null if unknown. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly isError: boolean;
  readonly message: string;
  readonly input: string;
  readonly output: string;
  /** Length in characters of an input or output that is cut. */
  readonly whole: { readonly input?: number; readonly output?: number };
  /** Numbers of the steps that were made from it. */
  readonly steps: readonly number[];
}
