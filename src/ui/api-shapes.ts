import type { KeptRun, LaidStep, PlacedLines, Problem, Report, SessionResult } from '../report/index.ts';

/** Messages between server and page, as JSON. Texts are redacted and bounded, not yet safe to show. */

/** What the page knows before anything is chosen. */
export interface Overview {
  readonly root: string;
  /** Ids of agents that are configured, saved, or named in sessions. */
  readonly agents: readonly string[];
  /** Where sessions are recorded, or why they cannot be read. */
  readonly platform: { readonly url: string } | { readonly problem: Problem };
  /** Pins that could not be read. */
  readonly problems: readonly Problem[];
}

export interface SessionHead {
  readonly id: string;
  readonly agentId: string;
  readonly title: string;
  /** What the user wrote first; empty if that is not known. */
  readonly asked: string;
  readonly turns: number;
  /** ISO 8601; empty when it is not known. */
  readonly recordedAt: string;
  readonly source: 'pinned' | 'synced';
  readonly replayable: boolean;
  /** Absent if it was never run. */
  readonly last?: PastResult;
}

export interface SessionDetail extends SessionHead {
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
  readonly gate: string;
  /** Tools declared mutating that a run calls for real: as it is configured, and with live tools. */
  readonly acting: Readonly<Record<'configured' | 'live', readonly string[]>>;
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

export interface PastResult {
  readonly id: string;
  readonly startedAt: string;
  /** It was cancelled, so it does not show everything about the agent. */
  readonly isCancelled: boolean;
  /** Without its steps; absent if the run ended before any. */
  readonly session?: SessionResult;
}

export interface RunResult {
  readonly id: string;
  readonly session: string;
  readonly report: Report;
  readonly places: PlacedLines;
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
  /** What it does now. */
  readonly said: string;
  /** Since it was asked for. */
  readonly ms: number;
  /** What to know of it: what could not be written or forwarded. */
  readonly notes: readonly string[];
  /** Once it is over. */
  readonly result?: RunResult;
}

/** What a run did. */
export interface RunToRead extends KeptRun {
  /** Its address on the platform; empty if unknown. */
  readonly link?: string;
}

/** What can be accepted of a result. */
export interface Acceptables {
  /** The pin that would be written. */
  readonly pin: string;
  /** Empty if something can be accepted. */
  readonly refusal: string;
  readonly changes: readonly AcceptableChange[];
}

export interface AcceptableChange {
  readonly label: string;
  /** The run's number, from 1; null for all. */
  readonly run: number | null;
  readonly asRecordings: boolean;
  /** What would be written; nothing for a turn that is as recorded. */
  readonly notes: readonly string[];
  /** Why it would be refused; null if it would not. */
  readonly refusal: Problem | null;
}

/** The last import from the platform. */
export interface SyncState {
  readonly isRunning: boolean;
  readonly imported: number;
  readonly count: number;
  /** What was left out, and why. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  /** Why it ended early. */
  readonly failure?: Problem;
}
