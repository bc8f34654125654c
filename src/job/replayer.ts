import { z } from 'zod';
import { type CompareRules, compareRules, type ShownStep, startTurnComparison, strictness } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import type { Json, Recording } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { ReplayLimits, replayOptions } from '../replay/index.ts';
import { type Report, redactReport, secretsRedactor, type TurnResult } from '../report/index.ts';
import { aboutRun, settingsOf } from './about.ts';
import { findingOf } from './finding.ts';
import { interruptionOf } from './interruption.ts';
import { Ledger } from './ledger.ts';
import { type LiveAgent, startLiveAgent } from './live-agent.ts';
import { type Plan, type PlannedSession, planJob, plannedSessions, runNumbers, scopeOf } from './plan.ts';
import { redactTexts } from './redact-texts.ts';
import { secretsOf } from './secrets.ts';
import type { Behaviour } from './session-progress.ts';
import { Started } from './started.ts';
import { checkReachable } from './tracing.ts';

/** Which session is to be replayed, and how. What is left out is as configured. */
const wanted = z.strictObject({
  /** Id of the pinned session. */
  session: z.string(),
  /** Only this turn, from 1. */
  turn: z.int().positive().optional(),
  runs: replayOptions.shape.runs.unwrap().optional(),
  strictness: strictness.optional(),
});
export type Wanted = Readonly<z.infer<typeof wanted>>;

/** One session that was replayed. All texts are redacted. */
export interface ReplayedSession {
  /** Of this session alone. */
  readonly report: Report;
  readonly turns: readonly ReplayedTurn[];
}

export interface ReplayedTurn {
  /** From 1. */
  readonly turn: number;
  /** What was replayed: the distinct behaviours, most frequent first. */
  readonly behaviours: readonly (TracedTurn & { readonly runs: readonly number[] })[];
  /** The recording beside the replay that parts from it first; undefined when none does. */
  readonly diverged?: StepPair | undefined;
  /** The two most frequent behaviours side by side; undefined when there is only one. */
  readonly disagreed?: StepPair | undefined;
}

/** What an agent did in a turn, in steps. Ids are as they were. */
export interface TracedTurn {
  readonly output?: Json | undefined;
  readonly steps: readonly ShownStep[];
}

/** Two behaviours as the comparison sees them: generated ids are renamed. */
export interface StepPair {
  readonly recorded: readonly ShownStep[];
  readonly replayed: readonly ShownStep[];
}

/** Replays sessions whenever it is asked to, against agents that are started once. Disposing of it ends them. */
export interface Replayer extends AsyncDisposable {
  readonly agents: readonly {
    readonly id?: string | undefined;
    readonly url: string;
    readonly receiver?: string | undefined;
  }[];
  /**
   * Several can go on at once: together they keep to `workers` and `maxCalls`.
   * @throws AgentReplayError `USAGE`, `NO_SESSIONS`; what fails on the way is in the report
   */
  replay(wanted: Wanted, options?: { signal?: AbortSignal | undefined }): Promise<ReplayedSession>;
}

export interface ReplayerOptions {
  /** Gives up: replays fail with its reason, and the agents are ended with less grace. */
  readonly signal?: AbortSignal | undefined;
  /** Takes each line of the agents' output that is to be shown, redacted. */
  readonly onOutput?: ((line: string) => void) | undefined;
}

/**
 * Starts the agents of all pinned sessions, each with its receiver, and waits until they are ready.
 * @throws AgentReplayError `NO_SESSIONS`, and what kept one from becoming ready; nothing is left behind then
 */
