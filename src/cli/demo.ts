import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { type Config, type ConfigInput, parseConfig } from '../config/index.ts';
import { OUR_FOLDER } from '../files/index.ts';
import { runJob, startLifetime } from '../job/index.ts';
import { openInBrowser } from './open.ts';
import { publish } from './outputs.ts';
import { printError } from './print.ts';
import { ProgressView } from './progress.ts';

/** The example agent that `scripts/build-lib.ts` puts beside the bundled command, with its prompts and pins. */
const DEMO = fileURLToPath(new URL('./demo/', import.meta.url));

export function define(command: Command): void {
  command
    .description(
      'Replay the pinned sessions of an example agent with one number of its prompt edited. Only a temporary folder is written.',
    )
    .option('--no-open', 'print where the report is, and open no browser')
    .action(demo);
}

async function demo({ open }: { readonly open: boolean }): Promise<void> {
  using lifetime = startLifetime(printError);
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-replay-demo-'));
  const config = await project(folder);
  const outputDir = path.join(folder, OUR_FOLDER);
  printText(INTRODUCTION);
  const view = new ProgressView();
  const report = await runJob(config, {
    signal: lifetime.signal,
    outputDir,
    command: 'agent-replay demo',
    on: (event) => view.take(event),
  }).finally(() => view[Symbol.dispose]());
  const exitCode = await publish(
    report,
    { reporter: ['table', 'html', 'json'], outputDir, verbose: false },
    { isHere: false },
  );
  // The demo is meant to be red, so that is no failure.
  process.exitCode = lifetime.exitCode ?? (report.results.status === 'failed' ? 0 : exitCode);
  const file = path.join(outputDir, 'report.html');
  printText(conclusion(folder, file));
  if (open && lifetime.exitCode === undefined) openInBrowser(pathToFileURL(file).href);
}

async function project(folder: string): Promise<Config> {
  for (const part of ['replays', 'prompts'])
    await cp(path.join(DEMO, part), path.join(folder, part), { recursive: true });
  const config: ConfigInput = {
    agent: {
      id: 'support',
      command: `"${process.execPath}" "${path.join(DEMO, 'agent.js')}"`,
      url: 'http://127.0.0.1:{port}/replay',
      env: { SYSTEM_PROMPT_FILE: 'prompts/system-v2.md' },
    },
    tools: {
      search_help_articles: { readOnly: true },
      // Its shop is in its own memory.
      refund_order: { mutating: true, replay: 'live' },
      create_ticket: { mutating: true, replay: 'live' },
    },
  };
  await writeFile(path.join(folder, 'agent-replay.config.json'), `${JSON.stringify(config, null, 2)}\n`);
  return parseConfig(config, { folder });
}

const INTRODUCTION = `A support agent, its scripted model and 8 pinned sessions. Somebody edited one line of its prompt:
  - Never refund more than 200 EUR yourself: create a ticket instead.
  + Never refund more than 20 EUR yourself: create a ticket instead.
Each session is replayed 5 times.
`;

function conclusion(folder: string, report: string): string {
  return `
In CI this run would end with exit code 1.
The report:        ${report}
Continue there:    cd ${folder} && npx agent-replay run --tools recorded
An agent of yours: npx agent-replay init`;
}

function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}
