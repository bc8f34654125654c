export { agentEnvironment, type Environment } from './environment.ts';
export { agentCrashed, endedBySignal } from './failures.ts';
export { isRunning, startOfProcess } from './linux.ts';
export { type AgentOptions, agentOptions } from './options.ts';
export { type AgentOutput, echoLine, type OutputLog, type OutputStream } from './output.ts';
export { isSameServer, leavesPortOpen, shownTarget, withPort } from './port.ts';
export { endLeftovers, type ProcessExit } from './process-tree.ts';
export { type LaunchedAgent, launchAgent, type RunningAgent, type StartContext, startAgent } from './start.ts';
