import { randomBytes } from 'node:crypto';
import {
  type AgentReplayError,
  asAgentReplayError,
  bodyOf,
  type Config,
  divergenceWords,
  isSameToken,
  lesserStory,
  serve,
  startReplayer,
  toProblem,
  whereAndWhat,
  withSeen,
} from '../src/rims.ts';
import { ExpectedReplays } from './expected-replays.ts';
import { isLoss, linesOf } from './failures.ts';
import { printToStderr } from './safe.ts';
import type { Answer, Provided, Question, Replayed, Replayer, ReplayOptions, Wanted } from './wire.ts';

/** The agents and what belongs to them, for one run of Vitest. Disposing of it ends them. */
export interface Running extends AsyncDisposable {
  readonly provided: Provided;
  /** Why nothing can be replayed until a reload: each session that is asked for says it. */
  readonly failure: AgentReplayError | undefined;
  /** Between two runs: reads the pins again, and restarts the agents with these ids. */
  reload(restart: ReadonlySet<string | undefined>): Promise<void>;
  /** A run of Vitest begins. */
  begin(): void;
  /** The tests of a project are about to ask: what they will ask for is replayed from now on. */
  replayExpected(project: string): void;
  /** It takes no further replays: those that no test has asked for are given up. */
  end(): void;
  /** Test files that asked for a replay of one of these sessions. */
  askersOf(sessions: ReadonlySet<string>): string[];
}

interface RunningOptions {
  readonly outputDir: string | undefined;
  /** Asked at each replay: whether `vitest -u` runs. */
  readonly isUpdating: () => boolean;
  /** What the pins of a project are going to ask for in this run of Vitest. */
  readonly expectedIn: (project: string) => Promise<readonly Wanted[]>;
}

/**
 * Starts the agents and the service for test files, and waits until they are ready. What cannot start fails the tests that
 * ask for it, and no others. On a signal Vitest exits without its global teardown; what we started is then killed as the
 * process exits.
 */
export async function startRunning(
  config: Config,
  { outputDir, isUpdating, expectedIn }: RunningOptions,
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
  const replay = async (wanted: Wanted, options: ReplayOptions) => {
    if (failure !== undefined) throw failure;
    if (replayer === undefined) throw new TypeError('replays are asked for before the agents are started');
    return replayer.replay(wanted, options);
  };
  const byProject = new Map<string, ExpectedReplays>();
  const expectedReplays = (project: string): ExpectedReplays => {
    const replays =
      byProject.get(project) ??
      new ExpectedReplays({
        expected: () => expectedIn(project),
        replay: (wanted, { accepting, ...how }) => replay(wanted, { ...how, ...(isUpdating() && { accepting }) }),
        free: async () => replayer?.free(),
      });
    byProject.set(project, replays);
    return replays;
  };
  const answer = async ({ wanted, file, project }: Question, signal: AbortSignal): Promise<Replayed> => {
    askers.set(wanted.session, (askers.get(wanted.session) ?? new Set()).add(file));
    return inWords(
      await (project === undefined ? replay(wanted, { signal }) : expectedReplays(project).take(wanted, signal)),
    );
  };
  const end = (): void => {
    for (const replays of byProject.values()) replays.end();
  };

  await load();
  const service = await startService(answer).catch(async (error) => {
    await replayer?.[Symbol.asyncDispose]();
    throw error;
  });
  return {
    get provided() {
      return { agents: replayer?.agents ?? [], service: service.address };
    },
    get failure() {
      return failure;
    },
    reload: async (restart) => {
      await load(restart);
      if (failure !== undefined) printToStderr(linesOf(toProblem(failure)).join('\n'));
    },
    begin: () => {
      end();
      byProject.clear();
    },
    replayExpected: (project) => void expectedReplays(project).begin(),
    end,
    askersOf: (sessions) => [
      ...new Set([...askers].flatMap(([session, files]) => (sessions.has(session) ? [...files] : []))),
    ],
    [Symbol.asyncDispose]: async () => {
      end();
      await service[Symbol.asyncDispose]();
      await replayer?.[Symbol.asyncDispose]();
    },
  };
}

/** With its session, and what each of its turns shows in words. */
function inWords(replayed: Awaited<ReturnType<Replayer['replay']>>): Replayed {
  const { sessions, problems } = withSeen(replayed.report).results;
  const [session] = sessions;
  if (session === undefined) throw new TypeError('a replayed session is always in its report');
  const lesser = Object.fromEntries(session.turns.map((turn) => [turn.turn, lesserStory(turn)]));
  const divergences = Object.fromEntries(
    session.turns.map(({ turn, comparison }) => [turn, divergenceWords(comparison, { isLineShown: true })]),
  );
  const disagreements = Object.fromEntries(
    replayed.turns.flatMap(({ turn, disagreed }) => {
      const { differences = [] } = disagreed ?? {};
      const more = differences.find(({ severity }) => severity === 'behaviour' || severity === 'minor');
      const words = differences.find(({ severity }) => severity === 'wording');
      if (more !== undefined) return [[turn, `differ at ${whereAndWhat(more)}`]];
      return words === undefined ? [] : [[turn, `differ only in words, at ${whereAndWhat(words)}`]];
    }),
  );
  const lost = problems.filter(isLoss);
  const whole = { ...session, problems: [...session.problems, ...lost] };
  return { ...replayed, session: whole, lesser, divergences, disagreements };
}

/** A question names a session and a file. */
const MAX_QUESTION_BYTES = 2 ** 20;

/** Test files run in processes of their own and ask Vitest's process for replays here. */
interface Service extends AsyncDisposable {
  readonly address: Provided['service'];
}

/**
 * On this machine only, for holders of the token. All replays are made in this process, so that test files share one
 * budget.
 * @param replay given up through its signal once the asking process is gone
 */
async function startService(replay: (question: Question, signal: AbortSignal) => Promise<Replayed>): Promise<Service> {
  const token = randomBytes(24).toString('base64url');
  const served = await serve(async (request, response, gone) => {
    if (!isSameToken(request.headers.authorization ?? '', `Bearer ${token}`)) return void response.writeHead(401).end();
    const given: Answer = await bodyOf(request, MAX_QUESTION_BYTES)
      .then((body) => replay(JSON.parse(String(body)) as Question, gone))
      .then(
        (replayed) => ({ replayed }),
        (error) => ({ problem: toProblem(asAgentReplayError(error)) }),
      );
    response.setHeader('content-type', 'application/json').end(JSON.stringify(given));
  });
  return {
    address: { url: `${served.origin}/`, token },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}
