import type { KnownBy } from '../../agent/index.ts';
import type { Config } from '../../config/index.ts';
import type { WireNames } from '../../contract/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { Language } from '../../files/index.ts';
import type { Project } from '../../init/index.ts';
import type { selfTestPins } from '../../job/index.ts';
import type { Json } from '../../json/index.ts';
import type { ReplayOutcome, SeenExchange } from '../../replay/index.ts';
import type { Trace } from '../../trace/index.ts';
import type { AgentReads, Platform, SeenSpan } from '../../tracing/index.ts';
import type { PlannedProbe } from './probes.ts';
import type { Walk } from './walk.ts';
import type { Workflow } from './workflow.ts';

/** Facts from before anything was started. */
export interface Surroundings {
  readonly config: Config | undefined;
  readonly configProblem: AgentReplayError | undefined;
  /** Turns that can be replayed, of how many sessions, and mistakes in pins. */
  readonly pins: {
    readonly sessions: number;
    readonly turns: number;
    /** Names of the tools that they call. */
    readonly tools: readonly string[];
    /** Which of them count as writing because nothing is known of them, in a sentence. */
    readonly unknownTools: readonly string[];
    /** Until the last step of a turn had ended, from the end of its root, in milliseconds. */
    readonly endsWithinMs: number;
    readonly problems: readonly AgentReplayError[];
  };
  readonly gate: Awaited<ReturnType<typeof selfTestPins>> | undefined;
  readonly workflows: readonly WalkedWorkflow[];
  /** Undefined if no platform is configured and none is needed. */
  readonly platform: PlatformCheck | undefined;
}

export interface WalkedWorkflow extends Workflow {
  readonly walk: Walk;
}

export type PlatformCheck =
  | { readonly host: string; readonly api: Platform['api'] }
  | { readonly problem: AgentReplayError };

export interface AgentEvidence {
  readonly source: Config['tracing']['source'];
  readonly acknowledged: Config['tracing']['acknowledge'];
  readonly names: WireNames;
  /** The expected `agent_id`; undefined if unknown. */
  readonly agentId: string | undefined;
  readonly wasStarted: boolean;
  /** Why it did not become ready, or why it ended. */
  readonly problem: AgentReplayError | undefined;
  readonly readyMs: number | undefined;
  /** How we know that the agent answers; undefined if it never became ready. */
  readonly knownBy: KnownBy | undefined;
  /** In the order sent, without calls for which there was no time. */
  readonly calls: readonly Call[];
  /** Those that came after the trace of their call had been taken, until the agent was stopped. */
  readonly lateSpans: readonly TimedSpan[];
  /** Requests to the receiver with wrong keys. */
  readonly unauthorized: number;
  /** What it read from its platform through the receiver; undefined if it reads there itself. */
  readonly reads: AgentReads | undefined;
  /** Tools of the pins whose results come from the recording, and those that must not run. */
  readonly replayedTools: { readonly recorded: readonly string[]; readonly never: readonly string[] };
  /** Tools that announced themselves as wrapped; undefined if all are live. */
  readonly wrappedTools: readonly string[] | undefined;
  /** Its language, if its folder shows it. */
  readonly language: Language | undefined;
  /** What it is traced with, if its folder shows it. */
  readonly tracing: Project['tracing'];
  /** The converter of messages for the agent's framework; undefined if unknown or not needed. */
  readonly converter: { readonly name: string; readonly framework: string; readonly module: string } | undefined;
  /** Values that no trace may contain. */
  readonly secrets: readonly string[];
}

/** One replay, and everything it led to. */
export interface Call extends PlannedProbe {
  /** From 1. */
  readonly number: number;
  /** Whether another one ran at the same time. */
  readonly isTogether: boolean;
  readonly replayRunId: string;
  /** One per tried path; the last one counts. */
  readonly exchanges: readonly TimedExchange[];
  /** The answer's body as JSON; undefined if it is not JSON. */
  readonly body: Json | undefined;
  readonly outcome: ReplayOutcome;
  readonly trace: Trace | undefined;
  /** Spans that arrived from the call's start to its conclusion. */
  readonly spans: readonly TimedSpan[];
  /** Milliseconds since 1970, by our clock. */
  readonly sentAt: number;
  readonly concludedAt: number;
}

export interface TimedExchange extends SeenExchange {
  /** On the clock of `performance`. */
  readonly endedAt: number;
}

export interface TimedSpan extends SeenSpan {
  /** On the clock of `performance`. */
  readonly arrivedAt: number;
}
