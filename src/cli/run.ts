import path from 'node:path';
import type { Command } from 'commander';
import { addToIgnoreFile, type Config, withOwn } from '../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import {
  claimOutputFolder,
  type JobOptions,
  type Lifetime,
  type Plan,
  planRun,
  runJob,
  selfTestPins,
  startLifetime,
} from '../job/index.ts';
import { learnedRules, type Report } from '../report/index.ts';
import { counted } from '../text/index.ts';
import { calledTools } from '../trace/index.ts';
import { addConfigOptions, givenSettings } from './config-options.ts';
import { configWith, foundConfig } from './found-config.ts';
import { lastOutput } from './last-output.ts';
import { printAside, printNote, TOOLS_ACT } from './lines.ts';
import { type OutputFlags, publish, withOutputOptions } from './outputs.ts';
import { printPlan } from './plan.ts';
import { printError } from './print.ts';
import { ProgressView } from './progress.ts';
import { readReport } from './read-report.ts';
import { printSelfTest } from './self-test.ts';
import { wholeNumber } from './whole-number.ts';

interface RunFlags extends OutputFlags {
  readonly config?: string;
  readonly grep?: string;
  readonly turn?: string;
  readonly lastFailed: boolean;
  readonly dryRun: boolean;
  readonly selfTest: boolean;
  readonly writeIgnore: boolean;
  readonly offline: boolean;
  readonly quiet: boolean;
}

export function define(command: Command): void {
  command
    .argument('[files...]', 'files or patterns of pinned sessions, in place of the configured ones')
    .option('--grep <text>', 'only sessions whose id, title or path contains this text')
    .option('--turn <k>', 'only this turn (from 1) of the sessions that have it')
    .option('--last-failed', 'only the sessions that did not pass in the last run', false)
    .option('--dry-run', 'show what would be replayed; start and send nothing', false)
    .option(
      '--self-test',
      'try the comparison, and compare.judge, on changed copies of the pins; start and send nothing',
      false,
    )
    .option('--write-ignore', 'add values that look generated to agent-replay.ignore, for the next run', false)
    .option('--offline', 'let the model answer as recorded: tests the code alone, without a token', false)
    .option('--quiet', 'print only the result', false);
  addConfigOptions(withOutputOptions(command)).action((files: string[], flags: RunFlags) => run(files, flags, command));
}

async function run(files: readonly string[], flags: RunFlags, command: Command): Promise<void> {
  using lifetime = startLifetime(printError);
  const settings = givenSettings(command);
  if (flags.offline) settings.set('offline', true);
  const config = await (flags.selfTest ? foundConfig : configWith)(flags.config, settings);
  sayIgnored(config);
  const selection = await selectionOf(files, flags, config, command.getOptionValueSource('outputDir') !== 'default');
  if (flags.selfTest) return printSelfTest(await selfTestPins(config, selection));
  if (flags.dryRun) return printPlan(await planRun(config, selection), config);
  await using folder = await claimFolder(flags, lifetime);
  const exitCode = folder && (await replayAndPublish(config, { selection, flags, lifetime, isNew: folder.isNew }));
  process.exitCode = lifetime.exitCode ?? exitCode;
}

type Selection = Pick<JobOptions, 'patterns' | 'grep' | 'turn'>;

async function selectionOf(
  files: readonly string[],
  flags: RunFlags,
  { root }: Config,
  isDirGiven: boolean,
): Promise<Selection> {
  const patterns = flags.lastFailed
    ? await lastFailed(path.resolve(isDirGiven ? flags.outputDir : await lastOutput()), files)
    : files.map((file) => path.relative(root, path.resolve(file)) || file);
  return { patterns, grep: flags.grep, turn: wholeNumber('--turn', flags.turn) };
}

/** Undefined if a signal ended the waiting for it. */
function claimFolder({ outputDir }: RunFlags, { signal }: Lifetime) {
  return claimOutputFolder(path.resolve(outputDir), { signal, onWaiting: sayWaiting }).catch((error) => {
    if (!signal.aborted) throw error;
    printError(error);
    return undefined;
  });
}

