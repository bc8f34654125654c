import path from 'node:path';
import { type Command, Option } from 'commander';
import { isAgent } from 'std-env';
import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { OUR_FOLDER, Places } from '../files/index.ts';
import { appendHistory, readHistory, reportIn, writeReport } from '../job/index.ts';
import { gateOf, type Report, RunHistory, renderAgent, renderTerminal, reportFormats } from '../report/index.ts';
import { rememberOutput } from './last-output.ts';
import { outputLook } from './lines.ts';
import { printError } from './print.ts';

const FILES = Object.keys(reportFormats) as (keyof typeof reportFormats)[];
const REPORTERS = ['table', 'agent', ...FILES] as const;
type Reporter = (typeof REPORTERS)[number];

/** Some of the variables that identify a coding agent are also set in people's shells, but people have a terminal. */
function defaultReporters(): Reporter[] {
  return [isAgent && !process.stdout.isTTY ? 'agent' : 'table', ...FILES];
}

export interface OutputFlags {
  readonly reporter: readonly Reporter[];
  readonly outputDir: string;
  readonly history?: string;
  readonly verbose: boolean;
}

export function withOutputOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--reporter <list>', `outputs: ${REPORTERS.join(', ')}`)
        .default(defaultReporters(), 'table, and all files; for a coding agent: agent, and all files')
        .argParser(reportersIn),
    )
    .option('--output-dir <folder>', 'folder of the outputs', OUR_FOLDER)
    .option('--verbose', 'print the story of each session, not only what differs', false)
    .option('--history <file>', 'append a line on this run to this file, for agent-replay history');
}

/**
 * Writes a report in all its forms.
 * @param told an output failure that was already reported
 * @param isHere whether the commands that are printed are meant for the current folder
 * @returns the exit code: failures to write do not change the result, except that a pass with missing outputs is no pass
 */
export async function publish(
  given: Report,
  { reporter, outputDir, history, verbose }: OutputFlags,
  { told, isHere = true }: { readonly told?: AgentReplayError; readonly isHere?: boolean } = {},
): Promise<number> {
  const failures: unknown[] = told === undefined ? [] : [told];
  const sayFailed = (error: unknown) => {
    // A full disk refuses every file, so it is reported once.
    if (!failures.some((said) => identifyFailure(said) === identifyFailure(error))) printError(error);
    failures.push(error);
  };
  // --last-failed, accept and fork read the report, whatever else is wanted.
  const formats = FILES.filter((name) => name === 'json' || reporter.includes(name));
  // Without a history there is no trend. A failure to write it is reported below.
  const known =
    history === undefined ? undefined : await readHistory(path.resolve(history)).catch(() => new RunHistory());
  const judged = known?.judged(given) ?? given;
  const report = isHere ? reportIn(judged, outputDir) : judged;
  const places = new Places(process.cwd());
  const placesOf = (clue: { line: string }) => places.of(clue);
  await writeReport(report, { dir: path.resolve(outputDir), formats, placesOf }).catch(sayFailed);
  if (isHere) await rememberOutput(outputDir).catch(sayFailed);
  if (history !== undefined && report.evidence.shard !== undefined) {
    process.stderr.write('note: a shard appends nothing to the history; agent-replay merge --history does\n');
  } else if (history !== undefined) {
    await appendHistory(path.resolve(history), (known ?? new RunHistory()).entryOf(report)).catch(sayFailed);
  }
  if (reporter.includes('table')) {
    const look = { ...outputLook(), isVerbose: verbose, placesOf };
    process.stdout.write(renderTerminal(report, look));
  }
  if (reporter.includes('agent')) process.stdout.write(renderAgent(report, (clue) => places.of(clue)));
  const verdict = gateOf(report).exitCode;
  if (verdict !== 0 || failures.length === 0) return verdict;
  process.stderr.write('error: the run passed, but not all of its outputs could be written\n');
  return EXIT.error;
}

/** `ENOSPC` for a disk; otherwise each error is a reason of its own. */
function identifyFailure(error: unknown): unknown {
  const { code } = Object((error as { cause?: unknown }).cause) as NodeJS.ErrnoException;
  return code ?? error;
}

/** @throws AgentReplayError `USAGE` */
function reportersIn(list: string): Reporter[] {
  return list.split(',').map((name) => {
    const known = REPORTERS.find((reporter) => reporter === name.trim());
    if (known !== undefined) return known;
    throw new AgentReplayError('USAGE', `There is no reporter "${name}".`, {
      hint: `Choose from: ${REPORTERS.join(', ')}.`,
    });
  });
}
