import path from 'node:path';
import type { Command } from 'commander';
import type { Config, OptionValues } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import { type Keeping, keepPinLock, type SyncStep, startLifetime, syncSessions } from '../job/index.ts';
import { savePin } from '../session/index.ts';
import { counted } from '../text/index.ts';
import type { Platform } from '../tracing/index.ts';
import { CONFIG } from './config-options.ts';
import { foundConfig } from './found-config.ts';
import { printLine } from './lines.ts';
import { described, INDENT, printToKnow } from './pinned.ts';
import { fail, printError } from './print.ts';
import { openRecorded, type RecordedFlags, recordedQuery, withRecordedOptions } from './recorded.ts';
import { mayRecord, RUNS_HELP, replayAtOnce, writeBaselines } from './recordings.ts';
import { wholeNumber } from './whole-number.ts';

type SyncNote = Exclude<SyncStep, { readonly number: number }>;

interface PinFlags extends RecordedFlags {
  readonly dir: string;
  readonly update: boolean;
  readonly dryRun: boolean;
  readonly runs?: string;
  readonly more: boolean;
  readonly refresh: boolean;
  readonly yes: boolean;
  readonly start?: string;
  readonly url?: string;
  readonly config?: string;
}

const PIN_FILE = /\.session\.json$/;

export function define(command: Command): void {
  withRecordedOptions(command)
    .argument('[ids...]', 'ids of recorded sessions, by default the newest; or pins, with --runs')
    .option('--dir <folder>', 'folder of the pins', 'replays')
    .option('--update', 'replace pins that differ, and show how; notes and recordings of runs stay', false)
    .option(
      '--dry-run',
      'write nothing; list what would be written, and each place that would be masked or left in',
      false,
    )
    .option('--runs <n>', RUNS_HELP)
    .option('--more', 'with --runs: keep the recordings of earlier runs, too', false)
    .option('--refresh', 'with --runs: replace that many of the oldest recordings', false)
    .option('-y, --yes', 'with --runs: do not ask whether tools that may write can act for real', false)
    .option('--start <command>', 'with --runs: starts the agent, in place of the configured command')
    .option('--url <url>', 'with --runs: the target URL, in place of the configured one')
    .option(...CONFIG)
    .action(pin);
}

async function pin(ids: readonly string[], flags: PinFlags): Promise<void> {
  const runs = wholeNumber('--runs', flags.runs, 0);
  const keeping = keepingOf(ids, flags);
  const config = await foundConfig(flags.config, agentSettings(flags));
  const isPinned = ids.length > 0 && ids.every((id) => PIN_FILE.test(id));
  if (isPinned && !runs) {
    throw new AgentReplayError('USAGE', 'These are pins already.', {
      hint: 'Give --runs N to record how the agent varies, or the ids of sessions on the platform.',
    });
  }
  const files = isPinned
    ? ids.map((file) => path.relative(config.root, path.resolve(file)))
    : await writePins(ids, flags, config, runs);
  if (!runs || files.length === 0) await replayAtOnce(files, config, { runs, yes: flags.yes });
  else await writeBaselines(files, config, { runs, keeping, yes: flags.yes, isAgreed: flags.yes || !isPinned });
  if (!flags.dryRun) await keepPinLock(config);
}

/** @throws AgentReplayError `USAGE` */
function keepingOf(ids: readonly string[], { runs, more, refresh }: PinFlags): Keeping {
  if (more && refresh) throw new AgentReplayError('USAGE', 'Give either --more or --refresh.');
  if ((more || refresh) && (runs === undefined || ids.length === 0)) {
    throw new AgentReplayError(
      'USAGE',
      `${more ? '--more' : '--refresh'} says what becomes of earlier recordings of the pins that are named, when --runs N makes new ones.`,
      { hint: `As in: pin --runs 10 ${more ? '--more' : '--refresh'} replays/*.session.json` },
    );
  }
  return more ? 'all' : refresh ? 'newest' : 'none';
}

