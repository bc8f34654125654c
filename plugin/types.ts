import type { ReplayHow } from './session.ts';
import type { ExpectedCall, TrajectoryMode } from './tool-calls.ts';
import type { PinMeta, Provided } from './wire.ts';

declare module 'vitest' {
  // The type parameters are those of Vitest 5. Vitest 4 has only one, which `skipLibCheck` tolerates.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** Replays a session and fails if it diverges, as `agent-replay run` would. Rejects if it could not tell. */
    toReproduce(how?: ReplayHow): Promise<void>;
    /** Replays a session and fails if its replays differ from each other, whatever was recorded. */
    toAgree(how?: ReplayHow): Promise<void>;
    /** The trace contains a call of this tool; with `args`, one with equal arguments. */
    toHaveCalledTool(name: string, args?: unknown): void;
    /** The trace's calls are these, under the mode (default `strict`). */
    toMatchTrajectory(expected: readonly ExpectedCall[], options?: { mode?: TrajectoryMode }): void;
  }
  interface ProvidedContext {
    agentReplay: Provided;
  }
  interface TaskMeta {
    agentReplay?: PinMeta;
  }
}
