import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { OUR_FOLDER } from '../files/index.ts';
import { startLifetime } from '../job/index.ts';
import { startUi } from '../ui/index.ts';
import { CONFIG } from './config-options.ts';
import { foundConfig } from './found-config.ts';
import { openInBrowser } from './open.ts';
import { printError } from './print.ts';
import { MAX_PORT, wholeNumber } from './whole-number.ts';

interface UiFlags {
  readonly port?: string;
  readonly open: boolean;
  readonly config?: string;
}

export function define(command: Command): void {
  command
    .description('Serve the Reproducibility page to this machine: replay a session and watch where its runs part.')
    .option('--port <n>', 'port of the page; a free one by default')
    .option('--no-open', 'print the address, and open no browser')
    .option(...CONFIG)
    .action(serveUi);
}

async function serveUi({ port, open, config: file }: UiFlags): Promise<void> {
  using lifetime = startLifetime(printError);
  const config = await foundConfig(file);
  await using ui = await startUi(config, { port: wholeNumber('--port', port, 1, MAX_PORT) });
  process.stdout.write(`Reproducibility page: ${ui.url}\nPress Ctrl-C to end it.\n`);
  await using opener = open ? await openerOf(ui.url, config.root) : undefined;
  if (opener !== undefined) openInBrowser(opener.file);
  await once(lifetime.signal, 'abort');
  process.exitCode = lifetime.exitCode ?? 0;
}

/**
 * A page for this user only that redirects to the served one: everybody on this machine can read the arguments of a process,
 * and the address holds the token.
 * @returns undefined if it cannot be written; the address is printed anyway
 */
async function openerOf(url: string, root: string): Promise<(AsyncDisposable & { readonly file: string }) | undefined> {
  const folder = path.join(root, OUR_FOLDER, 'ui');
  const file = path.join(folder, `open-${randomUUID()}.html`);
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}">\n`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, page, { flag: 'wx', mode: 0o600 });
    return { file, [Symbol.asyncDispose]: () => rm(file, { force: true }) };
  } catch {
    return undefined;
  }
}
