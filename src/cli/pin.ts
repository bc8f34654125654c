import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig, parseConfig } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { forTerminal } from '../report/index.ts';
import {
  type RedactionCounts,
  redactSession,
  replayable,
  type Session,
  savePin,
  sessionsFromTraces,
} from '../session/index.ts';
import { tracesFromOtlp } from '../tracing/index.ts';
import { printError } from './print.ts';

interface PinFlags {
  readonly from?: string[];
  readonly dir: string;
  readonly update: boolean;
  readonly agentId?: string;
  readonly config?: string;
}

/** `agent-replay pin`: recorded sessions become files. */
export function definePin(command: Command): void {
  command
    .description('Pin recorded sessions as *.session.json files.')
    .option('--from <file...>', 'traces as OTLP/JSON: one export, or one export a line')
    .option('--dir <folder>', 'folder of the pins', 'replays')
    .option('--update', 'replace pins that are already there', false)
    .option('--agent-id <id>', 'take the sessions of this agent only')
    .option('--config <file>', 'configuration; by default agent-replay.config.* here or in a folder above')
    .action(pin);
}

async function pin(flags: PinFlags): Promise<void> {
  if (flags.from === undefined) {
    throw new AgentReplayError('USAGE', 'Say where the recorded sessions are.', {
      hint: 'Give --from with a file of OTLP/JSON traces; reading them from a platform is not there yet.',
    });
  }
  const config = await configOrDefaults(flags.config);
  const texts = await Promise.all(flags.from.map(readTraces));
  const { sessions, skipped } = sessionsFromTraces(
    texts.flatMap((text) => tracesFromOtlp(text, config)),
    { agentId: flags.agentId, system: config.request.system, identifiers: config.identifiers },
  );
  for (const { traceId, reason } of skipped) say(`skipped  trace ${traceId}: ${reason}`);
  if (sessions.length === 0) {
    throw new AgentReplayError('NO_SESSIONS', 'The traces hold no session to pin.', {
      hint: 'Export the traces of normal turns; those of replays are left out.',
    });
  }
  const place = {
    root: config.root,
    dir: path.relative(config.root, path.resolve(flags.dir)),
    overwrite: flags.update,
  };
  for (const recorded of sessions) {
    const { session, redacted, leftInRequests } = redactSession(recorded, config.redact);
    try {
      say(`written  ${await savePin(session, place)}: ${described(session)}`);
      if (total(redacted) > 0) say(`         redacted: ${counted(redacted)}`);
      if (total(leftInRequests) > 0)
        say(`         left in the requests: ${counted(leftInRequests)} (see redact.request)`);
    } catch (error) {
      // The other sessions are pinned all the same.
      printError(error);
      process.exitCode = 2;
    }
  }
}

/** Pins can be made before there is a configuration. */
async function configOrDefaults(file: string | undefined): Promise<Config> {
  try {
    return await loadConfig({ cwd: process.cwd(), file });
  } catch (error) {
    const missing = error instanceof AgentReplayError && error.code === 'CONFIG_NOT_FOUND';
    if (missing && file === undefined) return parseConfig({}, { folder: process.cwd() });
    throw error;
  }
}

async function readTraces(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AgentReplayError(
      'INPUT_INVALID',
      `${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
      {
        location: { file },
        hint: 'Check --from.',
        cause: error,
      },
    );
  }
}

function described({ turns, title }: Session): string {
  const not = turns.map(replayable).filter(({ ok }) => !ok).length;
  const count = `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}${not > 0 ? `, ${not} not replayable` : ''}`;
  return title === undefined ? count : `${count}, ${JSON.stringify(title)}`;
}

function total(counts: RedactionCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function counted(counts: RedactionCounts): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

function say(line: string): void {
  process.stdout.write(`${forTerminal(line)}\n`);
}