interface RunMeans {
  readonly selection: Selection;
  readonly flags: RunFlags;
  readonly lifetime: Lifetime;
  /** No run has left anything in the output folder. */
  readonly isNew: boolean;
}

/** @returns the exit code */
async function replayAndPublish(config: Config, means: RunMeans): Promise<number> {
  const { report, notWritten } = await replay(config, means);
  const notLearned = means.flags.writeIgnore ? await writeIgnoreFile(report, config) : undefined;
  return publish(report, means.flags, { told: notWritten ?? notLearned });
}

async function replay(config: Config, { selection, flags, lifetime, isNew }: RunMeans) {
  let notWritten: AgentReplayError | undefined;
  // A coding agent pays for each line that it reads.
  using view = flags.quiet || flags.reporter.includes('agent') ? undefined : new ProgressView();
  const report = await runJob(config, {
    ...selection,
    signal: lifetime.signal,
    outputDir: path.resolve(flags.outputDir),
    command: ['agent-replay', ...process.argv.slice(2)].join(' '),
    configFile: flags.config,
    on: (event) => {
      view?.take(event);
      if (event.kind === 'planned' && view === undefined) for (const note of event.plan.notes) printNote(note);
      if (event.kind === 'planned' && isNew && callsTools(event.plan, config)) view?.say(`note: ${TOOLS_ACT}`);
      if (event.kind !== 'not-written') return;
      notWritten = event.error;
      if (view === undefined) printError(event.error);
    },
  });
  return { report, notWritten };
}

function callsTools({ sessions }: Plan, config: Config): boolean {
  return sessions.some(({ pin, own }) => {
    const { tools } = withOwn(config, own);
    const observations = pin.session.turns.flatMap(({ recorded }) => recorded.observations);
    return calledTools(observations).some((name) => tools.named[name] === undefined && tools.others === 'live');
  });
}

function sayWaiting(other: number): void {
  printNote(`waiting for another run (process ${other}), which uses the output folder`);
}

/** Nothing is ignored silently, not even with `--quiet`. */
function sayIgnored({ ignoreFile }: Config): void {
  const count = ignoreFile?.rules.length ?? 0;
  if (count > 0) printNote(`${counted(count, 'rule')} of agent-replay.ignore apply`);
}

/** @returns why it could not be written; undefined if it was */
async function writeIgnoreFile(report: Report, { ignoreFile }: Config): Promise<AgentReplayError | undefined> {
  if (ignoreFile === undefined) return undefined;
  const added = await addToIgnoreFile(ignoreFile, learnedRules(report)).catch(asAgentReplayError);
  if (added instanceof AgentReplayError) {
    printError(added);
    return added;
  }
  for (const { path: rule } of added) printAside(`ignored from the next run on: ${rule}`);
  if (added.length === 0) process.stderr.write('no value looked generated: nothing was added to agent-replay.ignore\n');
  return undefined;
}

/**
 * @param named files on the command line
 * @throws AgentReplayError `USAGE` if files are named too, `INPUT_INVALID` if there is no readable report, `NO_SESSIONS` if
 * all of them passed
 */
async function lastFailed(outputDir: string, named: readonly string[]): Promise<string[]> {
  if (named.length > 0) {
    throw new AgentReplayError('USAGE', '--last-failed chooses the sessions, so no files can be named.', {
      hint: 'Leave one of the two out; --grep chooses among those that failed.',
    });
  }
  const file = path.join(outputDir, 'report.json');
  const { results } = await readReport(
    file,
    'Run without --last-failed first, or name the folder of that run with --output-dir. If that run was killed, `agent-replay merge FOLDER` makes its report.',
  );
  const failed = results.sessions.filter(({ level }) => level === 'error').map(({ pin }) => pin);
  if (failed.length > 0) return failed;
  throw new AgentReplayError('NO_SESSIONS', 'No session failed in the last run: nothing is replayed.', {
    evidence: [`report: ${file}`],
    hint: 'Run without --last-failed to replay all of them.',
  });
}
