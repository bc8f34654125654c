import path from 'node:path';
import type { Command } from 'commander';
import { tellsOfPortInUse } from '../agent/index.ts';
import type { Config, OptionValues } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { keepPinLock, type RecordEvent, type Recorded, recordSessions, startLifetime } from '../job/index.ts';
import { counted } from '../text/index.ts';
import { CONFIG } from './config-options.ts';
import { foundConfig } from './found-config.ts';
import { printAside, printLine } from './lines.ts';
import { described, INDENT, printToKnow } from './pinned.ts';
import { fail, printError } from './print.ts';
import { RUNS_HELP, replayAtOnce } from './recordings.ts';
import { wholeNumber } from './whole-number.ts';

interface RecordFlags {
  readonly dir: string;
  readonly name?: string;
  readonly port?: string;
  readonly turns?: string;
  readonly runs?: string;
  readonly yes: boolean;
  readonly agentId?: string;
  readonly update: boolean;
  readonly forward: boolean;
  readonly config?: string;
}

export function define(command: Command): void {
  command
    .description(
      'Start the agent as its users start it, and pin what it is asked until you press Ctrl-C or the agent ends.',
    )
    .argument(
      '[command...]',
      'command that starts the agent, after two dashes; by default agent.command of the configuration',
    )
    .addHelpText('after', '\nExample: agent-replay record -- node server.js')
    .option('--dir <folder>', 'folder of the pins', 'replays')
    .option('--name <name>', 'name of the pin, by default the first words; further sessions get a number')
    .option('--port <n>', 'the port that the agent is to take: becomes PORT')
    .option('--turns <n>', 'stop after N turns')
    .option('--runs <n>', RUNS_HELP)
    .option('-y, --yes', 'do not ask whether tools that may write can act for real in these replays', false)
    .option('--agent-id <id>', 'which agent of several in the configuration; becomes SVC_AGENT_ID')
    .option('--update', 'replace pins of the same sessions; their notes and further recordings stay', false)
    .option('--forward', 'pass traces on to the tracing platform, too (tracing.forward)', false)
    .option(...CONFIG)
    .action(record);
}

async function record(words: readonly string[], flags: RecordFlags): Promise<void> {
  const turns = wholeNumber('--turns', flags.turns);
  const runs = wholeNumber('--runs', flags.runs, 0);
  const settings: OptionValues = new Map(flags.forward ? [['tracing.forward', true]] : []);
  const config = await foundConfig(flags.config, settings);
  const files = await recordedWith(config, words, flags, turns);
  await replayAtOnce(files, config, { runs, yes: flags.yes });
  await keepPinLock(config);
  const [file] = files;
  if (file === undefined) return;
  printLine(
    `${INDENT}next: npx agent-replay run ${files.length === 1 ? file : `${path.posix.dirname(file)}/*.session.json`}`,
  );
}

async function recordedWith(config: Config, words: readonly string[], flags: RecordFlags, turns: number | undefined) {
  using lifetime = startLifetime(printError);
  const recorded = await recordSessions(config, {
    command: words.length === 0 ? undefined : commandOf(words),
    agentId: flags.agentId,
    port: wholeNumber('--port', flags.port),
    dir: path.relative(config.root, path.resolve(flags.dir)),
    name: flags.name,
    update: flags.update,
    turns,
    signal: lifetime.signal,
    on: (event) => printEvent(event, flags),
  });
  conclude(recorded);
  // Ctrl-C ends a recording; any other signal, all of it.
  return lifetime.exitCode === undefined || lifetime.exitCode === EXIT.SIGINT ? recorded.files : [];
}

/** A single word is already a whole command; several are quoted for the shell that runs them. */
function commandOf(words: readonly string[]): string {
  const [only = ''] = words;
  return words.length === 1 ? only : words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === 'win32' ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}

function printEvent(event: RecordEvent, { turns }: RecordFlags): void {
  switch (event.kind) {
    case 'started': {
      const end = turns === undefined ? 'Ctrl-C ends it' : `${counted(Number(turns), 'turn')}, or Ctrl-C, end it`;
      printAside(`recording; ${end}. Tools act for real: what you ask for is done.`);
      return;
    }
    case 'listening':
      printAside(`the agent listens on ${event.url}`);
      printAside('Send it requests there, as its users do; --port chooses the port.');
      return;
    case 'agent-output':
      printAside(event.line);
      return;
    case 'stopping':
      printAside('stopping the agent');
      return;
    case 'pinned':
      printLine(`${event.isNew ? 'written ' : 'updated '} ${event.file}: ${described(event.session)}`);
      printToKnow(event, { isReview: false, isKnown: !event.isNew });
      return;
    case 'left':
      leave(event.name, event.reason, event.isTurn);
      return;
    case 'failed':
      fail(event.error);
      return;
    case 'not-forwarded':
      printError(event.error);
  }
}

const left = new Set<string>();
let leftTurns = 0;

/** A server also traces requests that are not turns (health checks, pages): each kind is reported once. */
function leave(name: string, reason: string, isTurn: boolean): void {
  if (!isTurn && left.has(name)) return;
  left.add(name);
  if (isTurn) leftTurns++;
  printLine(`skipped  "${name}": ${reason}`);
}

function conclude({ turns, exit, log }: Recorded): void {
  if (turns > 0) return;
  const ending =
    exit === undefined
      ? []
      : [`the agent ended with ${exit.signal ?? `code ${exit.code}`}`, ...log.map((line) => `agent| ${line}`)];
  if (tellsOfPortInUse(log)) {
    fail(
      new AgentReplayError('AGENT_PORT_IN_USE', 'A port that the agent wants is already in use.', {
        evidence: ending,
        hint: 'End the process that listens there, or have the agent listen on PORT: --port chooses it.',
      }),
    );
    return;
  }
  fail(
    new AgentReplayError('NO_SESSIONS', 'No turn was recorded.', {
      evidence: ending,
      hint:
        leftTurns > 0
          ? 'The lines above say why each request was skipped.'
          : 'Send the agent a request while it is recorded, at the address above. If you did, its traces go elsewhere: docs/endpoint.md, "Tracing".',
    }),
  );
}
