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
  readonly replayRunId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  reachedTracing: boolean;
  /** Traces that it has put spans into. */
  readonly traceIds: Set<string>;
  /** Ids of spans that have not ended. */
  readonly open: Set<string>;
  /** Spans that were handed to the exporter; undefined when the processor has seen none. */
  sent: number | undefined;
}

/** What is known of replays in this process. */
interface Replays {
  readonly running: AsyncLocalStorage<RunningTurn>;
  readonly byTrace: Map<string, RunningTurn>;
}

/**
 * Shared through the global object: a bundler (Next.js) may load this module once for the program that sets tracing up
 * and once more for the route that runs the turn.
 */
const GLOBAL_KEY = Symbol.for('agent-replay.running-turns');
const globals = globalThis as { [GLOBAL_KEY]?: Replays };
globals[GLOBAL_KEY] ??= { running: new AsyncLocalStorage<RunningTurn>(), byTrace: new Map() };
const { running, byTrace } = globals[GLOBAL_KEY];

/** A span that has ended, as OpenTelemetry's SDKs 1 and 2 hand it to processors. */
export interface EndedSpan {
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
}

/** A span processor in OpenTelemetry's shape, of its SDK 1 and 2. */
export interface ReplaySpanProcessor<Span extends EndedSpan = EndedSpan> {
  onStart(span: EndedSpan & { setAttributes(attributes: Record<string, string>): unknown }): void;
  onEnd(span: Span): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface SpanProcessorOptions<Span extends EndedSpan> {
  /**
   * Which spans the exporting processor sends, where it leaves some out: its own filter, such as Langfuse's
   * `isDefaultExportSpan`. The answer of a replay says how many spans there are; where it says too many, agent-replay
   * waits for the rest as if it did not say. Default: all that are sampled.
   */
  readonly exports?: ((span: Span) => boolean) | undefined;
}

const SAMPLED = 1;

/**
 * Puts the metadata of a replay on every span that is started while its turn runs, whichever library starts it, and
 * counts those that are handed to the exporter. Goes before the processor that exports, so that what the agent says
 * itself wins.
 */
export function replaySpanProcessor<Span extends EndedSpan = EndedSpan>(
  options: SpanProcessorOptions<Span> = {},
): ReplaySpanProcessor<Span> {
  const { exports = () => true } = options;
  return {
    onStart(span) {
      const { traceId, spanId } = span.spanContext();
      const turn = running.getStore() ?? byTrace.get(traceId);
      if (turn === undefined) return;
      turn.reachedTracing = true;
      turn.sent ??= 0;
      turn.traceIds.add(traceId);
      turn.open.add(spanId);
      byTrace.set(traceId, turn);
      span.setAttributes(turn.attributes);
    },
    onEnd(span) {
      if (byTrace.size === 0) return;
      const { traceId, spanId, traceFlags } = span.spanContext();
      const turn = byTrace.get(traceId);
      if (turn?.open.delete(spanId) !== true || (traceFlags & SAMPLED) === 0 || !exports(span)) return;
      turn.sent = (turn.sent ?? 0) + 1;
    },
    async forceFlush() {},
    async shutdown() {},
  };
}

/** The id of the replay whose turn runs in this asynchronous context; undefined outside of one. */
export function runningReplay(): string | undefined {
  return running.getStore()?.replayRunId;
}

/** A turn that was taken. */
export interface TracedTurn<T> extends Disposable {
  readonly result: T;
  /** False when its metadata cannot be on any trace: no span was started under the processor, and nobody read `metadata`. */
  readonly isTraced: boolean;
  /**
   * Spans that have been handed to the exporter so far; undefined where that is not all there will be, as one has not
   * ended yet, or nobody counts them.
   */
  readonly spans: number | undefined;
}

/** Runs a turn so that {@link replaySpanProcessor} knows it, until it is disposed of. */
export async function runTraced<T>(
  turn: ReplayTurn,
  run: (turn: ReplayTurn) => Promise<T> | T,
): Promise<TracedTurn<T>> {
  const { metadata } = turn;
  const state: RunningTurn = {
    replayRunId: turn.replayRunId,
    attributes: traceAttributes(turn),
    reachedTracing: false,
    traceIds: new Set(),
    open: new Set(),
    sent: undefined,
  };
  const watched = Object.defineProperty({ ...turn }, 'metadata', {
    enumerable: true,
    get() {
      state.reachedTracing = true;
      return metadata;
    },
  });
  const forget = (): void => {
    for (const id of state.traceIds) if (byTrace.get(id) === state) byTrace.delete(id);
  };
  try {
    const result = await running.run(state, async () => await run(watched));
    return {
      result,
      isTraced: state.reachedTracing,
      get spans() {
        return state.open.size > 0 ? undefined : state.sent;
      },
      [Symbol.dispose]: forget,
    };
  } catch (error) {
    forget();
    throw error;
  }
}
