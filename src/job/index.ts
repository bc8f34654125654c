export { type Acceptance, type AcceptedTurn, type AcceptOptions, accept } from './accept.ts';
export { type RecordedPin, recordBaselines } from './baselines.ts';
export { type OutputFormat, outputFormats, writeReport } from './files.ts';
export { appendHistory, readHistory } from './history.ts';
export { Interruption } from './interruption.ts';
export { type Lifetime, startLifetime } from './lifetime.ts';
export { type LiveAgent, startLiveAgent } from './live-agent.ts';
export { type MergeOptions, mergeJournals } from './merge-job.ts';
export {
  type ConfiguredAgent,
  configuredAgents,
  type Plan,
  type PlannedAgent,
  type PlannedSession,
  planJob,
  plannedSessions,
  type Selection,
} from './plan.ts';
export {
  type ReplayedSession,
  type ReplayedTurn,
  type Replayer,
  type StepPair,
  startReplayer,
  type TracedTurn,
  type Wanted,
} from './replayer.ts';
export { type JobEvent, type JobOptions, runJob } from './run-job.ts';
export { secretsOf } from './secrets.ts';
export { type PinTrial, type SelfTest, selfTestPins } from './self-test.ts';
export { planRun, type RunPlan } from './shard.ts';
export { readBehaviours, readTurns, redactedAs, type SourceTurn, type TurnSource } from './turn-source.ts';
