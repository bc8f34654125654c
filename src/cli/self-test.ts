import { AgentReplayError } from '../errors.ts';
import type { PinTrial, SelfTest, SelfTestStatus } from '../job/index.ts';
import { forTerminal } from '../untrusted.ts';
import { printError } from './print.ts';

const EXIT_CODES: Readonly<Record<SelfTestStatus, number>> = { passed: 0, missed: 1, blind: 1, untried: 2 };
/** Mistakes that are told one by one: the first ones usually show what is wrong. */
const MAX_TOLD = 20;

/** Prints how the gate did: the sums, one line for each kind of change, and what went wrong. */
export function printSelfTest({ status, trials, problems }: SelfTest): void {
  for (const problem of problems) printError(problem);
  const width = Math.max(0, ...trials.map(({ mutation }) => mutation.length));
  for (const harmless of [false, true]) {
    const ofSort = trials.filter((trial) => trial.harmless === harmless);
    print(`${harmless ? 'Harmless changes' : 'Changes that matter'}: ${tallied(ofSort)}`);
    for (const [mutation, ofKind] of Map.groupBy(ofSort, (trial) => trial.mutation)) {
      const sign = ofKind.every(({ isRight }) => isRight) ? '✔' : '✘';
      print(`  ${sign} ${mutation.padEnd(width)}  ${tallied(ofKind)}`);
    }
  }
  const wrong = trials.filter(({ isRight }) => !isRight);
  for (const trial of wrong.slice(0, MAX_TOLD)) print(told(trial));
  if (wrong.length > MAX_TOLD) print(`and ${wrong.length - MAX_TOLD} more`);

  const error = errorOf(status, problems.length > 0);
  if (error !== undefined) printError(error);
  process.exitCode = EXIT_CODES[status] || (problems.length > 0 ? EXIT_CODES.untried : 0);
}

function errorOf(status: SelfTestStatus, isUnread: boolean): AgentReplayError | undefined {
  if (status === 'blind') {
    return new AgentReplayError('GATE_BLIND', 'No change of a call or of an answer fails the run.', {
      hint: 'See what failOn, minAgreement, compare.strictness, compare.include and compare.ignore let pass.',
    });
  }
  if (status !== 'untried' || isUnread) return undefined;
  return new AgentReplayError('NO_SESSIONS', 'There was nothing to try the gate on.', {
    hint: 'Pin a session with calls or an answer, and see what compare.include and compare.ignore leave of it.',
  });
}

/** What else there is beside red, in the order of its weight. */
const BESIDE_RED = { told: 'told but not red', 'not compared': 'not compared', missed: 'missed' } as const;

/** `red 7 of 9, told but not red 1, missed 1` */
function tallied(trials: readonly PinTrial[]): string {
  const count = (outcome: PinTrial['outcome']) => trials.filter((trial) => trial.outcome === outcome).length;
  const others = (Object.keys(BESIDE_RED) as (keyof typeof BESIDE_RED)[]).filter((outcome) => count(outcome) > 0);
  const parts = others.map((outcome) => `${BESIDE_RED[outcome]} ${count(outcome)}`);
  return [`red ${count('red')} of ${trials.length}`, ...parts].join(', ');
}

function told({ pin, session, turn, step, pointer, mutation, harmless, instead }: PinTrial): string {
  const place = [`turn ${turn}`, ...(step === null ? [] : [`step ${step}`]), ...(pointer ? [pointer] : [])];
  const mistake = harmless ? 'red although harmless' : 'missed';
  return `${pin} (${session}), ${place.join(', ')}: ${mutation}: ${mistake}; the comparison said: ${instead}`;
}

function print(line: string): void {
  process.stdout.write(`${forTerminal(line)}\n`);
}
