import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { Config, OptionValues } from '../config/index.ts';
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
import { findConversations, readConversations, tracesFromOtlp } from '../tracing/index.ts';
import { writeBaselines } from './baselines.ts';
import { foundConfig } from './found-config.ts';
import { printError } from './print.ts';
import { openRecorded, type RecordedFlags, withRecordedOptions } from './recorded.ts';
import { wholeNumber } from './whole-number.ts';

interface PinFlags extends RecordedFlags {
  readonly from?: string[];
  readonly dir: string;
  readonly update: boolean;
  readonly runs?: string;
  readonly start?: string;
  readonly url?: string;
  readonly config?: string;
}

const PIN_FILE = /\.session\.json$/;

/** `agent-replay pin`: recorded sessions become files. */
export function definePin(command: Command): void {
  withRecordedOptions(command.description('Pin recorded sessions as *.session.json files.'))
    .argument('[ids...]', 'ids of sessions on the tracing platform, by default the newest; or pins, with --runs')
    .option('--from <file...>', 'traces as OTLP/JSON instead: one export, or one export a line; all of it')
    .option('--dir <folder>', 'folder of the pins', 'replays')
    .option('--update', 'replace pins that are already there', false)
    .option('--runs <n>', 'replay what is pinned so often, and keep every replay as a baseline beside the original')
    .option('--start <command>', 'with --runs: starts the agent, in place of the configured command')
    .option('--url <url>', 'with --runs: the target URL, in place of the configured one')
    .option('--config <file>', 'configuration; by default agent-replay.config.* here or in a folder above')
    .action(pin);
}

async function pin(ids: readonly string[], flags: PinFlags): Promise<void> {
  const runs = wholeNumber('--runs', flags.runs);
  const config = await foundConfig(flags.config, agentSettings(flags, runs));
  const isPinned = ids.length > 0 && ids.every((id) => PIN_FILE.test(id));
  if (isPinned && runs === undefined) {
    throw new AgentReplayError('USAGE', 'These are pins already.', {
      hint: 'Give --runs N to record baselines for them, or the ids of sessions on the platform.',
    });
  }
  const files = isPinned
    ? ids.map((file) => path.relative(config.root, path.resolve(file)))
    : await writePins(ids, flags, config);
  if (runs !== undefined && files.length > 0) await writeBaselines(files, config);
}

/** Baselines are all of the runs, however alike they are. */
function agentSettings({ start, url }: PinFlags, runs: number | undefined): OptionValues {
  const given = { 'agent.command': start, 'agent.url': url, runs };
  return new Map(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** @returns the files of the pins, from the root */
async function writePins(ids: readonly string[], flags: PinFlags, config: Config): Promise<string[]> {
  if (flags.from !== undefined && ids.length > 0) {
    throw new AgentReplayError('USAGE', 'Session ids are of the platform; --from takes all that is in its files.', {
      hint: 'Leave out either.',
    });
  }
  const traces =
    flags.from === undefined ? await recordedTraces(ids, flags, config) : await tracesIn(flags.from, config);
  const { sessions, skipped } = sessionsFromTraces(traces, {
    agentId: flags.agentId,
    system: config.request.system,
    identifiers: config.identifiers,
  });
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
  const written: string[] = [];
  for (const recorded of sessions) {
    const { session, redacted, leftInRequests } = redactSession(recorded, config.redact);
    try {
      const file = await savePin(session, place);
      written.push(file);
      say(`written  ${file}: ${described(session)}`);
      if (total(redacted) > 0) say(`         redacted: ${counted(redacted)}`);
      if (total(leftInRequests) > 0)
        say(`         left in the requests: ${counted(leftInRequests)} (see redact.request)`);
    } catch (error) {
      // The other sessions are pinned all the same.
      printError(error);
      process.exitCode = 2;
    }
  }
  return written;
}

async function tracesIn(files: readonly string[], config: Config) {
  const texts = await Promise.all(files.map(readTraces));
  return texts.flatMap((text) => tracesFromOtlp(text, config));
}

async function recordedTraces(ids: readonly string[], flags: PinFlags, config: Config) {
  await using platform = await openRecorded(config);
  const { signal } = new AbortController();
  if (ids.length > 0) return await readConversations(platform, ids, { signal });
  const known = await findConversations(platform, { ...flags, identifiers: config.identifiers }, { signal });
  return await readConversations(
    platform,
    known.map(({ id }) => id),
    { signal, known },
  );
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
