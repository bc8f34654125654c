import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReplayTurn } from './turn.ts';

/** Attributes that put a turn's metadata at trace level, for OpenTelemetry: `langfuse.trace.metadata.*` and `session.id`. */
export function traceAttributes({
  sessionId,
  metadata,
}: Pick<ReplayTurn, 'sessionId' | 'metadata'>): Record<string, string> {
  const entries = Object.entries(metadata).map(([key, value]) => [`langfuse.trace.metadata.${key}`, value]);
  return { ...Object.fromEntries(entries), 'session.id': sessionId };
}

/** `experimental_telemetry` of the AI SDK up to 6: switched on, with the turn's metadata and session at trace level. */
export function aiSdkTelemetry({ sessionId, metadata }: Pick<ReplayTurn, 'sessionId' | 'metadata'>): {
  isEnabled: true;
  metadata: Record<string, string>;
} {
  return { isEnabled: true, metadata: { ...metadata, sessionId } };
}

interface RunningTurn {
  readonly attributes: Readonly<Record<string, string>>;
  reachedTracing: boolean;
}

/**
 * Shared through the global object: a bundler (Next.js) may load this module once for the program that sets tracing up
 * and once more for the route that runs the turn.
 */
const GLOBAL_KEY = Symbol.for('agent-replay.running-turn');
const globals = globalThis as { [GLOBAL_KEY]?: AsyncLocalStorage<RunningTurn> };
globals[GLOBAL_KEY] ??= new AsyncLocalStorage<RunningTurn>();
const running = globals[GLOBAL_KEY];

/** A span processor in OpenTelemetry's shape, of its SDK 1 and 2. */
export interface ReplaySpanProcessor {
  onStart(span: { setAttributes(attributes: Record<string, string>): unknown }): void;
  onEnd(): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/**
 * Puts the metadata of a replay on every span that is started while its turn runs, whichever library starts it.
 * Goes before the processor that exports, so that what the agent says itself wins.
 */
export function replaySpanProcessor(): ReplaySpanProcessor {
  return {
    onStart(span) {
      const turn = running.getStore();
      if (turn === undefined) return;
      turn.reachedTracing = true;
      span.setAttributes(turn.attributes);
    },
    onEnd() {},
    async forceFlush() {},
    async shutdown() {},
  };
}

/**
 * Runs a turn so that {@link replaySpanProcessor} knows it. `traced` is false when the turn's metadata cannot be on any
 * trace: no span was started under the processor, and nobody ever read `metadata`.
 */
export async function runTraced<T>(
  turn: ReplayTurn,
  run: (turn: ReplayTurn) => Promise<T> | T,
): Promise<{ result: T; traced: boolean }> {
  const { metadata } = turn;
  const state: RunningTurn = { attributes: traceAttributes(turn), reachedTracing: false };
  const watched = Object.defineProperty({ ...turn }, 'metadata', {
    enumerable: true,
    get() {
      state.reachedTracing = true;
      return metadata;
    },
  });
  const result = await running.run(state, async () => await run(watched));
  return { result, traced: state.reachedTracing };
}
