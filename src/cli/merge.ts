import path from 'node:path';
import type { Command } from 'commander';
import { mergeJournals } from '../job/index.ts';
import { type OutputFlags, publish, withOutputOptions } from './outputs.ts';

/** `agent-replay merge`: joins the shards of a run into one report. */
export function define(command: Command): void {
  command
    .description(
      'Make one report of the shards of a run, as if one job had made all of it; or a report of a run that was killed.',
    )
    .argument('<folders...>', 'output folders of the shards, a folder that holds them, or patterns');
  withOutputOptions(command).action(merge);
}

async function merge(folders: readonly string[], flags: OutputFlags): Promise<void> {
  const report = await mergeJournals(folders, {
    outputDir: path.resolve(flags.outputDir),
    command: ['agent-replay', ...process.argv.slice(2)].join(' '),
  });
  process.exitCode = await publish(report, flags);
}
