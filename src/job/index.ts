export { appendHistory, readHistory } from './journal/history.ts';
export { joinReports } from './journal/joined-report.ts';
export { JOURNAL_FILE } from './journal/journal-format.ts';
export { readKept } from './journal/kept-traces.ts';
export { mergeJournals } from './journal/merge-job.ts';
export { undeliveredFile } from './journal/undelivered.ts';
export { type Finding, findingOf } from './judging/finding.ts';
export { gateOfSession } from './judging/session-gate.ts';
export { type Acceptance, type AcceptedTurn, type AcceptOptions, accept, refusedInCi } from './pins/accept.ts';
export { type FinishedRun, readFinishedRun } from './pins/accept-run.ts';
export { type Keeping, type RecordedPin, recordBaselines } from './pins/baselines.ts';
export type { PinnedSession } from './pins/pinned.ts';
export { type RecordEvent, type Recorded, recordSessions } from './pins/record.ts';
export { readRunRecordings } from './pins/run-recordings.ts';
export {
  type JudgeTest,
  type JudgeTrial,
  type PinTrial,
  type SelfTest,
  type SelfTestStatus,
  selfTestPins,
} from './pins/self-test.ts';
export { type SyncNote, type SyncStep, syncSessions } from './pins/sync.ts';
export { SyncState } from './pins/sync-state.ts';
export { readBehaviours, readTurns, redactedAs, type SourceTurn, type TurnSource } from './pins/turn-source.ts';
export { costTold, moreCostTold } from './running/cost.ts';
export { reportOfFailure } from './running/failure.ts';
export { outputFormats, writeReport } from './running/files.ts';
export { inOrder } from './running/in-order.ts';
export { Interruption } from './running/interruption.ts';
export { startLifetime } from './running/lifetime.ts';
export { type LiveAgent, startLiveAgent } from './running/live-agent.ts';
export { claimOutputFolder, refuseLinks } from './running/output-folder.ts';
export { type ConfiguredAgent, configuredAgents, type Plan, planJob, plannedSessions } from './running/plan.ts';
export type { ReplayedSession, ReplayedTurn, StepPair, TracedTurn, Wanted } from './running/replay-session.ts';
export { type Replayer, startReplayer } from './running/replayer.ts';
export { type JobEvent, type JobOptions, runJob } from './running/run-job.ts';
export { secretsOf } from './running/secrets.ts';
export { planRun } from './running/shard.ts';
export { checkReachable } from './running/tracing.ts';
export { unreadError } from './running/unread.ts';
