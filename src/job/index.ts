export { type OutputFormat, outputFormats, writeReport } from './files.ts';
export { Interruption } from './interruption.ts';
export { type Plan, type PlannedAgent, type PlannedSession, planJob, plannedSessions, type Selection } from './plan.ts';
export { type JobEvent, type JobOptions, runJob } from './run-job.ts';
