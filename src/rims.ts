// The second door, for the rims beside `src/`: the action and the plugin. The package does not export it.

export { endingIn, sleep } from './bounded/index.ts';
export { isAsRecorded, isDiverged, isDoubt, isInOtherWords, OUTCOMES, outcomeWord } from './compare/index.ts';
export {
  type Config,
  type ConfigInput,
  canMask,
  declaredIn,
  joinSettings,
  loadConfig,
  parseConfig,
  readSetting,
  secretsOf,
} from './config/index.ts';
export { isSameToken } from './contract/index.ts';
export { AgentReplayError, asAgentReplayError, leakPrevented } from './errors.ts';
export { ENDED_EARLY, expectEnd } from './exit.ts';
export { Places } from './files/index.ts';
export { bodyOf, serve } from './http/index.ts';
// The whole job (pinned sessions, agent, replays, comparison, report), and single sessions on demand.
export {
  type JobEvent,
  joinReports,
  linesOf,
  mergeJournals,
  openAcceptance,
  PIN_LOCK,
  type Plan,
  pinLockWithout,
  planJob,
  reportIn,
  reportOfFailure,
  runJob,
  startLifetime,
  startReplayer,
  writeReport,
} from './job/index.ts';
export { jsonIn } from './json/index.ts';
export { leaksPrevented, Redaction, sealAgainst, sealed, sealStreams } from './redaction/index.ts';
export {
  divergenceWords,
  editsIn,
  gateOf,
  isTestedBy,
  lesserStory,
  type Problem,
  parseReport,
  type Report,
  RunHistory,
  renderMarkdown,
  renderTerminal,
  type SessionResult,
  STATUS_SIGNS,
  type Status,
  sessionName,
  toProblem,
  warningsIn,
  whereAndWhat,
  withSeen,
} from './report/index.ts';
export { isPinPath, loadPins } from './session/index.ts';
export { counted, firstOf, forMarkdownCell, forMarkdownProse, linesForTerminal } from './text/index.ts';
