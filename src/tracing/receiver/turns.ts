import type { Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';
import type { Quiet } from '../waiting/quiet.ts';
import { progressOf } from '../waiting/whole.ts';

/** The trace of a turn that is not a replay, once it seems complete. */
export interface SeenTurn {
  readonly trace: Trace;
  /** What it still lacks, in words; only set when its agent has ended. */
  readonly lacking: readonly string[];
}

/** Finds out when the traces of an agent in use have come to rest. If more of one comes later, it is reported again. */
export class RestedTraces {
  readonly #recordsOf: (traceId: string) => readonly TraceRecord[] | undefined;
  readonly #quiet: Quiet;
  readonly #tell: (turn: SeenTurn) => void;
  /** Cancels the waiting for each trace that has changed since its report. */
  readonly #changed = new Map<string, () => void>();

  constructor(
    recordsOf: (traceId: string) => readonly TraceRecord[] | undefined,
    quiet: Quiet,
    tell: (turn: SeenTurn) => void,
  ) {
    this.#recordsOf = recordsOf;
    this.#quiet = quiet;
    this.#tell = tell;
  }

  /** More of a trace has arrived. */
  touched(traceId: string): void {
    this.#changed.get(traceId)?.();
    this.#changed.set(traceId, () => {});
    const progress = this.#progress(traceId);
    // A turn whose topmost span is never exported may still be running.
    if (progress === undefined || progress.lacking.length > 0) return;
    const silenceMs = progress.isOpen ? this.#quiet.settleMs : this.#quiet.quietMs;
    this.#changed.set(
      traceId,
      this.#quiet.after(silenceMs, () => this.#rested(traceId, [])),
    );
  }

  /** The agent has ended: nothing more will arrive. */
  end(): void {
    for (const [traceId, callOff] of this.#changed) {
      callOff();
      const { lacking = [], hasOnlyHiddenTop = false } = this.#progress(traceId) ?? {};
      this.#rested(traceId, hasOnlyHiddenTop ? [] : lacking);
    }
  }

  /** Nobody listens any more. */
  callOff(): void {
    for (const callOff of this.#changed.values()) callOff();
    this.#changed.clear();
  }

  #rested(traceId: string, lacking: readonly string[]): void {
    this.#changed.delete(traceId);
    const records = this.#recordsOf(traceId);
    if (records !== undefined && records.length > 0) this.#tell({ trace: assembleTrace(records), lacking });
  }

  #progress(traceId: string): { lacking: readonly string[]; hasOnlyHiddenTop: boolean; isOpen: boolean } | undefined {
    const records = this.#recordsOf(traceId);
    if (records === undefined || records.length === 0) return undefined;
    const { missing, open, circles, tops, hiddenTop } = progressOf(records);
    const broken = [...missing, ...circles, ...tops];
    return {
      lacking: hiddenTop === undefined ? broken : ['the root span', ...broken],
      hasOnlyHiddenTop: hiddenTop !== undefined && broken.length === 0,
      isOpen: open.length > 0,
    };
  }
}
