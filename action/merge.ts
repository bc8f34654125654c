import { exitCodeOf, loadPins, mergeJournals, parseConfig, secretsOf } from '../src/rims.ts';
import { annotate } from './announce.ts';
import type { WorkflowEvent } from './event.ts';
import type { Inputs } from './inputs.ts';
import { maskSecrets } from './masks.ts';
import { put, tell } from './tell.ts';

/**
 * Makes one report of what the shards of a run found out, and tells of it as if one job had made all of it. A shard that
 * is missing is a doubt, never a pass.
 * @returns the exit code
 */
export async function mergeShards(inputs: Inputs, event: WorkflowEvent, signal: AbortSignal): Promise<number> {
  const { reports, outputDir, workingDirectory: cwd, token } = inputs;
  const secrets = token === undefined ? [] : [token];
  maskSecrets([...secrets, ...secretsOf(parseConfig({}, { folder: cwd }), process.env)]);
  const merged = await mergeJournals([reports], { cwd, outputDir, secrets, command: 'GitHub Action' });
  const report = await put(merged, outputDir);
  // Where the repository is checked out, they say at which line a turn is.
  const diverged = report.results.sessions.filter(({ verdict }) => verdict !== 'reproduced').map(({ pin }) => pin);
  const { pins } = await loadPins(diverged, { root: cwd, allowEmpty: true });
  if (!signal.aborted) annotate(report, pins, cwd);
  await tell(report, inputs, event, signal);
  return exitCodeOf(report.results.status, report.evidence.interruptedBy);
}
