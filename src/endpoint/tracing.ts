import { AsyncLocalStorage } from 'node:async_hooks';
import { TRACE_SPANS } from '../contract/index.ts';
import type { ReplayTurn } from './turn.ts';

/** OpenTelemetry attributes that put a turn's metadata at trace level: `langfuse.trace.metadata.*` and `session.id`. */
export function traceAttributes({ sessionId, metadata }: ReplayTurn): Record<string, string> {
  const entries = Object.entries(metadata).map(([key, value]) => [`langfuse.trace.metadata.${key}`, value]);
  return { ...Object.fromEntries(entries), 'session.id': sessionId };
}

/** `experimental_telemetry` of the AI SDK up to 6: enabled, with the turn's metadata and session at trace level. */
export function aiSdkTelemetry({ sessionId, metadata }: ReplayTurn): {
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
  /** Of spans that have not ended. */
  readonly open: Set<string>;
  /** Spans handed to the exporter; undefined if the processor has seen none. */
  sent: number | undefined;
}

/** What this process knows about replays. */
interface Replays {
  readonly running: AsyncLocalStorage<RunningTurn>;
  readonly byTrace: Map<string, RunningTurn>;
}

/**
 * A bundler (Next.js) may load this module twice: for the program that sets tracing up, and for the route that runs the
 * turn.
 */
const GLOBAL_KEY = Symbol.for('agent-replay.running-turns');
const globals = globalThis as { [GLOBAL_KEY]?: Replays };
globals[GLOBAL_KEY] ??= { running: new AsyncLocalStorage<RunningTurn>(), byTrace: new Map() };
const { running, byTrace } = globals[GLOBAL_KEY];

/** An ended span, as OpenTelemetry's SDKs 1 and 2 pass it to processors. */
export interface EndedSpan {
  /** The SDK exports what is written here before the exporting processor takes the span. */
  readonly attributes?: object | undefined;
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
   * The exporting processor's own filter, if it leaves spans out, such as Langfuse's `isDefaultExportSpan`. The answer of a
   * replay gives the number of spans; if that is too high, agent-replay waits as if there were no number. Default: all
   * sampled spans.
   */
  readonly exports?: ((span: Span) => boolean) | undefined;
}

const SAMPLED = 1;

/**
 * Puts a replay's metadata on every span that starts while its turn runs, whichever library starts it, counts the spans
 * handed to the exporter, and marks the last of them with their number. Put it before the exporting processor, so that the agent's own attributes win.
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
      if (turn.open.size === 0) Object.assign(span.attributes ?? {}, { [TRACE_SPANS]: turn.sent });
    },
    async forceFlush() {},
    async shutdown() {},
  };
}

/** The id of the replay whose turn runs in this asynchronous context, if any. */
export function runningReplay(): string | undefined {
  return running.getStore()?.replayRunId;
}

/** A turn that was taken, or failed. */
export interface TracedTurn<T> extends Disposable {
  readonly result: PromiseSettledResult<T>;
  /** False if its metadata cannot be on any trace: no span started under the processor, and nobody read `metadata`. */
  readonly isTraced: boolean;
  /** Spans handed to the exporter so far; undefined if more may come because one is still open, or if nobody counts. */
  readonly spans: number | undefined;
}

/** Runs a turn under {@link replaySpanProcessor}, until disposed of. */
export async function runTraced<T>(
  turn: ReplayTurn,
  run: (turn: ReplayTurn) => PromiseLike<T> | T,
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
  const [result] = await Promise.allSettled([running.run(state, async () => await run(watched))]);
  return {
    result,
    isTraced: state.reachedTracing,
    get spans() {
      return state.open.size > 0 ? undefined : state.sent;
    },
    [Symbol.dispose]: forget,
  };
}
