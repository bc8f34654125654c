export { type Acceptance, type AcceptedTurn, type AcceptOptions, accept, refusedInCi } from './accept.ts';
export { type AcceptedPin, type FinishedRun, readFinishedRun } from './accept-run.ts';
export type { AcceptedDivergence, SessionAcceptance } from './accept-session.ts';
export { type Keeping, type RecordedPin, recordBaselines } from './baselines.ts';
export { costTold, moreCostTold } from './cost.ts';
export { type FailureOptions, reportOfFailure } from './failure.ts';
export { type OutputFormat, outputFormats, writeReport } from './files.ts';
export { type Finding, findingOf } from './finding.ts';
export { appendHistory, readHistory } from './history.ts';
export { inOrder } from './in-order.ts';
export { Interruption } from './interruption.ts';
export { type JoinOptions, joinReports } from './joined-report.ts';
export { JOURNAL_FILE } from './journal-format.ts';
export { readKept } from './kept-traces.ts';
export { type Lifetime, startLifetime } from './lifetime.ts';
export { type LiveAgent, startLiveAgent } from './live-agent.ts';
export { type MergeOptions, mergeJournals } from './merge-job.ts';
export { claimOutputFolder, refuseLinks } from './output-folder.ts';
export type { PinnedSession } from './pinned.ts';
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
export { type RecordEvent, type Recorded, type RecordOptions, recordSessions } from './record.ts';
export type {
  ReplayedSession,
  ReplayedTurn,
  StepPair,
  TracedTurn,
  Wanted,
} from './replay-session.ts';
export { type Replayer, type ReplayWhen, startReplayer } from './replayer.ts';
export { type JobEvent, type JobOptions, runJob } from './run-job.ts';
export { type RunRecordings, readRunRecordings } from './run-recordings.ts';
export { secretsOf } from './secrets.ts';
export { type PinTrial, type SelfTest, type SelfTestStatus, selfTestPins } from './self-test.ts';
export { gateOfSession } from './session-gate.ts';
export { planRun, type RunPlan } from './shard.ts';
export { type SyncNote, type SyncStep, syncSessions } from './sync.ts';
export { SyncState } from './sync-state.ts';
export { checkReachable } from './tracing.ts';
export { readBehaviours, readTurns, redactedAs, type SourceTurn, type TurnSource } from './turn-source.ts';
export { undeliveredFile } from './undelivered.ts';
export { unreadError } from './unread.ts';
