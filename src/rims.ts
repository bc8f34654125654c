// The second door, for the rims that stand beside `src/`: the action and the plugin. It is exported to nobody.

// The agent's process, its traces, and the calls.
export { type RunningAgent, startAgent } from './agent/index.ts';
// The comparison.
export {
  type CompareRules,
  compareRules,
  isAsRecorded,
  type ShownStep,
  type Strictness,
  startTurnComparison,
  type TurnComparison,
  type Verdict,
} from './compare/index.ts';
// The configuration.
export {
  blamingOptions,
  type Config,
  type ConfigInput,
  defineConfig,
  loadConfig,
  parseConfig,
  readSetting,
  withOptions,
} from './config/index.ts';
// Shapes that cross the wire.
export { isSameToken, type Observation, type Recording, type Trace, type TurnRequest } from './contract/index.ts';
export { AgentReplayError, asAgentReplayError, type ErrorCode } from './errors.ts';
// The whole job: pinned sessions, agent, replays, comparison, report; and the same on demand.
export {
  type AcceptedTurn,
  appendHistory,
  costTold,
  type FinishedRun,
  Interruption,
  type JobEvent,
  type JobOptions,
  joinReports,
  type MergeOptions,
  mergeJournals,
  moreCostTold,
  type Plan,
  planJob,
  plannedSessions,
  type ReplayedSession,
  type ReplayedTurn,
  type Replayer,
  readFinishedRun,
  readHistory,
  refusedInCi,
  reportOfFailure,
  runJob,
  type StepPair,
  secretsOf,
  startLifetime,
  startReplayer,
  type TracedTurn,
  type Wanted,
  writeReport,
} from './job/index.ts';
export type { Json } from './json/index.ts';
export { type ReplayResult, replaySessions } from './replay/index.ts';
// The report: what it holds, what it means, and how it is written.
export {
  type Badge,
  badgeOf,
  exitCodeOf,
  gate,
  gateOf,
  type History,
  type HistoryEntry,
  historyEntryOf,
  lesserStory,
  type MarkdownOptions,
  type Problem,
  parseHistory,
  parseReport,
  type Report,
  renderBadge,
  renderHistory,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderTerminal,
  renderTrendMarkdown,
  renderTrendSvg,
  type SessionResult,
  STATUS_SIGNS,
  type Status,
  secretsRedactor,
  sessionName,
  type Trend,
  toProblem,
  trendsOf,
  warningsIn,
  withSeen,
} from './report/index.ts';
// Pinned sessions.
export {
  isPinPath,
  loadPins,
  type Pin,
  redactSession,
  type Session,
  savePin,
  sessionsFromTraces,
} from './session/index.ts';
export {
  openPlatform,
  type Platform,
  platformCredentials,
  type Receiver,
  startReceiver,
  type TraceSource,
  tracesFromOtlp,
} from './tracing/index.ts';
export { forMarkdownCell, forMarkdownProse, linesForTerminal } from './untrusted.ts';
