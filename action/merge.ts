import { mergeJournals, parseConfig, secretsOf } from '../src/rims.ts';
import type { Step } from './event.ts';
import { maskSecrets } from './masks.ts';
import { put, showAll, throughNights } from './tell.ts';

/**
 * Shows the result as if one job had made all of it. A missing shard is a doubt, never a pass.
 * @returns the exit code
 */
export async function mergeShards(step: Step): Promise<number> {
  const { reports, outputDir, workingDirectory: cwd, tokens: secrets } = step.inputs;
  maskSecrets([...secrets, ...secretsOf(parseConfig({}, { folder: cwd }), process.env)]);
  const merged = await mergeJournals([reports], { cwd, outputDir, secrets, command: 'GitHub Action' });
  return showAll(await put(await throughNights(merged, step), outputDir), step, cwd);
}
