// The configuration.

// The agent's process, its traces, and the calls.
export { type RunningAgent, startAgent } from './agent/index.ts';
// The comparison.
export {
  type CompareRules,
  compareRules,
  type ShownStep,
  type Strictness,
  startTurnComparison,
  type TurnComparison,
  type Verdict,
} from './compare/index.ts';
export { type Config, type ConfigInput, defineConfig, loadConfig, parseConfig } from './config/index.ts';
// Shapes that cross the wire.
export type { Json, Observation, Recording, Trace, TurnRequest } from './contract/index.ts';
export { AgentReplayError, type ErrorCode } from './errors.ts';
// The whole job: pinned sessions, agent, replays, comparison, report.
export { type JobEvent, type JobOptions, planJob, runJob } from './job/index.ts';
// The same on demand: agents that stay up, and are asked for one session after another.
export {
  type ReplayedSession,
  type ReplayedTurn,
  type Replayer,
  type StepPair,
  startReplayer,
  type TracedTurn,
  type Wanted,
} from './job/index.ts';
export { type ReplayResult, replaySessions } from './replay/index.ts';
// The report: what it holds, what it means, and how it is written.
export {
  gate,
  parseReport,
  type Report,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderTerminal,
  type Status,
} from './report/index.ts';
// Pinned sessions.
export { loadPins, type Pin, redactSession, type Session, savePin, sessionsFromTraces } from './session/index.ts';
export { type Receiver, startReceiver, type TraceSource, tracesFromOtlp } from './tracing/index.ts';
