import type { Verdict } from '../compare/index.ts';
import type { ReplayAlone } from '../job/index.ts';
import type { LaidStep, ProblemView, reportView } from '../report/index.ts';

type ReportView = ReturnType<typeof reportView>;
type Fact = ReportView['facts'][number];

/** What the server and its page tell each other, as JSON. Texts are safe to be shown as text. */

/** What the page knows before anything is chosen. */
export interface Overview {
  readonly version: string;
  /** Folder of the project. */
  readonly root: string;
  /** Ids of agents that are configured, saved, or named by a session. */
  readonly agents: readonly string[];
  /** Where sessions are recorded; why they cannot be read, when they cannot. */
  readonly platform: { readonly url: string } | { readonly problem: ProblemView };
  /** Pins that could not be read. */
  readonly problems: readonly ProblemView[];
}

/** A session as it is found. */
export interface SessionHead {
  readonly id: string;
  readonly agentId: string;
  readonly title: string;
  readonly turns: number;
  /** ISO 8601; empty when it is not known. */
  readonly recordedAt: string;
  readonly source: 'pinned' | 'synced' | 'platform';
  /** Not known of what is on the platform only. */
  readonly replayable?: boolean;
  /** The newest result that is kept; of a session that was never run there is none. */
  readonly last?: PastResult;
  /** Its latest runs, the oldest first: of each the share as recorded, 0 to 1; null where none could be compared. */
  readonly trend?: readonly (number | null)[];
  /** Where it says what was searched for; left out without a search for words. */
  readonly match?: SearchMatch;
}

/** Where a session says what was searched for. */
export interface SearchMatch {
  /** No session holds the words: this one holds some that are very like them. */
  readonly isNear: boolean;
  /** The title, with what was found in it; empty when there is none. */
  readonly title: MarkedText;
  /** The passages that say most of it. */
  readonly snippets: readonly Snippet[];
}

export interface Snippet {
  readonly place: 'id' | 'title' | 'request' | 'tool' | 'arguments' | 'result' | 'answer';
  /** From 1; 0 for what is said of the whole session. */
  readonly turn: number;
  /** Of the recorded turn, from 1; 0 for what is no step. */
  readonly step: number;
  /** Of the tool; empty where there is none. */
  readonly name: string;
  readonly text: MarkedText;
}

/** A text in parts, of which some were searched for. */
export type MarkedText = readonly { readonly text: string; readonly isMarked: boolean }[];

/** What a search of the platform has found, the newest first. */
export interface PlatformHits {
  readonly sessions: readonly SessionHead[];
  /** Traces that were looked through, and back to when, ISO 8601; left out when it was all. */
  readonly traces?: number;
  readonly lookedBackTo?: string;
}

/** What is searched for; what is empty does not matter. */
export interface SessionQuery {
  /** Words that all stand in id, title, requests, tools, arguments, results or answers, as wholes or as their beginnings. */
  readonly text: string;
  readonly agentId: string;
  /** Recorded since then, ISO 8601. */
  readonly since: string;
}

export interface SessionDetail extends SessionHead {
  readonly replayable: boolean;
  /** The pin's path from the root; empty when it is not pinned. */
  readonly pin: string;
  /** Why none of it can be replayed; empty when it can. */
  readonly reason: string;
  readonly recorded: readonly RecordedTurn[];
  readonly target: TargetState;
  readonly settings: RunSettings;
  /** The results of this session that are kept, the newest first. */
  readonly past: readonly PastResult[];
  /** Runs of it over time, drawn as SVG, when there are at least two. */
  readonly chart: string;
}

export interface RecordedTurn {
  readonly turn: number;
  /** Why it cannot be replayed; empty when it can. */
  readonly reason: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly model: string;
  readonly steps: readonly LaidStep[];
  readonly more: number;
}

export type GateKind = 'every-run' | 'shift';

