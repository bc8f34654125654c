import type { AgentReplayError } from '../errors.ts';
import type { Recording, Trace } from '../trace/index.ts';
import type { ReplayCall } from './replay-call.ts';

export interface ToolStandIn {
  /** The request with this run id is sent once this resolves. */
  begin(replayRunId: string, call: ReplayCall): Promise<void>;
  use(replayRunId: string): ToolUse | undefined;
  /** The replay is over: its tools are refused from now on. */
  end(replayRunId: string): void;
}

/** Tool calls of one replay, by where their results came from. */
export interface ToolCounts {
  /** From the recording. */
  readonly recorded: number;
  /** From the tool itself. */
  readonly live: number;
  /** Calls that the recording does not hold. They may also count as live. */
  readonly missed: number;
}

/** What a replay did with results from a recording. */
export interface Answered extends Required<Pick<Recording, 'resultClocks' | 'missed'>>, Pick<Recording, 'asked'> {
  /** Why it shows nothing if it does as recorded. */
  readonly unheld?: AgentReplayError;
}

/** What the tools of one replay were asked for. */
export interface ToolUse extends Answered {
  readonly counts: ToolCounts;
  /** Why the replay shows nothing about the agent. */
  readonly doubt: AgentReplayError | undefined;
  /** How many answers the models have given so far, where the recording answers for them. */
  readonly answers?: () => number;
  /** Why a trace shows that a tool ran that must not. Nothing more is sent then. */
  breach(trace: Trace): AgentReplayError | undefined;
}
