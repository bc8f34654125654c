import type { Config } from '../config/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { PinTrial, SelfTest } from '../job/index.ts';
import { forTerminal } from '../report/index.ts';
import { printError } from './print.ts';

/** The gate let something through, or stopped what is harmless. */
const EXIT_FAILED = 1;
const EXIT_ERROR = 2;
/** Mistakes that are told one by one: the first ones usually show what is wrong. */
const MAX_TOLD = 20;

/** Prints how the comparison did: one line for each kind of change, what went wrong, and the sums. */
export function printSelfTest({ trials, problems }: SelfTest, { compare }: Config): void {
  for (const problem of problems) printError(problem);
  const wrong = trials.filter(isWrong);
  const kinds = Map.groupBy(trials, ({ mutation }) => mutation);
  const width = Math.max(0, ...[...kinds.keys()].map(({ length }) => length));
  for (const [mutation, ofKind] of kinds) {
    print(`${ofKind.some(isWrong) ? '✘' : '✔'} ${mutation.padEnd(width)}  ${counted(ofKind)}`);
  }
  for (const trial of wrong.slice(0, MAX_TOLD)) print(told(trial));
  if (wrong.length > MAX_TOLD) print(`and ${wrong.length - MAX_TOLD} more`);

  const harmful = trials.filter(({ harmless }) => !harmless);
  print(counted(harmful));
  print(counted(trials.filter(({ harmless }) => harmless)));
  const failing = harmful.filter(({ diverges }) => diverges).length;
  print(`${failing} of the ${harmful.length} count as a divergence at strictness ${compare.strictness}`);
  if (trials.length === 0 && problems.length === 0) {
    printError(new AgentReplayError('NO_SESSIONS', 'There was nothing to try the comparison on.'));
  }
  const isUnknown = trials.length === 0 || problems.length > 0;
  process.exitCode = wrong.length > 0 ? EXIT_FAILED : isUnknown ? EXIT_ERROR : 0;
}

function isWrong({ harmless, noticed }: PinTrial): boolean {
  return harmless === noticed;
}

/** `caught X of Y` of changes that matter, `flagged X of Y` of harmless ones. */
function counted(trials: readonly PinTrial[]): string {
  const noticed = trials.filter((trial) => trial.noticed).length;
  return `${trials[0]?.harmless === true ? 'flagged' : 'caught'} ${noticed} of ${trials.length}`;
}

function told({ pin, session, turn, step, pointer, mutation, harmless, instead }: PinTrial): string {
  const place = [`turn ${turn}`, ...(step === null ? [] : [`step ${step}`]), ...(pointer ? [pointer] : [])];
  const mistake = harmless ? 'flagged although harmless' : 'not caught';
  return `${pin} (${session}), ${place.join(', ')}: ${mutation}: ${mistake}; the comparison said: ${instead}`;
}

function print(line: string): void {
  process.stdout.write(`${forTerminal(line)}\n`);
}
