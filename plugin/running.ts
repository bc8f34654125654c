import {
  type AgentReplayError,
  asAgentReplayError,
  type Config,
  lesserStory,
  startReplayer,
  toProblem,
  withSeen,
} from '../src/rims.ts';
import { CouldNotTell, linesOf } from './failures.ts';
import { printToStderr } from './safe.ts';
import { startService } from './service.ts';
import type { Provided, Question, Replayed, Replayer } from './wire.ts';

/** The agents and everything that belongs to them, for one run of Vitest. Disposing of it ends them. */
export interface Running extends AsyncDisposable {
  readonly provided: Provided;
  /** Between two runs: reads the pins again, and restarts the agents with these ids. */
  reload(restart: ReadonlySet<string | undefined>): Promise<void>;
  /** Test files that had one of these sessions replayed. */
  askersOf(sessions: ReadonlySet<string>): string[];
}

export interface RunningOptions {
  readonly outputDir: string | undefined;
  /** In watch mode an agent that does not start fails its tests until a change makes it start. */
  readonly isWatching: boolean;
  /** Asked at each replay: whether `vitest -u` runs. */
  readonly isUpdating: () => boolean;
}

/**
 * Starts the agents and the service for test files, and waits until they are ready. On a signal Vitest exits without its
 * global teardown; what we started is then killed as the process exits.
 * @throws CouldNotTell why an agent did not become ready; nothing is left running then
 */
export async function startRunning(
  config: Config,
  { outputDir, isWatching, isUpdating }: RunningOptions,
): Promise<Running> {
  const askers = new Map<string, Set<string>>();
  let replayer: Replayer | undefined;
  let failure: AgentReplayError | undefined;

  const load = async (restart?: ReadonlySet<string | undefined>): Promise<void> => {
    failure = undefined;
    try {
      if (replayer === undefined) replayer = await startReplayer(config, { outputDir, onOutput: printToStderr });
      else await replayer.reload({ ...(restart && { restart }) });
    } catch (error) {
      failure = asAgentReplayError(error);
    }
  };
  const replay = async ({ wanted, file, isPin }: Question, signal: AbortSignal): Promise<Replayed> => {
    askers.set(wanted.session, (askers.get(wanted.session) ?? new Set()).add(file));
    if (failure !== undefined || replayer === undefined) throw failure;
    return withSession(await replayer.replay(wanted, { signal, keep: isPin, accepting: isPin && isUpdating() }));
  };

  await load();
  if (failure !== undefined && !isWatching) throw asCouldNotTell(failure);
  const service = await startService(replay).catch(async (error) => {
    await replayer?.[Symbol.asyncDispose]();
    throw error;
  });
  return {
    get provided() {
      return { agents: replayer?.agents ?? [], service: service.address };
    },
    reload: async (restart) => {
      await load(restart);
      if (failure !== undefined) printToStderr(linesOf(toProblem(failure)).join('\n'));
    },
    askersOf: (sessions) => [
      ...new Set([...askers].flatMap(([session, files]) => (sessions.has(session) ? [...files] : []))),
    ],
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await replayer?.[Symbol.asyncDispose]();
    },
  };
}

function withSession(replayed: Omit<Replayed, 'session' | 'lesser'>): Replayed {
  const [session] = withSeen(replayed.report).results.sessions;
  if (session === undefined) throw new TypeError('a replayed session is always in its report');
  const lesser = Object.fromEntries(session.turns.map((turn) => [turn.turn, lesserStory(turn)]));
  return { ...replayed, session, lesser };
}

function asCouldNotTell(error: AgentReplayError): CouldNotTell {
  const failure = CouldNotTell.because(toProblem(error));
  // The failure is about the agent, so a stack of our code helps nobody.
  if (process.env.DEBUG === undefined) failure.stack = `${failure.name}: ${failure.message}`;
  return failure;
}
