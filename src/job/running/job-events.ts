import type { AgentReplayError } from '../../errors.ts';
import type { ReplayCall, ReplayResult } from '../../replay/index.ts';
import { counted } from '../../text/index.ts';
import type { Plan, PlannedAgent, Selection } from './plan.ts';

/** Lines of the agent's output are redacted and safe to print. */
export type JobEvent =
  | { readonly kind: 'planned'; readonly plan: Plan }
  /** `starting` until it is ready, then `ready`, then `stopping` once its replays are over. */
  | { readonly kind: 'agent'; readonly agent: PlannedAgent; readonly state: 'starting' | 'ready' | 'stopping' }
  /** Sent each second from the third on. */
  | { readonly kind: 'agent-awaited'; readonly missing: string }
  | { readonly kind: 'agent-output'; readonly line: string }
  /** The progress of the base's agent, or why there is none and how many planned calls it does not make. */
  | { readonly kind: 'base'; readonly note: string; readonly unmade?: number }
  /** A call is over; its trace may still be arriving. */
  | { readonly kind: 'answered'; readonly call: ReplayCall }
  | { readonly kind: 'replayed'; readonly result: ReplayResult }
  /** Provisional: late spans can still change the verdict. */
  | { readonly kind: 'session-done'; readonly session: string }
  /** Another look at some sessions, and why gates want it. */
  | { readonly kind: 'look'; readonly sessions: number; readonly calls: number; readonly why: readonly string[] }
  /** The user's judge is asked about this many reworded answers. */
  | { readonly kind: 'judging'; readonly questions: number }
  /** Reads of traces wait for a limit of the platform; `note` says how long. */
  | { readonly kind: 'reads-delayed'; readonly note: string }
  /** An output could not be written (`OUTPUT_NOT_WRITABLE`). Sent once, as a full disk refuses everything after it. */
  | { readonly kind: 'not-written'; readonly error: AgentReplayError }
  /** Traces could not be forwarded to the platform (`TRACES_NOT_FORWARDED`). The run does not depend on it. */
  | { readonly kind: 'not-forwarded'; readonly error: AgentReplayError };

/** What an event says to people; not safe for a terminal, except the agent's output. */
export function linesOf(event: JobEvent): string[] {
  switch (event.kind) {
    case 'planned': {
      const { calls, cost, notes, looks, mutatingCalls } = event.plan;
      return [
        ...(calls > 0 ? [`${counted(calls, 'replay')}${cost.money === null ? '' : `, ${cost.words}`}`] : []),
        ...notes.map((note) => `note: ${note}`),
        ...(looks === undefined ? [] : [looks]),
        ...[...mutatingCalls].map(([tool, count]) => `note: ${mutatingNote(tool, count)}`),
      ];
    }
    case 'judging':
      return [`asking compare.judge about ${counted(event.questions, 'text')} in other words`];
    case 'look':
      return [
        `looking again at ${counted(event.sessions, 'session')} with ${event.calls} more replays${event.why.length === 0 ? '' : `, because ${event.why.join(', and ')}`}`,
      ];
    case 'base':
      return [event.note];
    case 'agent-output':
      return [event.line];
    case 'reads-delayed':
      return [`waiting: ${event.note}`];
    case 'not-written':
    case 'not-forwarded':
      return [`warning: ${event.error.message} (${event.error.code})`];
    default:
      return [];
  }
}

function mutatingNote(tool: string, count: number): string {
  return `the recordings hold ${counted(count, 'call')} of ${tool}, which is declared mutating: replays call it for real, unless the agent sandboxes it`;
}

export interface JobOptions extends Selection {
  /** Ends the run early, with a report of everything that had finished. */
  readonly signal?: AbortSignal;
  readonly on?: (event: JobEvent) => void;
  /** Folder of the journal and of the distinct behaviours; without it nothing is written. */
  readonly outputDir?: string;
  /** Further secrets, beside those of the configuration and the environment. */
  readonly secrets?: readonly string[];
  /** The command line and the configuration file named on it, for the report. */
  readonly command?: string;
  readonly configFile?: string;
}
