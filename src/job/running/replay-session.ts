import { z } from 'zod';
import {
  type CompareRules,
  isAsRecorded,
  plainSteps,
  RecordedTurn,
  type ShownStep,
  strictness,
} from '../../compare/index.ts';
import { type Config, type OwnSettings, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Json } from '../../json/index.ts';
import { mistakeLines, PLAINLY } from '../../mistakes.ts';
import { redactTexts } from '../../redaction/index.ts';
import { replayOptions } from '../../replay/index.ts';
import type { Report, SessionResult } from '../../report/index.ts';
import type { FirstLook } from '../../shift/index.ts';
import { type Recording, responseOnly } from '../../trace/index.ts';
import type { PlannedSession } from '../judging/run-scope.ts';
import { SessionBooks } from '../judging/session-books.ts';
import type { KeptBehaviour } from '../judging/session-progress.ts';
import { acceptSession, type SessionAcceptance } from '../pins/accept-session.ts';
import { aboutRun } from './about.ts';
import type { Conductor } from './conductor.ts';
import type { LiveAgent } from './live-agent.ts';
import { type Plan, partOf, runNumbers, scopeOf, shiftTurnsOf } from './plan.ts';

type TurnResult = SessionResult['turns'][number];

/** Which session to replay, and how. Anything left out is as configured. */
const wanted = z.strictObject({
  /** Id of the pinned session. */
  session: z.string(),
  /** Only these turns, from 1. */
  turns: z.array(z.int().positive()).min(1).optional(),
  runs: replayOptions.shape.runs.unwrap().optional(),
  strictness: strictness.optional(),
});
export type Wanted = Readonly<z.infer<typeof wanted>>;

/** The result of replaying one session. All texts are redacted. */
export interface ReplayedSession {
  /** Of this session alone. */
  readonly report: Report;
  readonly turns: readonly ReplayedTurn[];
  /** For the test of all sessions together; empty if it takes part in none, or was accepted. */
  readonly tested: readonly FirstLook[];
  /** The result of accepting it; undefined if that was not asked for, or there was nothing to accept. */
  readonly acceptance?: SessionAcceptance | undefined;
}

export interface ReplayedTurn {
  /** From 1. */
  readonly turn: number;
  /** The distinct behaviours of the replays, most frequent first. */
  readonly behaviours: readonly (TracedTurn & { readonly runs: readonly number[] })[];
  /** The recording beside the replay that parts from it first; undefined if none does. */
  readonly diverged?: StepPair | undefined;
  /** The two most frequent behaviours side by side; undefined if there is only one. */
  readonly disagreed?: StepPair | undefined;
}

/** What an agent did in a turn, in steps, with ids as they were. */
export interface TracedTurn {
  readonly output?: Json | undefined;
  readonly steps: readonly ShownStep[];
}

/** Two behaviours as the comparison sees them, with generated ids renamed. */
export interface StepPair {
  readonly recorded: readonly ShownStep[];
  readonly replayed: readonly ShownStep[];
}

export interface ReplayMeans {
  readonly plan: Plan;
  readonly live: ReadonlyMap<string | undefined, LiveAgent>;
  readonly conductor: Conductor;
  readonly signal: AbortSignal | undefined;
  /** Takes the distinct behaviours. */
  readonly keep?: ((behaviours: readonly KeptBehaviour[]) => Promise<void>) | undefined;
  /** Makes the replayed behaviour the new original, under the rules of {@link accept}. */
  readonly accepting?: boolean | undefined;
}

/**
 * Replays one session.
 * @throws AgentReplayError `USAGE`, `NO_SESSIONS`; later failures are in the report
 */
export async function replaySession(given: Wanted, means: ReplayMeans): Promise<ReplayedSession> {
  const { plan, conductor, signal } = means;
  const { redact, part, session, settings } = meantBy(given, means);
  const ending = { about: aboutRun(part), startedMs: performance.now(), signal };
  const turnsByShift = shiftTurnsOf(plan.sessions, conductor.config);
  const books = new SessionBooks({
    scope: scopeOf(part),
    pin: session?.pin,
    config: settings,
    part: turnsByShift === 0 ? {} : { turns: turnsByShift },
    redact,
  });
  for (const { id, sessions } of part.agents) {
    const further = () => books.secondLooks();
    const options = { settings, signal, limits: conductor.limits, redact, further, isInDoubt: () => books.isInDoubt };
    await conductor.take(means.live.get(id)?.replay(sessions, options) ?? none(), books);
  }
  const report = await conductor.conclude(books, ending);
  await means.keep?.(books.behaviours);
  const turns = replayedTurns(report, session, books.behaviours, settings).map((turn) => redactTexts(turn, redact));
  const replayed = { report, turns, tested: books.firstLooks() };
  return session && means.accepting ? accepted(replayed, { part, session, books, conductor }) : replayed;
}

async function* none(): AsyncGenerator<never> {}

