import type { AgentReplayError } from '../errors.ts';
import type { Recording, Trace } from '../trace/index.ts';
import type { ReplayCall } from './replay-call.ts';

/** What stands in for an agent's tools while it is replayed. */
export interface ToolStandIn {
  /** A request with this run id is about to be sent, once this resolves. */
  begin(replayRunId: string, call: ReplayCall): Promise<void>;
  /** What its tools were asked for so far. */
  use(replayRunId: string): ToolUse | undefined;
  /** Nothing more is expected of it: its tools are refused from now on. */
  end(replayRunId: string): void;
}

/** Calls of tools in one replay, by where their results came from. */
export interface ToolCounts {
  /** From the recording. */
  readonly recorded: number;
  /** From the tool itself. */
  readonly live: number;
  /** Calls that the recording does not hold; they may be among the live ones. */
  readonly missed: number;
}

/** What a replay did by results that came from a recording. */
export type Answered = Required<Pick<Recording, 'resultClocks' | 'missed'>>;

/** What the tools of one replay were asked for. */
export interface ToolUse extends Answered {
  readonly counts: ToolCounts;
  /** Why the replay says nothing of the agent. */
  readonly doubt: AgentReplayError | undefined;
  /** Why a trace shows that something acted that must not: then nothing more is sent. */
  breach(trace: Trace): AgentReplayError | undefined;
}
