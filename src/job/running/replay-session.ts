import { z } from 'zod';
import { type Config, ownSettings, withOwn } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { present } from '../../json/index.ts';
import { mistakeLines, PLAINLY } from '../../mistakes.ts';
import { redactError } from '../../redaction/index.ts';
import { Deadline, replayOptions } from '../../replay/index.ts';
import type { ReplayedSession } from '../judging/replayed-session.ts';
import { type PlannedSession, runNumbers } from '../records/run-scope.ts';
import { aboutRun } from './about-run.ts';
import type { Conductor } from './conductor.ts';
import type { LiveAgent } from './live-agent.ts';
import { openLedger } from './open-ledger.ts';
import { type Plan, partOf, scopeOf, sessionNamed, testedTurnsOf } from './plan.ts';

/** Which session to replay, and how. Anything left out is as configured. */
const wanted = z.strictObject({
  /** Id of the pinned session. */
  session: z.string(),
  /** Only these turns, from 1. */
  turns: z.array(z.int().positive()).min(1).optional(),
  runs: replayOptions.shape.runs.unwrap().optional(),
  strictness: ownSettings.shape.strictness,
  /** No gate adds a look: not even one that judges by more replays than these. */
  isExact: z.boolean().optional(),
});
export type Wanted = Readonly<z.infer<typeof wanted>>;

interface Means {
  readonly plan: Plan;
  readonly live: ReadonlyMap<string | undefined, LiveAgent>;
  readonly conductor: Conductor;
  readonly signal: AbortSignal | undefined;
  /** Folder in which `traces` is, for the distinct behaviours; undefined: they are not kept. */
  readonly tracesIn: string | undefined;
  /** Makes the replayed behaviour the new original, under the rules of {@link accept}. */
  readonly accepting: boolean | Promise<boolean>;
}

/**
 * Replays one session.
 * @throws AgentReplayError `USAGE`, `NO_SESSIONS`; later failures are in the report
 */
export async function replaySession(given: Wanted, means: Means): Promise<ReplayedSession> {
  const { plan, live, conductor, signal, tracesIn, accepting } = means;
  const { part, config } = meantBy(given, means);
  const ending = { about: aboutRun(part), startedMs: performance.now(), signal };
  const turns = testedTurnsOf(plan.sessions, conductor.config) || undefined;
  using deadline = new Deadline(config.timeouts.total);
  const limits = { late: deadline.signal, tracesIn };
  await using ledger = await openLedger(part, { conductor, ...ending, ...limits, config, turns, isOnDemand: true });
  deadline.start();
  const over = AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])]);
  let lost: AgentReplayError | undefined;
  for (const { id, sessions } of part.agents) {
    const agent = live.get(id);
    const ids = sessions.map(({ pin }) => pin.session.id);
    const replaying =
      agent && conductor.replay([agent], sessions, ledger, { config, signal: over, isExact: given.isExact });
    await replaying?.catch((error) => {
      ledger.fail(redactError(asAgentReplayError(error), conductor.redaction.text), ids);
    });
    lost = agent?.lost;
  }
  if (lost !== undefined) ledger.fail(redactError(lost, conductor.redaction.text), []);
  await conductor.judge(ledger, signal);
  const report = await conductor.report(ledger, ending);
  return await ledger.replayed(report, (await accepting) && !config.offline && lost === undefined);
}

/** What is wanted, in place of what is configured. @throws AgentReplayError `USAGE`, `NO_SESSIONS` */
function meantBy(asked: Wanted, { plan, conductor: { config } }: Means): { part: Plan; config: Config } {
  const { session: id, turns, runs, strictness } = checked(asked);
  const meant = sessionNamed(scopeOf(plan).sessions, id);
  const count = meant.pin.session.turns.length;
  const missing = turns?.find((turn) => turn > count);
  if (missing !== undefined) {
    throw new AgentReplayError('USAGE', `Session "${id}" has no turn ${missing}.`, {
      hint: `Turns count from 1; it has ${count}.`,
    });
  }
  const own = { ...meant.own, ...present({ runs, strictness }) };
  const part = partOf(plan, (session) => {
    if (session.pin !== meant.pin) return undefined;
    const given = {
      ...(Object.keys(own).length > 0 && { own }),
      ...(runs !== undefined && { runs: runNumbers(runs) }),
    };
    return { ...onlyTurns(session, turns), ...given };
  });
  return { part: { ...part, problems: [] }, config: withOwn(config, own) };
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

function onlyTurns(session: PlannedSession, wanted: readonly number[] | undefined): PlannedSession {
  if (wanted === undefined) return session;
  return {
    ...session,
    turns: session.turns.filter((turn) => wanted.includes(turn)),
    // Problems of other turns have a pointer to them.
    problems: session.problems.filter(({ location }) => {
      const index = location?.pointer?.match(/^\/turns\/(\d+)/)?.[1];
      return index === undefined || wanted.includes(Number(index) + 1);
    }),
  };
}
