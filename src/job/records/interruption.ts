import { AgentReplayError } from '../../errors.ts';
import type { Report } from '../../report/index.ts';

type Signal = Exclude<Report['evidence']['interruptedBy'], 'unknown' | undefined>;

/** Why a run ended early: pass it to `abort()`. */
export class Interruption extends AgentReplayError {
  readonly by: Signal;

  constructor(by: Signal, hint = 'What had finished by then is in the report.') {
    super('INTERRUPTED', `The run was interrupted by ${by}.`, { hint });
    this.by = by;
  }
}

/**
 * A signal whose reason is always known: aborting it without one interrupts the run, as Ctrl-C does.
 * @param over from then on the caller's signal is not listened to
 */
export function interrupting(signal: AbortSignal | undefined, over?: AbortSignal): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  const controller = new AbortController();
  const end = () => controller.abort(endReason(signal) ?? new Interruption('SIGINT'));
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true, ...(over && { signal: over }) });
  return controller.signal;
}

/** The interruption that aborted a signal, if any. */
export function interruptionOf(signal: AbortSignal | undefined): Interruption | undefined {
  const reason = endReason(signal);
  return reason instanceof Interruption ? reason : undefined;
}

/** Why a run was ended early: an interruption, or a limit set by the caller. */
export function endReason(signal: AbortSignal | undefined): AgentReplayError | undefined {
  return signal?.aborted && signal.reason instanceof AgentReplayError ? signal.reason : undefined;
}
