import type { Problem, Report, SessionResult, startReplayer } from '../src/rims.ts';

export type Replayer = Awaited<ReturnType<typeof startReplayer>>;
export type Wanted = Parameters<Replayer['replay']>[0];
export type ReplayWhen = NonNullable<Parameters<Replayer['replay']>[1]>;
export type ReplayedTurn = Replayed['turns'][number];
export type TracedTurn = Omit<ReplayedTurn['behaviours'][number], 'runs'>;
export type StepPair = NonNullable<ReplayedTurn['diverged']>;

export const PLUGIN_NAME = 'agent-replay';

/** What tests get with `inject('agentReplay')`. */
export interface Provided {
  readonly agents: readonly {
    readonly id?: string | undefined;
    readonly url: string;
    /** Of every call: the token that opens its endpoint, if this run started it. */
    readonly headers: Readonly<Record<string, string>>;
    /** Where its traces go; absent if only responses are compared. */
    readonly receiver?: string | undefined;
  }[];
  readonly service: { readonly url: string; readonly token: string };
}

/** Of a test process to Vitest's. */
export interface Question {
  readonly wanted: Wanted;
  /** Absolute. */
  readonly file: string;
  /** If the test file is the pin itself: then behaviours are kept, and `vitest -u` accepts them. */
  readonly project?: string | undefined;
}

export type Replayed = Awaited<ReturnType<Replayer['replay']>> & {
  /** With the evidence of failed replays in place, so that test processes need not know how. */
  readonly session: SessionResult;
  /** By turn: minor differences and other words in runs that count as recorded. */
  readonly lesser: Readonly<Record<number, readonly string[]>>;
  /** By turn: its divergence; empty without one. */
  readonly told: Readonly<Record<number, string>>;
};

export type Answer = { readonly replayed: Replayed } | { readonly problem: Problem };

/** In the `meta` of a pin's test file; a report can be made wherever results are collected. */
export interface PinMeta {
  readonly report?: Report | undefined;
  readonly problems: readonly Problem[];
  /** For the test of all sessions together, made at the end. */
  readonly tested: Replayed['tested'];
  /** About what `vitest -u` accepted. */
  readonly accepted: readonly string[];
}

export interface PinnedFile {
  /** Absolute. */
  readonly file: string;
  /** Undefined if the pin could not be read. */
  readonly session?:
    | {
        readonly id: string;
        readonly name: string;
        /** Turns build on the replayed turns before them, and can only be replayed together. */
        readonly inSequence: boolean;
        readonly turns: readonly { readonly turn: number; readonly line: number; readonly column: number }[];
      }
    | undefined;
  readonly problems: readonly Problem[];
}

export function nameOfTurn(turn: number): string {
  return `turn ${turn}`;
}

export function wantedOf({ id, inSequence }: NonNullable<PinnedFile['session']>, turns: number[]): Wanted {
  return { session: id, ...(!inSequence && { turns }) };
}