/** What is wanted, in place of what is configured. @throws AgentReplayError `USAGE`, `NO_SESSIONS` */
function meantBy(given: Wanted, { plan, conductor }: ReplayMeans) {
  const { config, redaction } = conductor;
  const { runs, strictness, ...meant } = checked(given);
  const part = wantedOf(plan, meant, { ...(runs && { runs }), ...(strictness && { strictness }) });
  const [session] = part.sessions;
  // Whoever asks for this many runs looks at all of them.
  const settings: Config = { ...withOwn(config, session?.own), stopEarly: undefined };
  return { redact: redaction.text, part, session, settings };
}

/** Accepts the replayed behaviour, if there is anything to accept and the rules allow it. */
async function accepted(
  replayed: ReplayedSession,
  {
    part,
    session,
    books,
    conductor,
  }: { part: Plan; session: PlannedSession; books: SessionBooks; conductor: Conductor },
): Promise<ReplayedSession> {
  const { config, redaction } = conductor;
  const [result] = replayed.report.results.sessions;
  if (result === undefined || isAsRecorded(result.verdict)) return replayed;
  const { acceptance, pin } = await acceptSession(session.pin, result, books.behaviours, {
    config,
    redact: redaction.text,
  });
  if (pin === undefined) return { ...replayed, acceptance };
  return {
    report: books.reportAgainst(scopeOf(partOf(part, (each) => ({ ...each, pin })))),
    turns: replayed.turns.map(({ diverged: _, ...turn }) => turn),
    // It is still the same session, so it needs no name that tells it from itself.
    tested: [],
    acceptance,
  };
}

/** The value may come from a test that no compiler checked. @throws AgentReplayError `USAGE` */
function checked(given: unknown): Wanted {
  const { data, error } = wanted.safeParse(given, PLAINLY);
  if (data !== undefined) return data;
  throw new AgentReplayError('USAGE', 'The options of this replay are not valid.', {
    evidence: mistakeLines(error, 'the options'),
    hint: 'Correct these options.',
  });
}

/**
 * The wanted part of a plan.
 * @param own settings in place of the configured ones
 * @throws AgentReplayError `NO_SESSIONS`, `USAGE`
 */
function wantedOf(plan: Plan, { session: id, turns }: Wanted, own: OwnSettings): Plan {
  const all = scopeOf(plan).sessions;
  const meant = all.find(({ pin }) => pin.session.id === id);
  if (meant === undefined) {
    const known = all.map(({ pin }) => pin.session.id);
    throw new AgentReplayError('NO_SESSIONS', `There is no pinned session "${id}".`, {
      evidence: known.map((name) => `there is: ${name}`),
      hint: 'Correct the id, or `sessions` in the configuration.',
    });
  }
  const count = meant.pin.session.turns.length;
  const missing = turns?.find((turn) => turn > count);
  if (missing !== undefined) {
    throw new AgentReplayError('USAGE', `Session "${id}" has no turn ${missing}.`, {
      hint: `Turns count from 1; it has ${count}.`,
    });
  }
  const part = partOf(plan, (session) => {
    if (session.pin.session.id !== id) return undefined;
    return {
      ...onlyTurns(turns)(session),
      ...(Object.keys(own).length > 0 && { own: { ...session.own, ...own } }),
      ...(own.runs !== undefined && { runs: runNumbers(own.runs) }),
    };
  });
  return { ...part, problems: [] };
}

function onlyTurns(wanted: readonly number[] | undefined): (session: PlannedSession) => PlannedSession {
  if (wanted === undefined) return (session) => session;
  return ({ pin, turns, problems, ...rest }) => ({
    ...rest,
    pin,
    turns: turns.filter((turn) => wanted.includes(turn)),
    // Problems of other turns have a pointer to them.
    problems: problems.filter(({ location }) => {
      const index = location?.pointer?.match(/^\/turns\/(\d+)/)?.[1];
      return index === undefined || wanted.includes(Number(index) + 1);
    }),
  });
}

function replayedTurns(
  report: Report,
  session: PlannedSession | undefined,
  behaviours: readonly KeptBehaviour[],
  config: Config,
): ReplayedTurn[] {
  return report.results.sessions.flatMap(({ turns }) =>
    turns.map((result) => replayedTurn(result, session, behaviours, config)),
  );
}

function replayedTurn(
  { turn, comparison }: TurnResult,
  session: PlannedSession | undefined,
  all: readonly KeptBehaviour[],
  { compare, tracing }: Config,
): ReplayedTurn {
  const pinned = session?.pin.session.turns[turn - 1]?.recorded ?? { observations: [] };
  const recorded = tracing.source === 'none' ? responseOnly(pinned.output) : pinned;
  const behaviours = all
    .filter((each) => each.turn === turn && each.cluster !== null)
    .sort((a, b) => b.runs.length - a.runs.length);
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

function traced(recording: Recording): TracedTurn {
  return { ...(recording.output === undefined ? {} : { output: recording.output }), steps: plainSteps(recording) };
}

function sideBySide(recorded: Recording, replayed: Recording, rules: CompareRules): StepPair {
  const comparison = new RecordedTurn({ recorded }, rules).start(1);
  comparison.add(1, replayed);
  const steps = (cluster: number) => comparison.behaviour(cluster)?.steps ?? [];
  return { recorded: steps(0), replayed: steps(comparison.result().clusters.length - 1) };
}
