import type { AgentReplayError } from '../errors.ts';
import type { Recording, Trace } from '../trace/index.ts';
import type { ReplayCall } from './replay-call.ts';

export interface ToolStandIn {
  /** The request with this run id is sent once this resolves. */
  begin(replayRunId: string, call: ReplayCall): Promise<void>;
  use(replayRunId: string): ToolUse | undefined;
  /** From now on the replay's tools are refused. */
  end(replayRunId: string): void;
}

export interface ToolCounts {
  readonly recorded: number;
  readonly live: number;
  /** The recording does not hold them. They may also count as live. */
  readonly missed: number;
}

export interface Answered extends Required<Pick<Recording, 'resultClocks' | 'missed'>>, Pick<Recording, 'asked'> {
  /** Why it shows nothing if it does as recorded. */
  readonly unheld?: AgentReplayError | undefined;
}

export interface ToolUse extends Answered {
  readonly counts: ToolCounts;
  /** Why the replay shows nothing about the agent. */
  readonly doubt: AgentReplayError | undefined;
  /** How many the models have given so far, where the recording answers for them. */
  readonly answers?: (() => number) | undefined;
  /** Why a trace shows that a tool ran that must not. Nothing more is sent then. */
  breach(trace: Trace): AgentReplayError | undefined;
}
