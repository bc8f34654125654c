import type { ReplayedTurn, SessionResult, Status, Wanted } from '../src/index.ts';

/** Name of the plugin among those of Vite. */
export const PLUGIN_NAME = 'agent-replay';

/** What tests get with `inject('agentReplay')`. */
export interface Provided {
  /** The agents that were started for this run of Vitest. */
  readonly agents: readonly {
    readonly id?: string | undefined;
    /** The target URL. */
    readonly url: string;
    /** Where its traces go; absent when responses only are compared. */
    readonly receiver?: string | undefined;
  }[];
  /** Where the tests' processes ask for replays. */
  readonly service: { readonly url: string; readonly token: string };
}

/** A failure as it crosses from Vitest's process into a test's. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly hint?: string | undefined;
}

/** The answer to {@link Wanted}: one session, replayed. */
export interface Replayed {
  readonly status: Status;
  readonly session: SessionResult;
  readonly turns: readonly ReplayedTurn[];
}

export type Question = Wanted;
export type Answer = { readonly replayed: Replayed } | { readonly problem: Problem };

/** A pinned session as a test file. */
export interface PinnedFile {
  /** Absolute. */
  readonly file: string;
  /** Undefined when the pin could not be read. */
  readonly session?:
    | {
        readonly id: string;
        readonly title?: string | undefined;
        /** Whether each turn goes on from the replayed one before it, so that they can only be replayed together. */
        readonly inSequence: boolean;
        readonly turns: readonly { readonly turn: number; readonly line: number; readonly column: number }[];
      }
    | undefined;
  /** What is wrong with the file. */
  readonly problems: readonly (Problem & { readonly line: number; readonly column: number })[];
}
