import { type Config, withOwn } from '../../config/index.ts';
import { TOOLS_ENV } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Language } from '../../files/index.ts';
import type { Json } from '../../json/index.ts';
import { redactorLike } from '../../redaction/index.ts';
import { type ReplayMeans, type ReplayRequests, replaySessions } from '../../replay/index.ts';
import { notWrapped, startToolsEndpoint, ToolError, ToolPolicies, type ToolsEndpoint } from '../../tools/index.ts';
import { calledTools, type Recording } from '../../trace/index.ts';
import type { ToolStandIn } from '../records/extension-points.ts';
import type { PlannedSession } from '../records/run-scope.ts';

/**
 * Wrapped tools announce themselves when they are wrapped, mostly while the agent starts. This is for announcements under
 * way.
 */
const ANNOUNCED_MS = 1_000;

/** @throws AgentReplayError `TOOLS_UNREACHABLE`, `TOOLS_UNTRACED`, before anything is started or sent */
export function checkTools(
  config: Config,
  environment: NodeJS.ProcessEnv,
  { isElsewhere }: { readonly isElsewhere: boolean },
): void {
  if (!everyPolicies(config).some(({ isOn }) => isOn)) return;
  if (config.tracing.source === 'none') {
    throw new AgentReplayError(
      'TOOLS_UNTRACED',
      'Without traces, agent-replay cannot tell whether a tool ran that must not run.',
      {
        evidence: ['tracing: none'],
        hint: 'Set tracing: embedded or platform, or tools: live.',
      },
    );
  }
  if (!isElsewhere || fixedAddress(environment) !== undefined) return;
  throw new AgentReplayError(
    'TOOLS_UNREACHABLE',
    'The agent is not started by agent-replay, so its tools cannot know where recorded results are.',
    {
      evidence: [`not set: ${TOOLS_ENV.url}, ${TOOLS_ENV.token}`],
      hint: `Set both, to the same values for the agent and for agent-replay, as in ${TOOLS_ENV.url}=http://127.0.0.1:4319/tools; or set agent.command.`,
    },
  );
}

/** Decides where one agent's tool results come from during replays. Disposing of it closes the endpoint. */
export class LiveTools implements AsyncDisposable {
  readonly endpoint: ToolsEndpoint & ToolStandIn;
  readonly #config: Config;
  readonly #known: Map<string, KnownTools>;
  /** Trouble with single tools, for sessions that come later. */
  readonly #inTrouble: ToolError[] = [];
  #isProved = false;
  #proving: Promise<unknown> = Promise.resolve();

  private constructor(endpoint: ToolsEndpoint, config: Config, known: Map<string, KnownTools>) {
    this.endpoint = endpoint;
    this.#config = config;
    this.#known = known;
  }

  /**
   * Undefined if all tools are live.
   * @param options.isAsking no recording is replayed: tools run, except those that must not
   * @param options.onDefect takes an error of the endpoint's own
   * @throws AgentReplayError `TOOLS_UNREACHABLE`
   */
  static async open(
    config: Config,
    environment: NodeJS.ProcessEnv,
    { isAsking, onDefect }: { readonly isAsking: boolean; readonly onDefect: (defect: AgentReplayError) => void },
  ): Promise<LiveTools | undefined> {
    const all = everyPolicies(config);
    if (!all.some(({ isOn }) => isOn)) return undefined;
    const known = new Map<string, KnownTools>();
    const lists = new WeakMap<Recording, readonly Recording[]>();
    const asked = (policies: ToolPolicies) => (isAsking ? policies.asked() : policies);
    // Nothing is recorded of an unknown session, so only the tools that run in all sessions run.
    const policies = (session: string) => asked(known.get(session)?.policies ?? policiesOf(config));
    // The call names no session, so a tool that must not run in one session runs in none.
    const outside = (tool: string) => all.map((each) => asked(each).of(tool)).find((each) => each !== 'live') ?? 'live';
    const { compare: rules, identifiers } = config;
    const fixed = fixedAddress(environment);
    const recorded = ({ session, turn }: { session: string; turn: number }) => {
      const { pin, asPinned = (value: Json) => value } = known.get(session) ?? {};
      const { recorded: first, baselines = [] } = pin?.session.turns[turn - 1] ?? {};
      if (first === undefined) return { recordings: [], asPinned };
      const recordings = lists.get(first) ?? [first, ...baselines];
      lists.set(first, recordings);
      return { recordings, asPinned };
    };
    return new LiveTools(
      await startToolsEndpoint({ policies, outside, rules, identifiers, recorded, fixed, onDefect }),
      config,
      known,
    );
  }

