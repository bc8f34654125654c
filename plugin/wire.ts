import type { Problem, Report, SessionResult, startReplayer } from '../src/rims.ts';

export type Replayer = Awaited<ReturnType<typeof startReplayer>>;
/** Which session a test wants to be replayed, and how. */
type Wanted = Parameters<Replayer['replay']>[0];
export type ReplayedSession = Awaited<ReturnType<Replayer['replay']>>;
export type ReplayedTurn = ReplayedSession['turns'][number];
export type TracedTurn = Omit<ReplayedTurn['behaviours'][number], 'runs'>;
export type StepPair = NonNullable<ReplayedTurn['diverged']>;

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

/** What a test's process asks of Vitest's. */
export interface Question {
  readonly wanted: Wanted;
  /** The test file, absolute. */
  readonly file: string;
  /** Whether that is the pin itself: what its replays do is kept, and accepted with `vitest -u`. */
  readonly isPin: boolean;
}

/** One session, replayed. */
export interface Replayed extends ReplayedSession {
  /** What the report says of it, with what was seen when a replay failed: the processes of tests need not know how. */
  readonly session: SessionResult;
  /** By turn, what differs in runs that count as recorded, minor differences and other words: lines for people. */
  readonly lesser: Readonly<Record<number, readonly string[]>>;
}

export type Answer = { readonly replayed: Replayed } | { readonly problem: Problem };

/** What a test file of a pinned session leaves in its `meta`: with it a report can be made wherever the results come to. */
export interface PinMeta {
  readonly report?: Report | undefined;
  /** What is wrong with the pin. */
  readonly problems: readonly Problem[];
  /** For the test of all sessions together, which is made at the end. */
  readonly tested: ReplayedSession['tested'];
  /** Sentences on what `vitest -u` made of it. */
  readonly accepted: readonly string[];
}

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
  readonly problems: readonly Problem[];
}
