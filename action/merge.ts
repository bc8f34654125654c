import { gateOf, mergeJournals, parseConfig, secretsOf } from '../src/rims.ts';
import { annotate } from './announce.ts';
import { changeOf } from './change.ts';
import type { Step } from './event.ts';
import { maskSecrets } from './masks.ts';
import { put, tell, throughNights } from './tell.ts';

/** Shows the result as if one job had made all of it. A missing shard is a doubt, never a pass. */
export async function mergeShards(step: Step): Promise<number> {
  const { reports, outputDir, workingDirectory: cwd, token } = step.inputs;
  const secrets = token === undefined ? [] : [token];
  maskSecrets([...secrets, ...secretsOf(parseConfig({}, { folder: cwd }), process.env)]);
  const merged = await mergeJournals([reports], { cwd, outputDir, secrets, command: 'GitHub Action' });
  const report = await put(await throughNights(merged, step), outputDir);
  const change = await changeOf(step);
  if (!step.signal.aborted) await annotate(report, cwd, change);
  await tell(report, step, { change, root: cwd });
  return gateOf(report).exitCode;
}
