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
export { type HistoryEntry, historyEntryOf, parseHistory } from './history/history.ts';
export { renderHistory } from './history/history-table.ts';
export { trendsOf } from './history/trend.ts';
export { renderTrendMarkdown } from './history/trend-markdown.ts';
export { renderTrendSvg } from './history/trend-svg.ts';
export { type Clue, renderAgent } from './outputs/agent.ts';
export { type CarriedReport, renderHtml } from './outputs/html.ts';
export { renderJson } from './outputs/json.ts';
export { renderJunit } from './outputs/junit.ts';
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
  type LaidStep,
  type LaidStretch,
  type Problem,
  problem,
  type Report,
  report,
  type SessionResult,
  type Status,
  type TracingSum,
} from './schema.ts';
export { withSeen } from './seen.ts';
export { warningsIn } from './view/alike.ts';
export { laidSteps, laidTurn } from './view/laid.ts';
export { learnedRules } from './view/learned.ts';
export { type KeptRun, keptSteps, rawTrace, traceView } from './view/trace-view.ts';
export { type KeptTrace, keptTrace } from './view/traces.ts';
export { problemView, reportView, shownText } from './view/view.ts';
export type { Fact, ProblemView, ReportView, SessionView, TraceView } from './view/view-shapes.ts';
