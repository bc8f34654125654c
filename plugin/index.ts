// The plugin, for vitest.config.ts.

// What tests see: matchers and `inject('agentReplay')` are typed by importing this.
import './types.ts';

export { type AgentReplayOptions, agentReplay } from './plugin.ts';
// For tests.
export { type PinnedSession, type ReplayHow, type ReplayTrace, session } from './session.ts';
export type { ExpectedCall, TrajectoryMode } from './trajectory.ts';
export type { Provided } from './wire.ts';
