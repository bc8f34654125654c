export { agentEnvironment, type Environment, REGISTRY_TOKENS } from './agent-environment.ts';
export { type AgentOptions, agentOptions } from './agent-options.ts';
export { agentCrashed, endedBySignal, tellsOfPortInUse } from './failures.ts';
export { signalGroup } from './group.ts';
export { isRunning, startOfProcess } from './linux.ts';
export { AgentOutput, type OutputLog } from './output.ts';
export { isSameServer, leavesPortOpen, targetWithoutSecrets, withPort } from './port.ts';
export { endLeftovers, type ProcessExit } from './process-tree.ts';
export {
  CANCELLED_GRACE_MS,
  type KnownBy,
  LAST_WORDS_MS,
  type LaunchedAgent,
  launchAgent,
  onPort,
  type RunningAgent,
  startAgent,
} from './start.ts';