function agentSettings({ start, url }: PinFlags): OptionValues {
  const given = { 'agent.command': start, 'agent.url': url };
  return new Map(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** @returns the files of the pins, relative to the root */
async function writePins(
  ids: readonly string[],
  flags: PinFlags,
  config: Config,
  runs: number | undefined,
): Promise<string[]> {
  using lifetime = startLifetime(printError);
  try {
    return await syncPins(ids, flags, config, { runs, signal: lifetime.signal });
  } catch (error) {
    if (lifetime.exitCode === undefined) throw error;
    printError(interrupted());
    process.exitCode = lifetime.exitCode;
    return [];
  }
}

async function syncPins(
  ids: readonly string[],
  flags: PinFlags,
  config: Config,
  { runs, signal }: { readonly runs: number | undefined; readonly signal: AbortSignal },
): Promise<string[]> {
  await using platform = await openRecorded(config, flags.from, signal);
  const query = recordedQuery(flags);
  const files: string[] = [];
  let sessions = 0;
  const dir = path.relative(config.root, path.resolve(flags.dir));
  // Who replays them at once is asked about that before anything is written.
  const isAsked = Boolean(runs) && !flags.yes && !flags.dryRun;
  const found = syncSessions(platform, config, {
    ...query,
    ids,
    dir,
    update: flags.update,
    readsAgain: flags.from !== undefined || flags.dryRun,
    dryRun: flags.dryRun || isAsked,
    signal,
  });
  const steps = isAsked ? await Array.fromAsync(found) : found;
  if (Array.isArray(steps)) {
    const read = steps.filter(isToPin);
    const named = read.map(({ file }) => file);
    if (read.length > 0 && !(await mayRecord({ ...config, runs: runs as number }, signal, named, read))) return [];
  }
  for await (const step of steps) {
    if (isAsked && isToPin(step) && step.kind !== 'unchanged')
      await savePin(step.session, { dir, root: config.root, overwrite: flags.update });
    if (isNote(step)) {
      printNote(step, query.limit);
      continue;
    }
    if (step.kind !== 'skipped') sessions++;
    if (isToPin(step)) files.push(step.file);
    printStep(step, flags);
  }
  if (sessions === 0) throw nothingToPin(platform, query.since);
  return flags.dryRun ? [] : files;
}

function interrupted(): AgentReplayError {
  return new AgentReplayError('INTERRUPTED', 'Pinning was interrupted.', {
    hint: 'The pins written so far stay. The same command continues from there.',
  });
}

const WORDS = { written: 'written', updated: 'updated', unchanged: 'same', kept: 'kept' } as const;

function isToPin(step: SyncStep): step is Extract<SyncStep, { readonly file: string }> {
  return 'session' in step && step.kind !== 'kept';
}

function isNote(step: SyncStep): step is SyncNote {
  return !('number' in step);
}

function printNote(note: SyncNote, limit: number): void {
  switch (note.kind) {
    case 'replays':
      printLine(`skipped  ${counted(note.count, 'replay')}`);
      return;
    case 'left':
      printLine(`left     ${counted(note.count, 'more session')} (--limit ${limit})`);
      return;
    case 'unseen':
      printLine(`left     traces before ${note.before}: ${note.traces} newer ones were looked through`);
  }
}

/** Prints lines about one session. A failure does not affect the others. */
function printStep(step: Exclude<SyncStep, SyncNote>, { update, dryRun }: PinFlags): void {
  const of = step.total > 1 && step.number > 0 ? `${step.number}/${step.total} ` : '';
  switch (step.kind) {
    case 'skipped':
      printLine(`skipped  trace ${step.traceId}: ${step.reason}`);
      return;
    case 'known':
      printLine(`same     ${of}${step.id}: no turn since it was pinned`);
      return;
    case 'failed':
      fail(step.error);
      return;
    case 'written':
    case 'updated':
    case 'unchanged':
    case 'kept': {
      const isWritten = step.kind === 'written' || step.kind === 'updated';
      const word = dryRun && isWritten ? 'would be' : WORDS[step.kind];
      printLine(`${word.padEnd(INDENT.length)}${of}${step.file}: ${described(step.session)}`);
      if ('changes' in step) for (const line of step.changes) printLine(`${INDENT}${line}`);
      if (step.kind === 'kept' && !update) fail(isThere(step.file));
      printToKnow(step, { isReview: dryRun, isKnown: step.kind === 'unchanged' && !dryRun });
    }
  }
}

function isThere(file: string): AgentReplayError {
  return new AgentReplayError('PIN_EXISTS', `${file} already exists, and differs from the recorded session.`, {
    location: { file },
    hint: 'Use --update to replace it.',
  });
}

function nothingToPin({ url }: Platform, since: string): AgentReplayError {
  return new AgentReplayError('NO_SESSIONS', 'There is no session to pin.', {
    evidence: [`searched: ${url}, since ${since}`],
    hint: 'Look further back with --since, and give traces of normal turns; those of replays are left out.',
  });
}
