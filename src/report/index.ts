export { assembleReport, buildReport, type SessionOutcome, toProblem } from './build.ts';
export { failingVerdicts, failsRun, type Gate, gateOf, gatePolicy } from './gate.ts';
export { RunHistory } from './history/run-history.ts';
export { renderAgent } from './outputs/agent.ts';
export { reportFormats } from './outputs/formats.ts';
export type { CarriedReport } from './outputs/html.ts';
export { renderMarkdown } from './outputs/markdown.ts';
export { ownSettingsWords } from './outputs/shift-words.ts';
export { renderPair } from './outputs/side-by-side.ts';
export { renderTerminal } from './outputs/terminal.ts';
export { lesserStory, STATUS_SIGNS, sessionName } from './outputs/words.ts';
export { parseReport } from './parse.ts';
export { redactReport } from './redact.ts';
export {
  type LaidStep,
  type Problem,
  type Report,
  report,
  type SessionResult,
  type Status,
} from './schema.ts';
export { withSeen } from './seen.ts';
export { warningsIn } from './view/alike.ts';
export { keptTurn } from './view/kept-turn.ts';
export { laidSteps } from './view/laid.ts';
export { learnedRules } from './view/learned.ts';
export { traceView } from './view/trace-view.ts';
export { type KeptTrace, keptTrace } from './view/traces.ts';
export { problemView, reportView } from './view/view.ts';
export type { ProblemView, SessionView, TraceView } from './view/view-shapes.ts';
