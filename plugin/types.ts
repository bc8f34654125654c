import type { ReplayHow } from './session.ts';
import type { ExpectedCall, TrajectoryMode } from './trajectory.ts';
import type { PinMeta, Provided } from './wire.ts';

declare module 'vitest' {
  // The parameters are those of Vitest 5. Vitest 4 has one only, which `skipLibCheck` forgives.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** Replays a session and fails where it diverges, as `agent-replay run` would. Rejects when it could not tell. */
    toReproduce(how?: ReplayHow): Promise<void>;
    /** Replays a session and fails when its replays differ from each other, whatever was recorded. */
    toAgree(how?: ReplayHow): Promise<void>;
    /** A trace holds a call of this tool; with `args`, one whose arguments are equal to them. */
    toHaveCalledTool(name: string, args?: unknown): void;
    /** The calls of a trace are these, in the sense of the mode (`strict`). */
    toMatchTrajectory(expected: readonly ExpectedCall[], options?: { mode?: TrajectoryMode }): void;
  }
  interface ProvidedContext {
    agentReplay: Provided;
  }
  interface TaskMeta {
    agentReplay?: PinMeta;
  }
}
