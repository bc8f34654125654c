import type { KnownBy } from '../agent/index.ts';
import type { Config } from '../config/index.ts';
import type { WireNames } from '../contract/index.ts';
import type { AgentReplayError } from '../errors.ts';
import type { selfTestPins } from '../job/index.ts';
import type { Json } from '../json/index.ts';
import type { ReplayOutcome, SeenExchange } from '../replay/index.ts';
import type { Trace } from '../trace/index.ts';
import type { AgentReads, Platform, SeenSpan } from '../tracing/index.ts';
import type { PlannedProbe } from './probes.ts';
import type { Language } from './rule.ts';
import type { Workflow } from './workflow.ts';

/** What was found before anything was started. */
export interface Surroundings {
  readonly config: Config | undefined;
  readonly configProblem: AgentReplayError | undefined;
  /** Turns that can be replayed, of how many sessions, and what is wrong with pins. */
  readonly pins: {
    readonly sessions: number;
    readonly turns: number;
    /** Names of the tools that they call. */
    readonly tools: readonly string[];
    readonly problems: readonly AgentReplayError[];
  };
  readonly gate: Awaited<ReturnType<typeof selfTestPins>> | undefined;
  readonly workflows: readonly Workflow[];
  /** Undefined when no platform is configured and none is needed. */
  readonly platform: PlatformCheck | undefined;
}

export type PlatformCheck =
  | { readonly host: string; readonly api: Platform['api'] }
  | { readonly problem: AgentReplayError };

/** What was found out about one agent. */
export interface AgentEvidence {
  readonly source: Config['tracing']['source'];
  readonly acknowledged: Config['tracing']['acknowledge'];
  readonly names: WireNames;
  /** What `agent_id` should be; undefined when nothing says. */
  readonly agentId: string | undefined;
  readonly wasStarted: boolean;
  /** Why it never became ready, or why it ended. */
  readonly problem: AgentReplayError | undefined;
  readonly readyMs: number | undefined;
  /** What shows that it is the agent that answers; undefined when it never became ready. */
  readonly knownBy: KnownBy | undefined;
  /** In the order in which they were sent; what came too late to be sent is not there. */
  readonly calls: readonly Call[];
  /** Requests to the receiver with other keys than those of this run. */
  readonly unauthorized: number;
  /** What it has read of its platform through the receiver; undefined where it reads there itself. */
  readonly reads: AgentReads | undefined;
  /** Tools of the pins whose results come from the recording, and those that must not run. */
  readonly replayedTools: { readonly recorded: readonly string[]; readonly never: readonly string[] };
  /** Tools that said that they are wrapped; undefined where all are live. */
  readonly wrappedTools: readonly string[] | undefined;
  /** What it is written in, where its folder tells. */
  readonly language: Language | undefined;
  /** What makes of recorded messages what the agent's framework takes; undefined where none is known, or none needed. */
  readonly converter: { readonly name: string; readonly framework: string; readonly module: string } | undefined;
  /** Values that no trace may hold. */
  readonly secrets: readonly string[];
}

/** One replay that was sent, and all that came of it. */
export interface Call extends PlannedProbe {
  /** From 1. */
  readonly number: number;
  /** Whether another was under way at the same time. */
  readonly isTogether: boolean;
  readonly replayRunId: string;
  /** One for each path that was tried; the last one counts. */
  readonly exchanges: readonly TimedExchange[];
  /** The answer's body as JSON; undefined when it is none. */
  readonly body: Json | undefined;
  readonly outcome: ReplayOutcome;
  readonly trace: Trace | undefined;
  /** Spans that came while the call was under way, and until it was concluded. */
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
