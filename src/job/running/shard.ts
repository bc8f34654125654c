import type { Config } from '../../config/index.ts';
import { checkCost, limitNotes } from '../records/cost.ts';
import type { Gate } from '../records/extension-points.ts';
import { planJob, type RunPlan, type Selection } from './plan.ts';
import { planShard } from './share.ts';

/**
 * @throws AgentReplayError `CONFIG_INVALID`, also if a limit is set and the cost of the calls is unknown; `USAGE` if
 * nothing is left for this shard
 */
export async function planRun(config: Config, selection: Selection = {}, gates?: readonly Gate[]): Promise<RunPlan> {
  const { shard } = config;
  const plan: RunPlan = await (shard === undefined
    ? planJob(config, selection, gates)
    : planShard(config, shard, selection, gates));
  checkCost(config, plan.cost);
  return { ...plan, notes: [...plan.notes, ...limitNotes(config, plan.cost)] };
}
