export type { CostMeter } from './budget.ts';
export { ReplayLimits } from './limits.ts';
export { type ReplayOptions, replayOptions } from './options.ts';
export type { ReplaySession } from './plan.ts';
export { type FurtherRuns, type ReplaySessionsOptions, replaySessions, type SeenExchange } from './replay.ts';
export type { ReplayCall } from './replay-call.ts';
export type { ReplayOutcome, ReplayResult } from './result.ts';
export type { Answered, ToolCounts, ToolStandIn, ToolUse } from './stand-in.ts';
export { parseTarget } from './target.ts';
