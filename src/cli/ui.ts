import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { startDashboard } from '../dashboard/index.ts';
import { AgentReplayError } from '../errors.ts';
import { startLifetime } from '../job/index.ts';
import { foundConfig } from './found-config.ts';
import { printError } from './print.ts';

interface UiFlags {
  readonly port?: string;
  readonly open: boolean;
  readonly config?: string;
}

/** `agent-replay ui`: the Reproducibility page. */
export function defineUi(command: Command): void {
  command
    .description('Serve the Reproducibility page to this machine: replay a session and watch where its runs part.')
    .option('--port <n>', 'port of the page; a free one by default')
    .option('--no-open', 'print the address, and open no browser')
    .option('--config <file>', 'configuration; by default agent-replay.config.* here or in a folder above')
    .action(serveUi);
}

async function serveUi({ port, open, config: file }: UiFlags): Promise<void> {
  using lifetime = startLifetime(printError);
  await using dashboard = await startDashboard(await foundConfig(file), { port: portIn(port) });
  process.stdout.write(`Reproducibility page: ${dashboard.url}\nPress Ctrl-C to end it.\n`);
  if (open) openBrowser(dashboard.url);
  const { promise, resolve } = Promise.withResolvers<void>();
  lifetime.signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  process.exitCode = lifetime.exitCode ?? 0;
}

function portIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65_536) return port;
  throw new AgentReplayError('USAGE', `--port takes a port from 1 to 65535, not "${text}".`);
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** The address is printed as well: where there is no browser to open, nothing is lost. */
function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
