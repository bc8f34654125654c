import { hash } from 'node:crypto';
import type { Config } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { loadPins } from '../../session/index.ts';
import { counted } from '../../text/index.ts';
import { RecordedHabits } from '../../tracing/index.ts';
import { isOftenRecorded } from '../judging/steady.ts';
import type { Gate } from '../records/extension-points.ts';
import { digestOf } from '../records/recording-digest.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import {
  agentFor,
  configuredAgents,
  meantPins,
  planJob,
  plannedSession,
  type ReadPins,
  type RunPlan,
  recordingsIn,
  type Selection,
  type Shard,
} from './plan.ts';

/** @throws AgentReplayError `USAGE` if nothing is left for it */
export async function planShard(
  config: Config,
  shard: Shard,
  selection: Selection,
  gates?: readonly Gate[],
): Promise<RunPlan> {
  const survey = await surveyPins(config, selection);
  const plan = await planJob(config, selection, gates, await pinsOf(survey, shard, config));
  const { shares, whole } = survey;
  const note = `shard ${shard.index}/${shard.count}: ${plan.sessions.length} of ${counted(shares.length, 'session')}`;
  return { ...plan, notes: [note, ...plan.notes], part: { shard, whole } };
}

/** A session, and how long its replays take. */
interface Share {
  readonly path: string;
  readonly seconds: number;
}

interface Survey extends ReadPins {
  /** Of all shards. */
  readonly shares: readonly Share[];
  /** A digest of what all shards do together. */
  readonly whole: string;
}

/** Reads the pins of all shards one after another. Nothing of them is kept that only their own shard needs. */
async function surveyPins(config: Config, selection: Selection): Promise<Survey> {
  const agents = configuredAgents(config);
  const habits = new Map(agents.map(({ id }) => [id, new RecordedHabits()]));
  const known = new Map<string, Share & { readonly digest: string }>();
  const read = await meantPins(config, selection, (pin, text) => {
    const { turns, own, ...session } = plannedSession(pin, selection.turn, config, {});
    const digest = digestOf([pin.path, turns, hash('sha256', text), own ?? null]);
    const { turn = 1 } = selection;
    if (turn <= pin.turns.length) {
      known.set(pin.path, { path: pin.path, seconds: secondsOf({ ...session, turns }), digest });
    }
    const ofAgent = habits.get(agentFor(pin, agents)?.id);
    for (const recording of recordingsIn([pin])) ofAgent?.add(recording);
    // Whether an agent is steady, all its recordings tell.
    const isNeeded = config.gate === undefined && isOftenRecorded(pin);
    return isNeeded ? pin : { ...pin, session: { ...pin.session, turns: [] }, turns: [], locate: () => undefined };
  });
  const shares = read.pins.flatMap(({ path }) => known.get(path) ?? []);
  return { ...read, habits, shares, whole: digestOf(shares.map(({ digest }) => digest).sort()) };
}

/** What one shard needs: its own pins as a whole. @throws AgentReplayError `USAGE` if it has none */
async function pinsOf(survey: Survey, shard: Shard, { root, maxPins }: Config): Promise<ReadPins> {
  const { shares, problems } = survey;
  if (shares.length === 0) return survey;
  const own = shareOf(shares, shard);
  if (own.length === 0) {
    throw new AgentReplayError('USAGE', `Nothing is left for shard ${shard.index}/${shard.count}.`, {
      evidence: [`sessions: ${shares.length}`],
      hint: `Use at most ${shares.length} shards.`,
    });
  }
  const read = await loadPins(own, { root, limits: { files: maxPins } });
  return { ...survey, pins: read.pins, problems: [...problems, ...read.problems] };
}

/** The longest session goes first, each to the shard with the least so far (Graham 1969): at most a third above the best. */
export function shareOf(shares: readonly Share[], { index, count }: Shard): string[] {
  const longestFirst = shares.toSorted((a, b) => b.seconds - a.seconds || (a.path < b.path ? -1 : 1));
  const loads = Array.from({ length: count }, () => ({ seconds: 0, paths: [] as string[] }));
  for (const { path, seconds } of longestFirst) {
    const lightest = loads.reduce((least, load) => (load.seconds < least.seconds ? load : least));
    lightest.paths.push(path);
    lightest.seconds += seconds;
  }
  return loads[index - 1]?.paths ?? [];
}

/** What a call costs beside the agent's own work: the request, and its trace. */
const LEAST_SECONDS = 0.1;

/** How long its replays take, by what the recording of each turn took; one that cannot be replayed still has to be reported. */
export function secondsOf({ pin, turns, runs }: Pick<PlannedSession, 'pin' | 'turns' | 'runs'>): number {
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
