import type { Config } from '../../config/index.ts';
import { checkCost, limitNotes } from '../records/cost.ts';
import { planJob, type RunPlan, type Selection } from './plan.ts';
import { planShard } from './share.ts';

/**
 * @throws AgentReplayError `CONFIG_INVALID`, also if a limit is set and the cost of the calls is unknown; `USAGE` if
 * nothing is left for this shard
 */
export async function planRun(config: Config, selection: Selection = {}): Promise<RunPlan> {
  const { shard } = config;
  const plan: RunPlan = await (shard === undefined ? planJob(config, selection) : planShard(config, shard, selection));
  checkCost(config, plan.cost);
  return { ...plan, notes: [...plan.notes, ...limitNotes({ ...config, ...plan.part?.budget }, plan.cost)] };
}