/** What a run goes by when nothing else is chosen for it. */
export interface RunSettings {
  readonly runs: number;
  /** Where the results of tools come from; mixed where the configuration says it tool by tool. */
  readonly tools: 'live' | 'recorded' | 'mixed';
  readonly gate: GateKind;
}

/** Where runs go, and where their traces are read from. */
export interface TargetState {
  /** Under which name it is saved: the agent's id, empty when there is none. */
  readonly agentId: string;
  /** Empty when none is set. */
  readonly url: string;
  readonly from: 'saved' | 'configured' | 'none';
  /** Which trace source a run will use, in a sentence. */
  readonly source: string;
}

export interface PastResult {
  readonly id: string;
  readonly startedAt: string;
  readonly sign: string;
  /** The run passed, by the policy that it was judged by. */
  readonly passed: boolean;
  /** It was cancelled: what it says of the agent is not all. */
  readonly isCancelled: boolean;
  readonly verdict: Verdict;
  /** The verdict, and whether the policy lets it pass. */
  readonly word: string;
  readonly asRecorded: string;
}

/** A result that is kept. */
export interface RunResult {
  readonly id: string;
  readonly session: string;
  readonly report: ReportView;
  readonly markdown: string;
  /** Of one that was cancelled, how many of its replays had come. */
  readonly cancelled?: { readonly came: number; readonly total: number };
}

/** A run that is under way. */
export interface RunUnderWay {
  readonly id: string;
  readonly session: string;
  /** Runs of one agent go one after another. */
  readonly isWaiting: boolean;
  /** Replays that have come, of so many; 0 of 0 while it starts. */
  readonly came: number;
  readonly total: number;
}

/** What of a result can be accepted. */
export interface Acceptables {
  /** The pin that would be written. */
  readonly pin: string;
  /** Why nothing of it can be; empty when something can. */
  readonly refusal: string;
  readonly changes: readonly AcceptableChange[];
}

/** One way to accept a result. */
export interface AcceptableChange {
  readonly label: string;
  /** The run that is meant, from 1; null for all. */
  readonly run: number | null;
  readonly asRecordings: boolean;
  /** What would be written; of a turn that is as recorded nothing. */
  readonly turns: readonly AcceptableTurn[];
  /** Why it would be refused; null when it would not. */
  readonly refusal: ProblemView | null;
}

export interface AcceptableTurn {
  readonly turn: number;
  /** Instead of a diff; empty where there is one. */
  readonly note: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added' | 'cut';
  readonly text: string;
}

/** What happens while a session is replayed, in order. */
export type RunEvent =
  | { readonly kind: 'waiting'; readonly message: string }
  | {
      readonly kind: 'started';
      readonly runs: number;
      readonly turns: readonly number[];
      readonly notes: readonly string[];
    }
  | { readonly kind: 'agent'; readonly state: 'starting' | 'ready' | 'stopping' }
  /** What keeps the agent from being ready. */
  | { readonly kind: 'awaited'; readonly missing: readonly string[] }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'answered'; readonly turn: number; readonly run: number }
  | ({ readonly kind: 'replayed' } & LiveReplay)
  /** The last one, one of two. */
  | { readonly kind: 'done'; readonly result: RunResult }
  | { readonly kind: 'failed'; readonly problem: ProblemView };

/** One replay that has come, before all have. */
export interface LiveReplay extends ReplayAlone {
  readonly turn: number;
  readonly run: number;
  readonly facts: readonly Fact[];
}

/** What happens while sessions are imported, in order. */
export type SyncEvent =
  | { readonly kind: 'found'; readonly count: number }
  | { readonly kind: 'imported'; readonly id: string; readonly done: number; readonly count: number }
  | { readonly kind: 'skipped'; readonly id: string; readonly reason: string }
  | { readonly kind: 'done'; readonly imported: number; readonly count: number }
  | { readonly kind: 'failed'; readonly problem: ProblemView };
