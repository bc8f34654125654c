import type { Config } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Report } from '../../report/index.ts';
import { counted } from '../../text/index.ts';
import { unitsOf } from '../judging/gates.ts';
import { checkCost, limitNotes } from '../records/cost.ts';
import { digestOf } from '../records/recording-digest.ts';
import { type PlannedSession, runsOf } from '../records/run-scope.ts';
import type { Gate } from '../records/seams.ts';
import { figuresOf, type Plan, partOf, planJob, type Selection, scopeOf } from './plan.ts';

type Shard = NonNullable<Report['evidence']['shard']>;

/** A plan, or this job's part of it. */
export interface RunPlan extends Plan {
  /** With a digest of what all shards do together, which must be the same for each of them. */
  readonly part?: { readonly shard: Shard; readonly whole: string } | undefined;
}

/**
 * What this run will do; with `shard`, its part of it.
 * @throws AgentReplayError `CONFIG_INVALID`, also if `maxCost` cannot be kept; `USAGE` if nothing is left for this shard
 */
export async function planRun(config: Config, selection: Selection = {}, gates?: readonly Gate[]): Promise<RunPlan> {
  const plan = await planJob(config, selection, gates);
  if (config.shard === undefined) return affordable(plan, config);
  const shard: Shard = { ...config.shard, by: config.shardBy };
  const tested = plan.sessions.find((session) => unitsOf(session, config, gates).length > 0);
  if (shard.by === 'runs' && tested !== undefined) throw notByRuns(tested.pin.path);
  const part = shard.by === 'runs' ? runsIn(plan, shard) : sessionsOf(plan, shard);
  const figures = figuresOf(part.sessions, config, gates);
  const [own, all] = [part, plan].map(({ sessions }) => sessions.length);
  const notes = [
    `shard ${shard.index}/${shard.count} by ${shard.by}: ${own} of ${counted(all ?? 0, 'session')}`,
    ...part.notes,
  ];
  return affordable({ ...part, ...figures, notes, part: { shard, whole: wholeOf(plan) } }, config);
}

/** @throws AgentReplayError `CONFIG_INVALID` if a limit is set and the cost of the calls is unknown */
function affordable(plan: RunPlan, config: Config): RunPlan {
  checkCost(config, plan.cost);
  return { ...plan, notes: [...plan.notes, ...limitNotes(config, plan.cost)] };
}

/** All sessions, each with the runs of one shard. */
function runsIn(plan: Plan, shard: Shard): Plan {
  const part = partOf(plan, (session) => ({ ...session, runs: runsOf(session.runs, shard) }));
  return { ...part, runs: runsOf(plan.runs, shard) };
}

function notByRuns(file: string): AgentReplayError {
  return new AgentReplayError('USAGE', `${file} is judged by shift, which needs all of its runs in one place.`, {
    location: { file },
    hint: 'Share sessions among the shards (shardBy: sessions), or set gate: every-run.',
  });
}

/** The sessions of one shard, with about as many turns as the others have. It depends on the sessions alone. */
export function sessionsOf(plan: Plan, shard: Shard): Plan {
  const { sessions: all } = scopeOf(plan);
  const own = shareOf(all, shard);
  if (own.size === 0 && all.length > 0) {
    throw new AgentReplayError('USAGE', `Nothing is left for shard ${shard.index}/${shard.count}.`, {
      evidence: [`sessions: ${all.length}`],
      hint: `Use at most ${all.length} shards, or set shardBy: runs (--set shardBy=runs).`,
    });
  }
  return partOf(plan, (session) => (own.has(session) ? session : undefined));
}

/** The longest session goes first, each to the shard with the least so far (Graham 1969): at most a third above the best. */
function shareOf(sessions: readonly PlannedSession[], { index, count }: Shard): Set<PlannedSession> {
  const longestFirst = sessions
    .map((session) => ({ session, seconds: secondsOf(session) }))
    .sort((a, b) => b.seconds - a.seconds || (a.session.pin.path < b.session.pin.path ? -1 : 1));
  const loads = Array.from({ length: count }, () => ({ seconds: 0, sessions: new Set<PlannedSession>() }));
  for (const { session, seconds } of longestFirst) {
    const lightest = loads.reduce((least, load) => (load.seconds < least.seconds ? load : least));
    lightest.sessions.add(session);
    lightest.seconds += seconds;
  }
  return loads[index - 1]?.sessions ?? new Set();
}

/** What a call costs beside the agent's own work: the request, and its trace. */
const LEAST_SECONDS = 0.1;

/** How long its replays take, by what the recording of each turn took; one that cannot be replayed still has to be reported. */
function secondsOf({ pin, turns, runs }: PlannedSession): number {
  const took = turns.map((turn) => {
    const { observations = [] } = pin.session.turns[turn - 1]?.recorded ?? {};
    const times = observations
      .flatMap((each) => [each.startTime, each.endTime ?? each.startTime])
      .map((time) => Date.parse(time))
      .sort((x, y) => x - y);
    return Math.max(LEAST_SECONDS, ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000);
  });
  return runs.length * took.reduce((sum, seconds) => sum + seconds, 0) || LEAST_SECONDS;
}

function wholeOf(plan: Plan): string {
  const sessions = scopeOf(plan).sessions.map(({ pin, turns, own }) => [pin.path, turns, pin.session, own ?? null]);
  return digestOf(sessions.map(digestOf).sort());
}
