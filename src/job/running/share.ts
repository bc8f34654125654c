import type { Config } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { loadPins } from '../../session/index.ts';
import { counted } from '../../text/index.ts';
import { digestOf } from '../records/recording-digest.ts';
import { LEAST_SECONDS, PinSurvey } from './pin-lock.ts';
import { configuredAgents, planJob, plannedSession, type RunPlan, type Selection, type Shard } from './plan.ts';

/** @throws AgentReplayError `USAGE` if nothing is left for it */
export async function planShard(config: Config, shard: Shard, selection: Selection): Promise<RunPlan> {
  configuredAgents(config);
  const { root, maxPins } = config;
  const { survey, read } = await PinSurvey.of(config, selection);
  const shares = read.pins.flatMap((pin): Share[] => {
    const { turns, runs, own } = plannedSession(pin, selection.turn, config, {});
    const { digest, seconds: took = [] } = survey.of(pin.path) ?? {};
    if ((selection.turn ?? 1) > took.length) return [];
    const seconds = runs.length * turns.reduce((sum, turn) => sum + (took[turn - 1] ?? 0), 0) || LEAST_SECONDS;
    return [{ path: pin.path, seconds, task: JSON.stringify([pin.path, turns, digest, own]) }];
  });
  const own = shareOf(shares, shard);
  if (own.length === 0 && shares.length > 0) {
    throw new AgentReplayError('USAGE', `Nothing is left for shard ${shard.index}/${shard.count}.`, {
      evidence: [`sessions: ${shares.length}`],
      hint: `Use at most ${shares.length} shards.`,
    });
  }
  const kept: Parameters<typeof loadPins>[1]['kept'] = (pin, text) => {
    // What all pins tell is told of this one as it is now.
    survey.take(pin, text);
    return pin;
  };
  const loaded =
    own.length === 0 ? { pins: [], problems: [] } : await loadPins(own, { root, kept, limits: { files: maxPins } });
  const plan = await planJob(config, selection, {
    pins: loaded.pins,
    all: read.all,
    problems: [...read.problems, ...loaded.problems],
    habits: survey.habits(),
    steady: await survey.steady(),
  });
  const notes = [
    `shard ${shard.index}/${shard.count}: ${plan.sessions.length} of ${counted(shares.length, 'session')}`,
    ...(survey.stale > 0
      ? [`${counted(survey.stale, 'pin')} of pins.lock had to be read anew: pin, accept and record keep it`]
      : []),
    ...plan.notes,
  ];
  return { ...plan, notes, part: { shard, whole: digestOf(shares.map(({ task }) => task).sort()) } };
}

/** A session, and how long its replays take. */
interface Share {
  readonly path: string;
  readonly seconds: number;
  /** What is to be done, as text. */
  readonly task: string;
}

/** The longest session goes first, each to the shard with the least so far (Graham 1969): at most a third above the best. */
export function shareOf(shares: readonly Pick<Share, 'path' | 'seconds'>[], { index, count }: Shard): string[] {
  const longestFirst = shares.toSorted((a, b) => b.seconds - a.seconds || (a.path < b.path ? -1 : 1));
  const loads = Array.from({ length: count }, () => ({ seconds: 0, paths: [] as string[] }));
  for (const { path, seconds } of longestFirst) {
    const lightest = loads.reduce((least, load) => (load.seconds < least.seconds ? load : least));
    lightest.paths.push(path);
    lightest.seconds += seconds;
  }
  return loads[index - 1]?.paths ?? [];
}
