import type { Difference, Verdict } from '../../compare/index.ts';
import type { DiffPart } from '../outputs/changed-words.ts';
import type { LaidStep, LaidStretch, Level, Status } from '../schema.ts';

/**
 * A report as the HTML pages show it: everything is decided and said here, in texts that nothing invisible can act in,
 * and the pages only lay it out. Shared by the report that a run writes and by the Reproducibility page.
 */
export interface ReportView {
  readonly status: Status;
  readonly sign: string;
  readonly title: string;
  readonly message: string;
  /** What sessions are judged by and why, one a line; empty where that goes without saying. */
  readonly gate: readonly string[];
  /** The worst first. */
  readonly sessions: readonly SessionView[];
  /** Of no session. */
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
  /** ISO 8601, of what is a time: shown in the zone of the reader. */
  readonly time?: string | undefined;
}

export interface SessionView {
  readonly id: string;
  readonly name: string;
  readonly pin: string;
  readonly title: string;
  readonly agentId: string;
  readonly verdict: Verdict;
  readonly sign: string;
  /** The verdict, and whether the policy lets it pass. */
  readonly word: string;
  readonly level: Level;
  readonly asRecorded: string;
  readonly agreement: string;
  readonly summary: string;
  /** Share as recorded in its latest runs, 0 to 1, the oldest first; null where none could be compared, empty without a history. */
  readonly trend: readonly (number | null)[];
  readonly turns: readonly TurnView[];
  readonly problems: readonly ProblemView[];
  /** Shell command that replays just this session. */
  readonly rerun: string;
}

export interface TurnView {
  readonly turn: number;
  readonly verdict: Verdict;
  readonly sign: string;
  /** The verdict, and when it was stopped early. */
  readonly word: string;
  /** The first divergence, or why this is the verdict. */
  readonly sentence: string;
  /** Kind of the cause of the first divergence; empty without one. */
  readonly cause: string;
  /** Why, in a clause. */
  readonly causeDetail: string;
  /** Shell command that asks the model again for the step; empty where that is no question. */
  readonly measure: string;
  /** The line of what the model was given that made it differ; null where there is no such line. */
  readonly line: LineView | null;
  /** What raises an alarm, and what sets recordings and replays apart. */
  readonly separation: readonly string[];
  /** Further things to say, one a line. */
  readonly notes: readonly string[];
  /** Conclusive runs. */
  readonly n: number;
  readonly requested: number;
  readonly figures: readonly Fact[];
  /** The figures that matter most, in a line. */
  readonly figuresLine: string;
  /** Share of runs still on the recorded path after each step. */
  readonly survival: readonly { readonly share: number; readonly text: string }[];
  /** The recorded steps. */
  readonly steps: readonly LaidStep[];
  /** Recorded steps that are left out. */
  readonly moreSteps: number;
  /** The recorded one first. */
  readonly behaviours: readonly BehaviourView[];
  readonly ids: readonly IdView[];
  readonly runs: readonly RunView[];
  /** Texts of the replays that are not the recorded ones: the answers first. */
  readonly texts: readonly TextView[];
  /** Texts that are left out. */
  readonly moreTexts: number;
  readonly problems: readonly ProblemView[];
  /** Of runs that were compared all the same. */
  readonly warnings: readonly ProblemView[];
  /** What replays are set beside in the picture: recordings, or runs of the base. */
  readonly besides: { readonly one: string; readonly many: string };
  /** Recordings and replays as dots, one a channel; empty where nothing may have shifted. */
  readonly picture: readonly PictureRow[];
}

/** Where recordings and replays lie, from 0 (as the recordings) to 1 (as the replays). */
export interface PictureRow {
  readonly name: string;
  /** What sets them apart there; empty for a distance. */
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
  /** A letter that stands for it, `A` for the recorded one. */
  readonly letter: string;
  readonly label: string;
  /** `runs 1-3`; empty when no replay did this. */
  readonly runs: string;
  readonly count: number;
  readonly recorded: boolean;
  /** Recordings that did this; null where there is one recording, or the gate does not use more. */
  readonly recordings: number | null;
  /** Step of the recording at which it leaves; null when it does not. */
  readonly leavesAt: number | null;
  readonly meetsAgainAt: number | null;
  readonly sentence: string;
  readonly differences: readonly DifferenceView[];
  /** The recording beside it, what is the same folded; empty when it is not kept, and of the recorded one. */
  readonly rows: readonly (RowView | LaidStretch)[];
  /** Rows that are left out. */
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
  /** Both as one text, when most of it is the same; otherwise empty. */
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

/** An id that is shown by a name, as `<refund_order.hex#1>`, and what it really was. */
export interface IdView {
  readonly name: string;
  /** Letter of a behaviour; empty for the recording. */
  readonly of: string;
  readonly text: string;
}

/** One replay of a turn. */
export interface RunView {
  readonly run: number;
  /** Letter of its behaviour; empty when it could not be compared. */
  readonly behaviour: string;
  readonly recorded: boolean;
  /** As recorded in other words, which were not judged. */
  readonly reworded: boolean;
  /** Why it could not be compared, as a code; empty when it could. */
  readonly problem: string;
  /** Time of the call, its status when it failed, and attempts when there were several. */
  readonly took: string;
  readonly traceId: string;
}

export interface ProblemView {
  readonly code: string;
  /** Where: runs, or a place in a file. */
  readonly where: string;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly hint: string;
}

/** What one run did: of the recording, or the one that stands for a behaviour. */
export interface TraceView {
  readonly traceId: string;
  /** Where it can be looked at on the platform; empty where that is not known. */
  readonly link: string;
  /** ISO 8601; empty when nothing was observed. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** In the order of a tree: a parent, then what it holds. */
  readonly observations: readonly ObservationView[];
  /** Observations that are left out. */
  readonly more: number;
  /** Inputs and outputs of which the beginning is here. */
  readonly cut: number;
  /** Steps whose text is cut in the report, whole. */
  readonly texts: readonly { readonly number: number; readonly text: string }[];
}

export interface ObservationView {
  readonly id: string;
  readonly depth: number;
  readonly type: string;
  readonly name: string;
  /** From the start of the trace. */
  readonly startMs: number;
  /** Null while it is not ended. */
  readonly durationMs: number | null;
  readonly model: string;
  /** Null where they are not known. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly isError: boolean;
  readonly message: string;
  readonly input: string;
  readonly output: string;
  /** Characters of an input or an output that is cut. */
  readonly whole: { readonly input?: number; readonly output?: number };
  /** Numbers of the steps that were made of it. */
  readonly steps: readonly number[];
}
