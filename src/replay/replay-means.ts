import type { Identifiers } from '../contract/index.ts';
import type { Language } from '../files/index.ts';
import type { TraceSource, TracingHabits } from '../tracing/index.ts';
import type { Exchange } from './call.ts';
import type { ReplayLimits } from './limits.ts';
import type { ReplayCall } from './replay-call.ts';
import type { ReplayOptions } from './replay-options.ts';
import type { ToolStandIn } from './stand-in.ts';

export interface ReplayMeans {
  readonly target: string;
  /** Null if only responses count. */
  readonly source: TraceSource | null;
  /** What the agent's recordings show about how it traces. */
  readonly habits?: TracingHabits | undefined;
  readonly settings: ReplayOptions;
  readonly identifiers?: Identifiers | undefined;
  readonly language?: Language | undefined;
  /** Unfinished calls fail with `INTERRUPTED`, or with its reason if that is an AgentReplayError. */
  readonly signal?: AbortSignal | undefined;
  /** Its reason is an `AGENT_CRASHED` error. Unfinished calls fail with it. */
  readonly crashed?: AbortSignal | undefined;
  /** Shared by replays at the same time. Default: this one's own. */
  readonly limits?: ReplayLimits | undefined;
  /** All run ids begin with it: letters, digits and `-`. Default: random. */
  readonly uid?: string | undefined;
  /** Its last lines are quoted if a call fails. */
  readonly agentLog?: ((lines: number) => readonly string[]) | undefined;
  /** Redacts quotes of a response. Secrets of the target and of the headers are always replaced. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly onAnswered?: ((call: ReplayCall) => void) | undefined;
  /** Whether replays are made again if the provider had a hiccup. Default true. */
  readonly replaces?: boolean | undefined;
  readonly tools?: ToolStandIn | undefined;
  /** Tells two agents apart. */
  readonly side?: 'base' | undefined;
  readonly onExchange?: ((seen: SeenExchange) => void) | undefined;
}

/** A base URL can take two paths. */
export interface SeenExchange extends Exchange {
  readonly replayRunId: string;
  readonly path: string;
}
