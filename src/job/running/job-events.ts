import type { AgentReplayError } from '../../errors.ts';
import type { ReplayCall, ReplayResult } from '../../replay/index.ts';
import type { Plan, PlannedAgent, Selection } from './plan.ts';

/** What happens, for those who watch. Lines of the agent's output are redacted and safe to print. */
export type JobEvent =
  | { readonly kind: 'planned'; readonly plan: Plan }
  /** `starting` until it is ready, `ready`, and `stopping` once its replays are over. */
  | { readonly kind: 'agent'; readonly agent: PlannedAgent; readonly state: 'starting' | 'ready' | 'stopping' }
  /** What keeps it from being ready, each second from the third on. */
  | { readonly kind: 'agent-awaited'; readonly missing: readonly string[] }
  | { readonly kind: 'agent-output'; readonly line: string }
  /** How far the agent of the base is, or why there is none. */
  | { readonly kind: 'base'; readonly note: string }
  /** A call is over; its trace may still be on its way. */
  | { readonly kind: 'answered'; readonly call: ReplayCall }
  | { readonly kind: 'replayed'; readonly result: ReplayResult }
  /** As it stands; what comes late of its traces can still change that. */
  | { readonly kind: 'session-done'; readonly session: string }
  /** Spans of a replay were late: this event replaces the earlier one. */
  | { readonly kind: 'revised'; readonly result: ReplayResult }
  /** Further runs of what looks odd in its first runs, or shifted as a whole: so many calls. */
  | { readonly kind: 'looking-again'; readonly sessions: number; readonly calls: number }
  /** The user's judge is asked about so many answers in other words. */
  | { readonly kind: 'judging'; readonly questions: number }
  /** A planned call that is not made, as its session was stopped early. */
  | { readonly kind: 'skipped'; readonly call: ReplayCall }
  /** Traces are read only when a limit of the platform allows it again: how long that takes, to be shown. */
  | { readonly kind: 'reads-delayed'; readonly note: string }
  /** An output could not be written (`OUTPUT_NOT_WRITABLE`). Sent once, as a full disk refuses everything after it. */
  | { readonly kind: 'not-written'; readonly error: AgentReplayError }
  /** Traces that could not be passed on to the platform (`TRACES_NOT_FORWARDED`); the run does not depend on it. */
  | { readonly kind: 'not-forwarded'; readonly error: AgentReplayError };

export interface JobOptions extends Selection {
  /** Ends the run early, with a report of what had finished; its reason should be an `Interruption`. */
  readonly signal?: AbortSignal | undefined;
  readonly on?: ((event: JobEvent) => void) | undefined;
  /** Folder of the journal and of the distinct behaviours; without it nothing is written. */
  readonly outputDir?: string | undefined;
  /** Values that must not be shown, besides those that the configuration and the environment hold. */
  readonly secrets?: readonly string[] | undefined;
  /** The command line, and the configuration named on it, for the report. */
  readonly command?: string | undefined;
  readonly configFile?: string | undefined;
}
