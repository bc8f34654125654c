// Importing this in a test types the matchers and `inject('agentReplay')`.
import './types.ts';

// For tests.
export { type RawReplay, type Replay, withReplay } from './fixture.ts';
export type { AgentReplayOptions } from './host.ts';
export { agentReplay } from './plugin.ts';
export { type PinnedSession, type ReplayHow, type ReplayTrace, session } from './session.ts';
export type { ExpectedCall, TrajectoryMode } from './tool-calls.ts';
export type { Provided } from './wire.ts';
