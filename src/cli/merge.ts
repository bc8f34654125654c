import path from 'node:path';
import type { Command } from 'commander';
import { foldJournals, mergeJournals } from '../job/index.ts';
import { counted, forTerminal } from '../text/index.ts';
import { printLine } from './lines.ts';
import { type OutputFlags, publish, withOutputOptions } from './outputs.ts';

export function define(command: Command): void {
  command
    .description(
      'Make one report of the shards of a run, as if one job had made all of it; or a report of a run that was killed.',
    )
    .argument('<folders...>', 'output folders of the shards, a folder that holds them, or patterns')
    .option('--partial', 'put these shards into one journal in the output folder, for a later merge; no report', false);
  withOutputOptions(command).action(merge);
}

interface MergeFlags extends OutputFlags {
  readonly partial: boolean;
}

async function merge(folders: readonly string[], flags: MergeFlags): Promise<void> {
  const outputDir = path.resolve(flags.outputDir);
  if (flags.partial) {
    const count = await foldJournals(folders, outputDir);
    return printLine(`${counted(count, 'shard')} in ${forTerminal(flags.outputDir)}: merge it with the others`);
  }
  const report = await mergeJournals(folders, {
    outputDir,
    command: ['agent-replay', ...process.argv.slice(2)].join(' '),
  });
  process.exitCode = await publish(report, flags);
}