  /** Registers recordings before they are replayed. */
  expect(sessions: readonly PlannedSession[], redact: (text: string) => string): void {
    for (const planned of sessions) {
      const { session } = planned.pin;
      const asPinned = redactorLike(session.redacted, redact);
      this.#known.set(session.id, { pin: planned.pin, policies: policiesOf(this.#config, planned), asPinned });
    }
  }

  /**
   * One replay of the turn with the fewest writes must show that the tools are wrapped, once for all.
   * @throws AgentReplayError what is the same for every session: the agent has gone, or the run is over
   */
  prove(sessions: readonly PlannedSession[], means: ReplayMeans): Promise<Unproved[]> {
    const proving = this.#proving.then(() => this.#prove(sessions, means));
    this.#proving = proving.catch(() => {});
    return proving;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endpoint[Symbol.asyncDispose]();
  }

  async #prove(sessions: readonly PlannedSession[], means: ReplayMeans): Promise<Unproved[]> {
    let left = sessions.filter((session) => policiesOf(this.#config, session).isOn);
    const unproved: Unproved[] = [];
    const leaveOut = (error: AgentReplayError): void => {
      const isToBlame = (planned: PlannedSession) => !(error instanceof ToolError) || this.#needs(planned, error);
      const ids = left.filter(isToBlame).map(({ pin }) => pin.session.id);
      if (ids.length > 0) unproved.push({ error, sessions: ids });
      left = left.filter((planned) => !isToBlame(planned));
    };
    this.#inTrouble.forEach(leaveOut);
    while (left.length > 0 && !this.#isProved) {
      const failure = await this.#probe(left, means);
      const before = left.length;
      if (failure === undefined) this.#isProved = true;
      else leaveOut(failure);
      if (failure instanceof ToolError) this.#inTrouble.push(failure);
      if (failure === undefined || left.length < before) continue;
      // No recording calls the tool. If its wrapper kept it from running, each replay that calls it will say so.
      if (failure.code !== 'TOOLS_UNREACHABLE') throw failure;
      this.#isProved = true;
    }
    return unproved;
  }

  async #probe(sessions: readonly PlannedSession[], means: ReplayMeans): Promise<AgentReplayError | undefined> {
    const missing = await this.endpoint.untilWrapped(this.#neverRunIn(sessions), ANNOUNCED_MS);
    const [first, ...others] = this.#turnsToProbe(sessions);
    const dangerous = first.calls.filter((name) => missing.includes(name));
    if (dangerous.length > 0) return notAnnounced(dangerous, this.#config.language);
    let failure = await this.#failureOf(first, means);
    // What fails in one session says nothing of the others: another one proves it, if it does no more.
    for (const other of others) {
      if (failure === undefined || failure instanceof ToolError) break;
      const next = await this.#failureOf(other, means);
      if (next === undefined || next instanceof ToolError) failure = next;
    }
    if (failure !== undefined) return failure;
    const unwrapped = await this.endpoint.untilWrapped(missing, ANNOUNCED_MS);
    return unwrapped.length > 0 ? notAnnounced(unwrapped, this.#config.language) : undefined;
  }

  /** @throws AgentReplayError if it is the same for every session */
  async #failureOf({ planned, turn }: Probe, means: ReplayMeans): Promise<AgentReplayError | undefined> {
    let failure: AgentReplayError | undefined;
    const probed = [requestsOf({ ...planned, turns: [turn], runs: [1] })];
    for await (const { outcome, late } of replaySessions(probed, { ...means, onAnswered: undefined })) {
      if (outcome.kind === 'unverified' && late === undefined) failure = outcome.error;
    }
    if (failure !== undefined && mustEnd(failure, means)) throw failure;
    return failure;
  }

  /** Whether a session calls such a tool, or the tool is not wrapped and must not run in it. */
  #needs(planned: PlannedSession, { code, tools }: ToolError): boolean {
    const policies = policiesOf(this.#config, planned);
    const called = new Set(planned.turns.flatMap((turn) => calledIn(planned, turn)));
    const isNever = (name: string) => code === 'TOOL_NOT_WRAPPED' && policies.of(name) === 'never';
    return tools.some((name) => called.has(name) || isNever(name));
  }

  /** Tools that must not run: those that recordings call, and all named ones if there is only one agent. */
  #neverRunIn(sessions: readonly PlannedSession[]): string[] {
    const called = sessions.flatMap((planned) => planned.turns.flatMap((turn) => this.#neverCalls(planned, turn)));
    const named =
      this.#config.agents === undefined
        ? sessions.flatMap((planned) => policiesOf(this.#config, planned).neverByName())
        : [];
    return [...new Set([...called, ...named])];
  }

  #neverCalls(planned: PlannedSession, turn: number): string[] {
    const policies = policiesOf(this.#config, planned);
    return calledIn(planned, turn).filter((name) => policies.of(name) === 'never');
  }

  /**
   * The turn with the fewest calls of tools that must not run; among those, the one that calls most tools. After it, turns of
   * other sessions with no more of them.
   */
  #turnsToProbe(sessions: readonly PlannedSession[]): readonly [Probe, ...Probe[]] {
    const inSequence = this.#config.context === 'sequence';
    const turns = sessions.flatMap((planned) =>
      planned.turns.slice(0, inSequence ? 1 : undefined).map((turn) => {
        const tools = new Set(calledIn(planned, turn));
        return { planned, turn, tools: tools.size, calls: this.#neverCalls(planned, turn) };
      }),
    );
    const inOrder = turns.sort((a, b) => a.calls.length - b.calls.length || b.tools - a.tools);
    const first = inOrder[0] as NonNullable<(typeof inOrder)[0]>;
    const of = Map.groupBy(inOrder, ({ planned }) => planned);
    const others = [...of.values()].flatMap(([each]) => each ?? []);
    const alike = others.filter((each) => each !== first && each.calls.length <= first.calls.length);
    return [first, ...alike.slice(0, MORE_PROBES)];
  }
}

/** Sessions that may not be replayed, by id, and why. */
export interface Unproved {
  readonly error: AgentReplayError;
  readonly sessions: readonly string[];
}

interface Probe {
  readonly planned: PlannedSession;
  readonly turn: number;
  /** Tools that must not run. */
  readonly calls: readonly string[];
}

/** Sessions that are tried when the turn of another one fails. */
const MORE_PROBES = 2;

/** The agent has gone, or the run is over. */
function mustEnd({ code }: AgentReplayError, { signal, crashed }: ReplayMeans): boolean {
  return signal?.aborted === true || crashed?.aborted === true || OF_ALL.has(code);
}

const OF_ALL: ReadonlySet<string> = new Set(['TARGET_UNREACHABLE', 'CALLS_EXCEEDED', 'COST_LIMIT', 'INTERRUPTED']);

/** The tools that the original of a turn calls, as often as it does. */
function calledIn({ pin }: PlannedSession, turn: number): string[] {
  return calledTools(pin.session.turns[turn - 1]?.recorded.observations ?? []);
}

export function requestsOf({ pin, turns, runs }: PlannedSession): ReplayRequests {
  return {
    id: pin.session.id,
    runs,
    turns: turns.flatMap((turn) => {
      const { request, recorded, baselines = [] } = pin.session.turns[turn - 1] ?? {};
      if (request === undefined || recorded === undefined) return [];
      return { turn, request, traceId: recorded.traceId, recordings: [recorded, ...baselines] };
    }),
  };
}

interface KnownTools {
  readonly pin: PlannedSession['pin'];
  readonly policies: ToolPolicies;
  readonly asPinned: (value: Json) => Json;
}

/** @param session if omitted: a session without settings of its own */
function policiesOf(config: Config, session?: Pick<PlannedSession, 'own'>): ToolPolicies {
  const { tools, compare, language } = withOwn(config, session?.own);
  return new ToolPolicies(tools, compare.tools, language);
}

/** The policies of every kind of session. */
function everyPolicies(config: Config): ToolPolicies[] {
  return [policiesOf(config), ...config.overrides.map((own) => policiesOf(config, { own }))];
}

/** @throws AgentReplayError `TOOLS_UNREACHABLE` if we cannot listen at that address */
function fixedAddress(environment: NodeJS.ProcessEnv): { url: URL; token: string } | undefined {
  const [url, token] = [environment[TOOLS_ENV.url], environment[TOOLS_ENV.token]];
  if (!url || !token) return undefined;
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'http:' && parsed.port !== '') return { url: parsed, token };
  throw new AgentReplayError('TOOLS_UNREACHABLE', `${TOOLS_ENV.url} is not an address to listen on.`, {
    evidence: ['expected: http, with a port'],
    hint: `Set it as in ${TOOLS_ENV.url}=http://127.0.0.1:4319/tools.`,
  });
}

function notAnnounced(names: readonly string[], language: Language | undefined): ToolError {
  const evidence = names.map((name) => `tools.${name}.replay: never`);
  return notWrapped(names, `The agent has not wrapped ${names.join(', ')}, which must not run.`, evidence, language);
}
