import { gateOf, mergeJournals, parseConfig, secretsOf } from '../src/rims.ts';
import { annotate } from './announce.ts';
import { changeOf } from './change.ts';
import type { WorkflowEvent } from './event.ts';
import type { Inputs } from './inputs.ts';
import { maskSecrets } from './masks.ts';
import { put, tell, throughNights } from './tell.ts';

/**
 * Merges the reports of shards, and shows the result as if one job had made all of it. A missing shard is a doubt,
 * never a pass.
 * @returns the exit code
 */
export async function mergeShards(inputs: Inputs, event: WorkflowEvent, signal: AbortSignal): Promise<number> {
  const { reports, outputDir, workingDirectory: cwd, token } = inputs;
  const secrets = token === undefined ? [] : [token];
  maskSecrets([...secrets, ...secretsOf(parseConfig({}, { folder: cwd }), process.env)]);
  const merged = await mergeJournals([reports], { cwd, outputDir, secrets, command: 'GitHub Action' });
  const report = await put(await throughNights(merged, inputs, event, signal), outputDir);
  const change = await changeOf(event, inputs, signal);
  if (!signal.aborted) await annotate(report, cwd, change);
  await tell(report, inputs, event, { signal, change, root: cwd });
  return gateOf(report).exitCode;
}
