import { type AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { EXIT } from '../../exit.ts';
import { Interruption } from './interruption.ts';

/** What a shell expects of a process that ended because of a signal. */
/** CI gives a cancelled job 7.5 s for everything; what has not ended by then is killed with this process. */
const LAST_MOMENT_MS = 6_000;

/** How long this process may go on: until a signal, or an error that nobody caught. */
export interface Lifetime extends Disposable {
  /** Aborted by the first SIGINT or SIGTERM, and by an uncaught error. */
  readonly signal: AbortSignal;
  /** Of the signal or the uncaught error; undefined while there was none. */
  readonly exitCode: number | undefined;
}

/**
 * Listens for what ends this process. The first signal asks for an orderly end, the second one ends at once: what we
 * started is killed on exit.
 * @param onError takes an error that nobody caught
 */
export function startLifetime(onError: (error: unknown) => void): Lifetime {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const end = (code: number, reason: AgentReplayError) => {
    if (exitCode !== undefined) process.exit(exitCode);
    exitCode = code;
    setTimeout(() => process.exit(code), LAST_MOMENT_MS).unref();
    controller.abort(reason);
  };
  const onSignal = (name: NodeJS.Signals) => {
    const signal = name as 'SIGINT' | 'SIGTERM';
    end(EXIT[signal], new Interruption(signal));
  };
  const onUncaught = (error: unknown) => {
    onError(error);
    end(2, asAgentReplayError(error));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      process.off('uncaughtException', onUncaught).off('unhandledRejection', onUncaught);
    },
  };
}
