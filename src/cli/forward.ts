import path from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../exit.ts';
import { startLifetime, undeliveredFile } from '../job/index.ts';
import { forwardKept, platformCredentials } from '../tracing/index.ts';
import { foundConfig } from './found-config.ts';
import { printAside } from './lines.ts';
import { printError } from './print.ts';

/** `agent-replay forward`: sends what `tracing.forward` could not deliver in time. */
export function define(command: Command): void {
  command
    .description('Send the platform the traces that a run with tracing.forward kept beside its output folder.')
    .argument('[folder]', 'output folder of the run', '.agent-replay')
    .option('--config <file>', 'configuration; by default agent-replay.config.* here or in a folder above')
    .action(forward);
}

async function forward(folder: string, flags: { readonly config?: string }): Promise<void> {
  using lifetime = startLifetime(printError);
  const { identifiers } = await foundConfig(flags.config);
  const place = platformCredentials(process.env, { identifiers });
  const file = undeliveredFile(path.resolve(folder)) as string;
  const { delivered, undelivered, reasons } = await forwardKept(file, { ...place, signal: lifetime.signal });
  process.stdout.write(`${delivered} of ${delivered + undelivered} exports were sent\n`);
  for (const reason of reasons) printAside(reason);
  if (undelivered > 0) process.exitCode = lifetime.exitCode ?? EXIT.error;
}
