export { assembleReport, buildReport, type SessionOutcome, type TurnOutcome, toProblem } from './build.ts';
export { exitCodeOf, failsRun, type Gate, gateOf, gatePolicy, levelOfVerdict } from './gate.ts';
export { RunHistory } from './history/run-history.ts';
export { renderAgent } from './outputs/agent.ts';
export { reportFormats } from './outputs/formats.ts';
export type { CarriedReport } from './outputs/html.ts';
export { renderMarkdown } from './outputs/markdown.ts';
export { ownSettingsWords } from './outputs/shift-words.ts';
export { renderPair } from './outputs/side-by-side.ts';
export { renderTerminal } from './outputs/terminal.ts';
export { duration, lesserStory, STATUS_SIGNS, sessionName } from './outputs/words.ts';
export { parseReport } from './parse.ts';
export { redactReport } from './redact.ts';
export {
  type BaseCommit,
  type LaidStep,
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
export type { ProblemView, SessionView, TraceView } from './view/view-shapes.ts';
