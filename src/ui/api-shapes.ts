import type { ReplayAlone } from '../job/index.ts';
import type { LaidStep, ProblemView, reportView, SessionView } from '../report/index.ts';

type ReportView = ReturnType<typeof reportView>;
type Fact = ReportView['facts'][number];

/** Messages between server and page, as JSON. Texts are safe to show as text. */

/** What the page knows before anything is chosen. */
export interface Overview {
  readonly version: string;
  /** Folder of the project. */
  readonly root: string;
  /** Ids of agents that are configured, saved, or named in sessions. */
  readonly agents: readonly string[];
  /** Where sessions are recorded, or why they cannot be read. */
  readonly platform: { readonly url: string } | { readonly problem: ProblemView };
  /** Pins that could not be read. */
  readonly problems: readonly ProblemView[];
}

/** A session in a list. */
export interface SessionHead {
  readonly id: string;
  readonly agentId: string;
  readonly title: string;
  readonly turns: number;
  /** ISO 8601; empty when it is not known. */
  readonly recordedAt: string;
  readonly source: 'pinned' | 'synced' | 'platform';
  /** Unknown for sessions that are only on the platform. */
  readonly replayable?: boolean;
  /** The newest result; absent if it was never run. */
  readonly last?: PastResult;
  /** Its latest runs, oldest first: each the share as recorded, 0 to 1; null if none could be compared. */
  readonly trend?: readonly (number | null)[];
  /** The search's matches; absent without a search. */
  readonly match?: SearchMatch;
}

/** A session's matches of a search. */
export interface SearchMatch {
  /** No session contains the words; this one contains similar ones. */
  readonly isNear: boolean;
  /** The title with its matches; empty without any. */
  readonly title: MarkedText;
  /** The passages with the best matches. */
  readonly snippets: readonly Snippet[];
}

export interface Snippet {
  readonly place: 'id' | 'title' | 'request' | 'tool' | 'arguments' | 'result' | 'answer';
  /** From 1; 0 for text about the whole session. */
  readonly turn: number;
  /** Of the recorded turn, from 1; 0 if it is not a step. */
  readonly step: number;
  /** Of the tool; empty if there is none. */
  readonly name: string;
  readonly text: MarkedText;
}

/** A text in parts, some of which match the search. */
export type MarkedText = readonly { readonly text: string; readonly isMarked: boolean }[];

/** What a search of the platform found, newest first. */
export interface PlatformHits {
  readonly sessions: readonly SessionHead[];
  /** Number of searched traces, and the oldest time, ISO 8601; absent if all were searched. */
  readonly traces?: number;
  readonly lookedBackTo?: string;
}

export interface SessionDetail extends SessionHead {
  readonly replayable: boolean;
  /** The pin's path relative to the root; empty if not pinned. */
  readonly pin: string;
  /** Why none of it can be replayed; empty if it can. */
  readonly reason: string;
  readonly recorded: readonly RecordedTurn[];
  readonly target: TargetState;
  readonly settings: RunSettings;
  /** The kept results of this session, newest first. */
  readonly past: readonly PastResult[];
}

export interface RecordedTurn {
  readonly turn: number;
  /** Why it cannot be replayed; empty if it can. */
  readonly reason: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly model: string;
  readonly steps: readonly LaidStep[];
  readonly more: number;
}

/** Default settings of a run. */
export interface RunSettings {
  readonly runs: number;
  /** Where tool results come from; mixed if the configuration differs by tool. */
  readonly tools: 'live' | 'recorded' | 'mixed';
  readonly gate: 'every-run' | 'shift';
}

/** The target of runs, and the source of their traces. */
export interface TargetState {
  /** The name under which it is saved: the agent's id, or empty. */
  readonly agentId: string;
  /** Empty if unset. */
  readonly url: string;
  readonly from: 'saved' | 'configured' | 'none';
  /** The trace source of a run, in a sentence. */
  readonly source: string;
}

export interface PastResult extends Pick<SessionView, 'verdict' | 'sign' | 'tone' | 'word' | 'asRecorded'> {
  readonly id: string;
  readonly startedAt: string;
  /** The run passed under its policy. */
  readonly passed: boolean;
  /** It was cancelled, so it does not show everything about the agent. */
  readonly isCancelled: boolean;
}

export interface RunResult {
  readonly id: string;
  readonly session: string;
  readonly report: ReportView;
  readonly markdown: string;
  /** For a cancelled one, how many of its replays finished. */
  readonly cancelled?: { readonly came: number; readonly total: number };
}

export interface RunUnderWay {
  readonly id: string;
  readonly session: string;
  /** Runs of one agent go one after another. */
  readonly isWaiting: boolean;
  /** Finished replays out of the total; 0 of 0 while it starts. */
  readonly came: number;
  readonly total: number;
}

/** What can be accepted of a result. */
export interface Acceptables {
  /** The pin that would be written. */
  readonly pin: string;
  /** Why nothing can be accepted; empty if something can. */
  readonly refusal: string;
  readonly changes: readonly AcceptableChange[];
}

export interface AcceptableChange {
  readonly label: string;
  /** The run's number, from 1; null for all. */
  readonly run: number | null;
  readonly asRecordings: boolean;
  /** What would be written; nothing for a turn that is as recorded. */
  readonly turns: readonly AcceptableTurn[];
  /** Why it would be refused; null if it would not. */
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

/** Events of a session's replay, in order. */
export type RunEvent =
  | { readonly kind: 'waiting'; readonly message: string }
  | {
      readonly kind: 'started';
      readonly runs: number;
      readonly turns: readonly number[];
      readonly notes: readonly string[];
    }
  | { readonly kind: 'agent'; readonly state: 'starting' | 'ready' | 'stopping' }
  /** Why the agent is not ready. */
  | { readonly kind: 'awaited'; readonly missing: readonly string[] }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'answered'; readonly turn: number; readonly run: number }
  | ({ readonly kind: 'replayed' } & LiveReplay)
  /** The last event is one of these two. */
  | { readonly kind: 'done'; readonly result: RunResult }
  | { readonly kind: 'failed'; readonly problem: ProblemView };

/** One replay that has come, before all have. */
export interface LiveReplay extends ReplayAlone {
  readonly turn: number;
  readonly run: number;
  readonly facts: readonly Fact[];
}

/** Events of an import, in order. */
export type SyncEvent =
  | { readonly kind: 'found'; readonly count: number }
  | { readonly kind: 'imported'; readonly id: string; readonly done: number; readonly count: number }
  | { readonly kind: 'skipped'; readonly id: string; readonly reason: string }
  | { readonly kind: 'done'; readonly imported: number; readonly count: number }
  | { readonly kind: 'failed'; readonly problem: ProblemView };
