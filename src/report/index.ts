export { assembleReport, buildReport, type SessionOutcome, toProblem } from './build.ts';
export { fit, pad, widest, wrap } from './columns.ts';
export { recordCommand } from './commands.ts';
export { type GateKind, gateKind, isTestedBy } from './gate-kind.ts';
export { RunHistory } from './history/run-history.ts';
export { laidSteps } from './laid.ts';
export { renderAgent } from './outputs/agent.ts';
export { type Reporter, reportFormats } from './outputs/formats.ts';
export { type CarriedReport, type PlacedLines, type PlacesOf, placedLines } from './outputs/html.ts';
export { renderMarkdown } from './outputs/markdown.ts';
export { renderTerminal } from './outputs/terminal.ts';
export { parseReport } from './parse.ts';
export { failsRun, gatePolicy } from './policy.ts';
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
export { type Gate, gateOf } from './status.ts';
export { type KeptRun, type KeptTrace, keptTurn } from './view/traces.ts';
export { warningsIn } from './words/alike.ts';
export { editsIn } from './words/causes.ts';
export { divergenceWords, whereAndWhat } from './words/divergence.ts';
export { learnedIn, learnedRules } from './words/learned.ts';
export { ownSettingsWords } from './words/shift-words.ts';
export { lesserStory, nameOfPin, runNumbers, STATUS_SIGNS, sessionName } from './words/words.ts';
