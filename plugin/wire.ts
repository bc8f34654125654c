import type { Problem, Report, SessionResult, startReplayer } from '../src/rims.ts';

export type Replayer = Awaited<ReturnType<typeof startReplayer>>;
/** Which session a test wants replayed, and how. */
export type Wanted = Parameters<Replayer['replay']>[0];
export type ReplayOptions = NonNullable<Parameters<Replayer['replay']>[1]>;
export type ReplayedTurn = Replayed['turns'][number];
export type TracedTurn = Omit<ReplayedTurn['behaviours'][number], 'runs'>;
export type StepPair = NonNullable<ReplayedTurn['diverged']>;

export const PLUGIN_NAME = 'agent-replay';

/** What tests get with `inject('agentReplay')`. */
export interface Provided {
  /** The agents started for this run of Vitest. */
  readonly agents: readonly {
    readonly id?: string | undefined;
    /** The target URL. */
    readonly url: string;
    /** Of every call: the token that opens its endpoint, if this run started it. */
    readonly headers: Readonly<Record<string, string>>;
    /** Where its traces go; absent if only responses are compared. */
    readonly receiver?: string | undefined;
  }[];
  /** Where test processes ask for replays. */
  readonly service: { readonly url: string; readonly token: string };
}

/** A test process's question to Vitest's process. */
export interface Question {
  readonly wanted: Wanted;
  /** The test file, absolute. */
  readonly file: string;
  /** If the test file is the pin itself: then behaviours are kept, and `vitest -u` accepts them. */
  readonly project?: string | undefined;
}

/** One replayed session. */
export type Replayed = Awaited<ReturnType<Replayer['replay']>> & {
  /** With the evidence of failed replays in place, so that test processes need not know how. */
  readonly session: SessionResult;
  /** By turn: minor differences and other words in runs that count as recorded, as lines for people. */
  readonly lesser: Readonly<Record<number, readonly string[]>>;
  /** By turn: its divergence in words; empty without one. */
  readonly divergences: Readonly<Record<number, string>>;
  /** By turn in which replays disagree: how the two most frequent behaviours differ, as a verb with its object. */
  readonly disagreements: Readonly<Record<number, string>>;
};

export type Answer = { readonly replayed: Replayed } | { readonly problem: Problem };

/** What a pin's test file leaves in its `meta`, from which a report can be made wherever the results are collected. */
export interface PinMeta {
  readonly report?: Report | undefined;
  /** Mistakes in the pin. */
  readonly problems: readonly Problem[];
  /** For the test of all sessions together, made at the end. */
  readonly tested: Replayed['tested'];
  /** Sentences about what `vitest -u` accepted. */
  readonly accepted: readonly string[];
}

/** A pinned session as a test file. */
export interface PinnedFile {
  /** Absolute. */
  readonly file: string;
  /** Undefined if the pin could not be read. */
  readonly session?:
    | {
        readonly id: string;
        /** Of its suite. */
        readonly name: string;
        /** Whether turns build on the replayed turns before them, and so can only be replayed together. */
        readonly inSequence: boolean;
        readonly turns: readonly { readonly turn: number; readonly line: number; readonly column: number }[];
      }
    | undefined;
  /** Mistakes in the file. */
  readonly problems: readonly Problem[];
}

/** The name of a turn's test. */
export function nameOfTurn(turn: number): string {
  return `turn ${turn}`;
}

/** What the tests of a pin ask for. @param turns those whose tests run */
export function wantedOf({ id, inSequence }: NonNullable<PinnedFile['session']>, turns: number[]): Wanted {
  return { session: id, ...(!inSequence && { turns }) };
}
