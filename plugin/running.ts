import { AgentReplayError, asAgentReplayError, type Config, startReplayer } from '../src/index.ts';
import { CouldNotTell } from './failures.ts';
import { problemOf, startService } from './service.ts';
import type { Provided } from './wire.ts';

/** The agents and all that goes with them, for one run of Vitest. Disposing of it ends them. */
export interface Running extends AsyncDisposable {
  readonly provided: Provided;
  /** Gives up the replays that are going on; the agents stay. */
  cancel(): void;
}

/**
 * Starts the agents and the service that test files ask, and waits until they are ready. On a signal Vitest leaves at
 * once, without its global teardown; what we started is killed then, when the process exits.
 * @throws CouldNotTell what kept an agent from becoming ready; nothing is left behind then
 */
export async function startRunning(config: Config): Promise<Running> {
  try {
    return await start(config);
  } catch (error) {
    const failure = CouldNotTell.because(problemOf(asAgentReplayError(error)));
    // It is about the agent: where in our code that was found out helps nobody.
    if (process.env.DEBUG === undefined) failure.stack = `${failure.name}: ${failure.message}`;
    throw failure;
  }
}

async function start(config: Config): Promise<Running> {
  let cancelling = new AbortController();
  const replayer = await startReplayer(config, { onOutput: (line) => void process.stderr.write(`${line}\n`) });
  const service = await startService(replayer, { ended: () => cancelling.signal }).catch(async (error) => {
    await replayer[Symbol.asyncDispose]();
    throw error;
  });
  return {
    provided: { agents: replayer.agents, service: service.address },
    cancel: () => {
      cancelling.abort(new AgentReplayError('INTERRUPTED', 'The run was cancelled.'));
      cancelling = new AbortController();
    },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await replayer[Symbol.asyncDispose]();
    },
  };
}
