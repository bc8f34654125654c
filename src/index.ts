// The public library: `import { ... } from 'agent-replay'`. docs/api.md explains each name.

export type { Outcome } from './compare/index.ts';
export { type Config, type ConfigInput, defineConfig, loadConfig } from './config/index.ts';
export { AgentReplayError, type ErrorCode } from './errors.ts';
export { type JobEvent, type JobOptions, runJob, writeReport } from './job/index.ts';
export {
  divergenceWords,
  type Gate,
  gateOf,
  type Problem,
  parseReport,
  type Report,
  type SessionResult,
  type Status,
} from './report/index.ts';
