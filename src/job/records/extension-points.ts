// Whatever is plugged into a run is one of these four, in one file of its own, and the run names none of them.

import type { Report, SessionOutcome, SessionResult } from '../../report/index.ts';
import type { RunShift, ShiftEvent, ShiftUnit } from '../../shift/index.ts';
import type { PlannedSession } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';

/** Answers the calls of an agent's tools during a replay. `LiveTools` chooses it. */
export type { ToolStandIn } from '../../replay/index.ts';
/** Writes a report in one format. `reportFormats` lists them. */
export type { Reporter } from '../../report/index.ts';
/** Gives the trace of a replay: the receiver, a platform, files. `openTraces` chooses it. */
export type { TraceSource } from '../../tracing/index.ts';

/** The first of `GATES` that takes a session judges it. */
export interface Gate {
  /** As settings and results name it. */
  readonly name: string;
  /** How it judges, after a number of sessions: `by shift`. */
  readonly how: string;
  /** Why it judges a session for which no setting names a gate, after {@link how}. @param isRest other sessions are steady */
  why(isRest: boolean): string;
  /** What somebody must know who named it for these sessions; empty if nothing. */
  note?(sessions: readonly PlannedSession[]): string;
  /**
   * What it tests of a planned session; empty if it judges each run by itself. The runs of tested sessions stay together, in
   * one job and in memory.
   * @param settings that hold for this session
   * @returns undefined: it leaves the session to the next gate
   */
  units(session: PlannedSession, settings: GateSettings): readonly GateUnit[] | undefined;
  /** The looks that it wants next, asked for when all runs so far are over, until it wants none. */
  looks(sessions: readonly JudgedSession[], policy: GatePolicy): readonly Look[];
  /** Pure. */
  verdict(sessions: readonly JudgedSession[], policy: GatePolicy): GateVerdict;
}

/** Turns that are tested as one. */
export interface GateUnit {
  /** Unique in the run. */
  readonly id: string;
  /** From 1. */
  readonly turns: readonly number[];
  /** Runs of each turn at first. Default: `runs`. */
  readonly first?: number;
  /** The most runs of each turn that looks can add. */
  readonly more: number;
  /** Those that they add in the mean while nothing has changed. Default: none. */
  readonly usual?: number;
}

/** `base` is undefined if there is none for the session. */
export type GateSettings = Pick<RunSettings, 'gate' | 'base' | 'context' | 'looks'>;

export interface LedgerPart {
  /** Other sessions are elsewhere, so nothing about all of them is decided here. */
  readonly isPart?: boolean;
  /** Replays that the last look at all sessions reads, where all parts, merged, have asked for it. */
  readonly lastLook?: number;
  /** Tested turns of the whole run, if only one session is here. */
  readonly counted?: number;
  /** The same of a part. Default: those that are here. */
  readonly planned?: number;
  /** A green run simulates what it could have seen, which takes a while. */
  readonly saysSeen?: boolean;
}

export interface GatePolicy extends Pick<RunSettings, 'alpha' | 'minShift' | 'base'>, LedgerPart {
  readonly planned: number;
}

/** Runs of a session that its gate wants beside the first ones, before it looks at all of them. */
export interface Look {
  readonly session: string;
  readonly turns: readonly number[];
  /** The number of the first run and of the last one. */
  readonly from: number;
  readonly to: number;
  /** As a run says it, after "because"; unknown of runs that a journal holds. */
  readonly why?: string;
}

/** What is known of a session; for looks, only finished sessions with units. */
export interface JudgedSession {
  /** Before its gate's verdict. */
  readonly outcome: SessionOutcome;
  /** Undefined if it has no units, or no results. */
  readonly head: SessionRuns | undefined;
  readonly base: SessionRuns | undefined;
  /** Looks that it had so far, beside its first runs. */
  readonly looks: readonly Look[];
}

/** The runs of a session by one agent. */
export interface SessionRuns {
  /** Number of the first runs of each turn. */
  readonly requested: number;
  /** When its recordings were made, and with which models. */
  readonly recordings: SessionResult['recordings'];
  /** Its units; empty if it is in quarantine. @param base whose runs it is tested against, instead of its recordings */
  tested(base?: SessionRuns): readonly TestedTurns[];
  /** Events that fail a turn or raise an alarm, against a base. */
  eventsAgainst(base: SessionRuns, turn: number): readonly ShiftEvent[];
  /** What its runs did that is forbidden, in the words of the rules. */
  forbidden(turn: number): readonly string[];
  /** Runs of a turn that could not be compared. */
  failures(turn: number): JudgedTurn['failures'];
}

/** A unit with its runs. */
export interface TestedTurns {
  readonly session: string;
  readonly unit: ShiftUnit;
  readonly turns: readonly number[];
  /** Of each turn: in how many ways its replays go, and how many of them as a recording does. */
  readonly ways: readonly { readonly behaviours: number; readonly asRecorded: number }[];
  /** Something raises an alarm: against a base it is worth another look. */
  readonly isOdd: boolean;
}

export type JudgedTurn = SessionOutcome['turns'][number];
/** A run of a turn that could not be compared. */
export type RunFailure = JudgedTurn['failures'][number];
export type BaseResult = NonNullable<Report['results']['base']>;

export interface GateVerdict {
  readonly sessions: readonly SessionOutcome[];
  /** Undefined if nothing was tested. */
  readonly shift?: RunShift;
  readonly base?: Pick<BaseResult, 'blame' | 'sessions' | 'drifted' | 'driftedSuites'>;
}
