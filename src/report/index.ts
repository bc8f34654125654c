export {
  assembleReport,
  buildReport,
  type RunFailure,
  type SessionOutcome,
  type TurnOutcome,
  toldOwn,
  toProblem,
} from './build.ts';
export { exitCodeOf, failsRun, type Gate, type GatePolicy, gateOf, gatePolicy, levelOfVerdict } from './gate.ts';
export { badgeOf, renderBadge } from './history/badge.ts';
export { type History, type HistoryEntry, historyEntryOf, parseHistory } from './history/history.ts';
export { renderHistory } from './history/history-table.ts';
export { withSeen } from './history/seen.ts';
export { type Trend, trendsOf } from './history/trend.ts';
export { renderTrendMarkdown } from './history/trend-markdown.ts';
export { renderTrendSvg } from './history/trend-svg.ts';
export { type Clue, renderAgent } from './outputs/agent.ts';
export { type CarriedReport, renderHtml } from './outputs/html.ts';
export { renderJson } from './outputs/json.ts';
export { renderJunit } from './outputs/junit.ts';
export { pad, widest, wrap } from './outputs/layout.ts';
export { type MarkdownOptions, renderMarkdown } from './outputs/markdown.ts';
export { progressLine } from './outputs/progress.ts';
export { ownWords } from './outputs/shift-words.ts';
export { renderPair } from './outputs/side-by-side.ts';
export { renderTerminal } from './outputs/terminal.ts';
export { duration, lesserStory, STATUS_SIGNS, sessionName } from './outputs/words.ts';
export { parseReport } from './parse.ts';
export { redactReport } from './redact.ts';
export {
  type BaseCommit,
  type BaseResult,
  type Blame,
  baseCommit,
  type InterruptedBy,
  type Judgement,
  judgement,
  type LaidStep,
  type LaidStretch,
  lateSpans,
  type Problem,
  problem,
  type ReplacedRun,
  type Report,
  type RunEvidence,
  replacedRun,
  type SessionResult,
  type Shard,
  type Signal,
  type Status,
  shard,
  signal,
  type TracingSum,
  type TurnResult,
  toolCounts,
  tracingSum,
  type Usage,
  withoutBase,
} from './schema.ts';
export { secretsRedactor } from './secrets.ts';
export { warningsIn } from './view/alike.ts';
export { type LaidTurn, laidSteps, laidTurn } from './view/laid.ts';
export { learnedRules } from './view/learned.ts';
export { type KeptRun, type KeptStep, keptSteps } from './view/trace-view.ts';
export { type KeptTrace, keptTrace } from './view/traces.ts';
export { problemView, reportView, shownText } from './view/view.ts';
export type { Fact, ProblemView, ReportView, SessionView, TraceView } from './view/view-shapes.ts';
