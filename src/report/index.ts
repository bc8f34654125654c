export {
  buildReport,
  type ReportParts,
  type RunFailure,
  type SessionOutcome,
  type TurnOutcome,
  toProblem,
} from './build.ts';
export { exitCodeOf, type Gate, type GateInput, type GatePolicy, gate, gatePolicy, levelOf } from './gate.ts';
export { parseReport } from './parse.ts';
export {
  type Level,
  type Problem,
  problem,
  REPORT_VERSION,
  type Report,
  type RunEvidence,
  report,
  type SessionResult,
  type Signal,
  type Status,
  type TurnResult,
  type Usage,
} from './schema.ts';
export { renderTerminal, type TerminalOptions } from './terminal.ts';
export { forMarkdownBlock, forMarkdownCell, forTerminal, forXml, linesForTerminal } from './untrusted.ts';
export { duration, rerunCommand } from './words.ts';
