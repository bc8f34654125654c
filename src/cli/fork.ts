import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { OUR_FOLDER } from '../files/index.ts';
import { type Fork, forkStep, startLifetime } from '../job/index.ts';
import type { Report } from '../report/index.ts';
import type { Pin } from '../session/index.ts';
import { counted, percent } from '../text/index.ts';
import { addConfigOptions, givenSettings } from './config-options.ts';
import { configWith } from './found-config.ts';
import { printLine } from './lines.ts';
import { printError } from './print.ts';
import { readReport } from './read-report.ts';
import { wholeNumber } from './whole-number.ts';

/** With 20 runs the interval of a share is some 40 points wide, and each run costs model calls. */
const DEFAULT_RUNS = 20;

interface ForkFlags {
  readonly config?: string;
  readonly turn?: string;
  readonly step?: string;
  readonly outputDir: string;
  readonly json: boolean;
}

export function define(command: Command): void {
  command
    .description(
      'Ask the model again for one step, with everything before it as recorded, and count how often it takes that step.',
    )
    .argument('<session>', 'id of a pinned session, or the path of its pin')
    .option('--turn <k>', 'turn, from 1; by default where runs first parted in the last run of the output folder')
    .option('--step <s>', 'step of the recording, from 1; same default')
    .option('--output-dir <folder>', 'folder of the last run', OUR_FOLDER)
    .option('--json', 'print JSON', false);
  addConfigOptions(command, { not: ['workers', 'gate', 'base', 'shard'], runs: DEFAULT_RUNS }).action(
    (session: string, flags: ForkFlags) => fork(session, flags, command),
  );
}

async function fork(session: string, flags: ForkFlags, command: Command): Promise<void> {
  using lifetime = startLifetime(printError);
  const settings = givenSettings(command);
  const config = await configWith(flags.config, settings);
  const runs = settings.has('runs') ? config.runs : DEFAULT_RUNS;
  const file = path.resolve(flags.outputDir, 'report.json');
  const report = existsSync(file) ? await readReport(file) : undefined;
  const at = (pin: Pick<Pin, 'path' | 'session'>) => placeOf(pin, flags, report);
  const measured = await forkStep(config, { session, at, runs, signal: lifetime.signal, onRun: progress(runs) });
  if (flags.json) process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
  else for (const line of measuredLines(measured)) printLine(line);
  process.exitCode = lifetime.exitCode ?? (measured.of === 0 ? EXIT.error : EXIT.passed);
}

/** @throws AgentReplayError `USAGE` if the last run does not show it either */
function placeOf(
  pinned: Pick<Pin, 'path' | 'session'>,
  flags: ForkFlags,
  report: Report | undefined,
): { turn: number; step: number } {
  const turn = wholeNumber('--turn', flags.turn);
  const step = wholeNumber('--step', flags.step);
  if (step !== undefined) return { turn: turn ?? 1, step };
  const turns = report?.results.sessions.find(({ pin }) => pin === pinned.path)?.turns ?? [];
  for (const { turn: number, comparison } of turns) {
    const { recordedStep, replayedStep } = comparison.divergence ?? {};
    // Up to an unrecorded call both sides have the same steps; runs that were all recorded may part too.
    const at = recordedStep ?? replayedStep ?? comparison.forks[0]?.step;
    if (at !== undefined && (turn ?? number) === number) return { turn: number, step: at };
  }
  throw new AgentReplayError('USAGE', 'It is not clear which step to ask the model for.', {
    evidence: [`the last run in ${flags.outputDir} names no step at which runs of ${pinned.session.id} part`],
    hint: 'Give --turn and --step, as reports number the steps of the recording.',
  });
}

function progress(runs: number): ((run: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  let over = 0;
  return () => process.stderr.write(`\r${++over}/${runs}${over === runs ? '\n' : ''}`);
}

function measuredLines(fork: Fork): string[] {
  const { session, turn, step, answered, of, asRecorded, instead, recorded, without } = fork;
  const share = (count: number) => `${count} of ${of}`.padEnd(10) + percent(of === 0 ? null : count / of);
  const ways = [{ label: `${recorded}, as recorded`, runs: asRecorded }, ...instead];
  const width = Math.max(...ways.map(({ label }) => label.length));
  return [
    `${session}, turn ${turn}, step ${step}: ${counted(answered, 'request')} answered from the recording, then the model asked`,
    '',
    ...(of === 0 ? [] : [...ways.map(({ label, runs }) => `  ${label.padEnd(width)}  ${share(runs)}`), '']),
    ...without.map(({ run, reason }) => `run ${run} says nothing of the step: ${reason}`),
    conclusion(fork),
  ];
}

function conclusion({ of, asRecorded, interval }: Fork): string {
  if (interval === null) return 'Not measured: no replay asked the model for this step with the recorded context.';
  const cause =
    asRecorded === of ? `Not the model, as far as ${counted(of, 'call')} can tell` : 'Cause: model, measured';
  const [low, high] = interval.map(percent);
  return `${cause}: as recorded in ${asRecorded} of ${of} calls with the recorded context, 95 %: ${low?.replace(' %', '')} to ${high}.`;
}
