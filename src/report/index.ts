export {
  forMarkdownBlock,
  forMarkdownCell,
  forMarkdownProse,
  forTerminal,
  forXml,
  linesForTerminal,
} from '../untrusted.ts';
export { type Clue, renderAgent } from './agent.ts';
export { type Alike, warningsIn } from './alike.ts';
export { type Badge, badgeOf, renderBadge } from './badge.ts';
export {
  assembleReport,
  buildReport,
  type ReportParts,
  type RunFailure,
  type SessionOutcome,
  type TurnOutcome,
  toldOwn,
  toProblem,
} from './build.ts';
export {
  exitCodeOf,
  failsRun,
  type Gate,
  type GateInput,
  type GatePolicy,
  gate,
  gateOf,
  gatePolicy,
  levelOfVerdict,
} from './gate.ts';
export {
  type History,
  type HistoryEntry,
  type HistorySession,
  historyEntryOf,
  parseHistory,
} from './history.ts';
export { renderHistory } from './history-table.ts';
export { type CarriedReport, renderHtml } from './html.ts';
export { renderJson } from './json.ts';
export { renderJunit } from './junit.ts';
export { type LaidTurn, laidSteps, laidTurn } from './laid.ts';
export { pad, widest, wrap } from './layout.ts';
export { learnedRules } from './learned.ts';
export { type MarkdownOptions, renderMarkdown } from './markdown.ts';
export { parseReport } from './parse.ts';
export { type Progress, progressLine } from './progress.ts';
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
  type Level,
  lateSpans,
  type Problem,
  problem,
  type ReplacedRun,
  type Report,
  type RunEvidence,
  replacedRun,
  report,
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
export { withSeen } from './seen.ts';
export { ownWords } from './shift-words.ts';
export { renderPair } from './side-by-side.ts';
export { renderTerminal, type TerminalOptions } from './terminal.ts';
export { type KeptRun, type KeptStep, keptSteps } from './trace-view.ts';
export { type KeptTrace, keptTrace } from './traces.ts';
export { type Trend, type TrendPoint, trendsOf } from './trend.ts';
export { renderTrendMarkdown } from './trend-markdown.ts';
export { renderTrendSvg } from './trend-svg.ts';
export { problemView, reportView, shownText } from './view.ts';
export type { Fact, ProblemView, ReportView, SessionView, TraceView, TurnView } from './view-shapes.ts';
export { duration, lesserStory, rerunCommand, STATUS_SIGNS, sessionName } from './words.ts';
