import { isConfigLoading } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { EXIT } from '../../exit.ts';
import { foreignFrame } from '../../stack.ts';
import { Interruption } from '../records/interruption.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** CI gives a cancelled job 7.5 s for everything; whatever still runs by then is killed with this process. */
const LAST_MOMENT_MS = 6_000;

/** How long this process may run: until a signal or an uncaught error. */
export interface Lifetime extends Disposable {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP, and by an uncaught error. */
  readonly signal: AbortSignal;
  /** Undefined until then. */
  readonly exitCode: number | undefined;
}

/**
 * Listens for whatever ends this process. The first signal asks for an orderly end; the second ends at once, and what we
 * started is killed on exit.
 * @param onError takes an uncaught error
 */
export function startLifetime(onError: (error: AgentReplayError) => void): Lifetime {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let last: NodeJS.Timeout | undefined;
  const end = (code: number, reason: AgentReplayError) => {
    if (exitCode !== undefined) process.exit(exitCode);
    exitCode = code;
    last = setTimeout(() => process.exit(code), LAST_MOMENT_MS).unref();
    controller.abort(reason);
  };
  const onSignal = (name: NodeJS.Signals) => {
    const signal = name as (typeof SIGNALS)[number];
    end(EXIT[signal], new Interruption(signal));
  };
  const onUncaught = (thrown: unknown) => {
    if (isConfigLoading()) return;
    const error = asUncaught(thrown);
    onError(error);
    end(EXIT.error, error);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  process.on('uncaughtException', onUncaught).on('unhandledRejection', onUncaught);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: () => {
      clearTimeout(last);
      for (const name of SIGNALS) process.off(name, onSignal);
      process.off('uncaughtException', onUncaught).off('unhandledRejection', onUncaught);
    },
  };
}

/** A configuration can start a timer or a connection that throws long after it was loaded. */
function asUncaught(thrown: unknown): AgentReplayError {
  const frame = thrown instanceof AgentReplayError ? undefined : foreignFrame(thrown);
  if (frame === undefined) return asAgentReplayError(thrown);
  return new AgentReplayError('CONFIG_INVALID', 'Code of the configuration threw an error that nothing caught.', {
    evidence: [String(thrown)],
    location: frame,
    hint: 'Catch it there: what is thrown after the configuration was loaded ends the run.',
    cause: thrown,
  });
}