export async function startReplayer(config: Config, { signal, onOutput }: ReplayerOptions = {}): Promise<Replayer> {
  const plan = await planJob(config);
  // What else is wrong with pins concerns nobody but those who want to replay them.
  const nothing = plan.problems.find(({ code }) => code === 'NO_SESSIONS');
  if (nothing !== undefined) throw nothing;
  for (const { options } of plan.agents) checkReachable(config, options);
  await using starting = new Started();
  const secrets = secretsOf(config, process.env);
  let redact = secretsRedactor(secrets);
  const live = new Map<string | undefined, LiveAgent>();
  for (const agent of plan.agents) {
    const started = await startLiveAgent(agent, config, {
      signal,
      onSecret: (secret) => {
        secrets.push(secret);
        redact = secretsRedactor(secrets);
      },
      onOutput: (line) => onOutput?.(redact(line)),
      onCrash: (crash) => onOutput?.(redact([crash.message, ...crash.evidence].join('\n'))),
    });
    live.set(agent.id, starting.use(started));
  }
  const started = starting.move();
  const limits = new ReplayLimits(config);
  return {
    agents: [...live].map(([id, { url, receiverUrl }]) => ({ id, url, receiver: receiverUrl })),
    replay: (wanted, options = {}) =>
      replayOne(wanted, { plan, live, config, limits, redact, signal: options.signal ?? signal }),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

interface Means {
  readonly plan: Plan;
  readonly live: ReadonlyMap<string | undefined, LiveAgent>;
  readonly config: Config;
  readonly limits: ReplayLimits;
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal | undefined;
}

async function replayOne(
  given: Wanted,
  { plan, live, config, limits, redact, signal }: Means,
): Promise<ReplayedSession> {
  const { runs = config.runs, strictness = config.compare.strictness, ...meant } = checked(given);
  // Who asks for so many runs looks at all of them.
  const settings: Config = { ...config, runs, stopEarly: undefined, compare: { ...config.compare, strictness } };
  const part = partOf(plan, meant);
  const about = aboutRun(part);
  const ledger = new Ledger(settingsOf(settings), { ...scopeOf(part), runs: runNumbers(runs) });
  const behaviours: Behaviour[] = [];
  const [session] = plannedSessions(part);
  for (const { id, sessions } of part.agents) {
    for await (const result of live.get(id)?.replay(sessions, { settings, signal, limits }) ?? []) {
      behaviours.push(...((session && ledger.take(findingOf(result, session.pin))) ?? []));
    }
  }
  const interruption = interruptionOf(signal);
  behaviours.push(...ledger.close(interruption));
  const durationMs = Date.now() - Date.parse(about.startedAt);
  const report = ledger.report({ about, durationMs, interruptedBy: interruption?.by });
  const turns = report.results.sessions.flatMap(({ turns }) => turns);
  return {
    report: redactReport(report, redact),
    turns: turns.map((result) => redactTexts(replayedTurn(result, session, behaviours, settings), redact)),
  };
}

/** It may come from a test that no compiler has seen. @throws AgentReplayError `USAGE` */
function checked(given: unknown): Wanted {
  const { data, error } = wanted.safeParse(given);
  if (data !== undefined) return data;
  throw new AgentReplayError('USAGE', 'The session cannot be replayed like this.', {
    evidence: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    hint: 'Correct these options.',
  });
}

/** The part of a plan that is wanted. @throws AgentReplayError `NO_SESSIONS`, `USAGE` */
function partOf(plan: Plan, { session: id, turn }: Wanted): Plan {
  const isMeant = ({ pin }: PlannedSession) => pin.session.id === id;
  const notReplayed = plan.notReplayed.filter(isMeant);
  const agents = plan.agents
    .map((agent) => ({ ...agent, sessions: agent.sessions.filter(isMeant) }))
    .filter(({ sessions }) => sessions.length > 0);
  const [meant] = [...agents.flatMap(({ sessions }) => sessions), ...notReplayed];
  if (meant === undefined) {
    const known = [...plannedSessions(plan), ...plan.notReplayed].map(({ pin }) => pin.session.id);
    throw new AgentReplayError('NO_SESSIONS', `There is no pinned session "${id}".`, {
      evidence: known.map((name) => `there is: ${name}`),
      hint: 'Correct the id, or `sessions` in the configuration.',
    });
  }
  const count = meant.pin.turns.length;
  if (turn !== undefined && turn > count) {
    throw new AgentReplayError('USAGE', `Session "${id}" has no turn ${turn}.`, {
      hint: `Turns count from 1; it has ${count}.`,
    });
  }
  return {
    ...plan,
    problems: [],
    notReplayed: notReplayed.map(onlyTurn(turn)),
    agents: agents.map((agent) => ({ ...agent, sessions: agent.sessions.map(onlyTurn(turn)) })),
  };
}

function onlyTurn(turn: number | undefined): (session: PlannedSession) => PlannedSession {
  if (turn === undefined) return (session) => session;
  return ({ pin, turns, problems }) => ({
    pin,
    turns: turns.filter((each) => each === turn),
    // Those of other turns have a pointer to them.
    problems: problems.filter(
      ({ location }) => (location?.pointer?.match(/^\/turns\/(\d+)/)?.[1] ?? String(turn - 1)) === String(turn - 1),
    ),
  });
}

function replayedTurn(
  { turn, comparison }: TurnResult,
  session: PlannedSession | undefined,
  all: readonly Behaviour[],
  { compare, tracing }: Config,
): ReplayedTurn {
  const pinned = session?.pin.session.turns[turn - 1]?.recorded ?? { observations: [] };
  const recorded = tracing.source === 'none' ? { output: pinned.output, observations: [] } : pinned;
  const behaviours = all.filter((each) => each.turn === turn).sort((a, b) => b.runs.length - a.runs.length);
  const divergent = comparison.clusters.find((cluster) => cluster.divergence !== null && !cluster.recorded);
  const diverged = behaviours.find(({ cluster }) => cluster === divergent?.id);
  const [first, second] = behaviours;
  return {
    turn,
    behaviours: behaviours.map(({ runs, recording }) => ({ runs, ...traced(recording) })),
    ...(diverged && { diverged: sideBySide(recorded, diverged.recording, compare) }),
    ...(first && second && { disagreed: sideBySide(first.recording, second.recording, compare) }),
  };
}

const AS_THEY_ARE = compareRules.parse({ identities: 'literal' });

function traced(recording: Recording): TracedTurn {
  const steps = startTurnComparison([recording], AS_THEY_ARE, { requested: 0 }).behaviour(0)?.steps ?? [];
  return { ...(recording.output === undefined ? {} : { output: recording.output }), steps };
}

function sideBySide(recorded: Recording, replayed: Recording, rules: CompareRules): StepPair {
  const comparison = startTurnComparison([recorded], rules, { requested: 1 });
  comparison.add(1, replayed);
  const steps = (cluster: number) => comparison.behaviour(cluster)?.steps ?? [];
  return { recorded: steps(0), replayed: steps(comparison.result().clusters.length - 1) };
}
