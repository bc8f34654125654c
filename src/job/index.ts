export type { Acceptance } from './accepting/accept.ts';
export { foldJournals } from './fold-job.ts';
export { appendHistory, readHistory } from './journal/history-file.ts';
export { mergeJournals } from './merge-job.ts';
export { openAcceptance } from './pins/open-acceptance.ts';
export { type RecordEvent, type Recorded, recordSessions } from './pins/record.ts';
export { type Keeping, planBaselines, type RecordedPin, recordBaselines } from './pins/recordings.ts';
export { type JudgeTest, type JudgeTrial, type PinTrial, type SelfTest, selfTestPins } from './pins/self-test-pins.ts';
export { type SyncStep, syncSessions } from './pins/sync.ts';
export { PIN_LOCK, reportIn, writeOutput, writeReport } from './records/files.ts';
export { keptIn } from './records/kept-traces.ts';
export { claimOutputFolder } from './records/output-folder.ts';
export { reportOfFailure } from './running/failure.ts';
export { type Fork, forkStep } from './running/fork-step.ts';
export { type JobEvent, type JobOptions, linesOf } from './running/job-events.ts';
export { joinReports } from './running/joined-report.ts';
export { type Lifetime, startLifetime } from './running/lifetime.ts';
export { startLiveAgent } from './running/live-agent.ts';
export { keepPinLock, pinLockWithout } from './running/pin-lock.ts';
export {
  configuredAgents,
  gateOfPin,
  mutatingToolsOf,
  type Plan,
  planJob,
  sessionNamed,
  unknownToolsNote,
  type WritingTools,
} from './running/plan.ts';
export { startReplayer } from './running/replayer.ts';
export { runJob } from './running/run-job.ts';
export { planRun } from './running/shard.ts';
