import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import type { selfTestPins } from '../job/index.ts';
import { printLine } from './lines.ts';
import { printError } from './print.ts';

type SelfTest = Awaited<ReturnType<typeof selfTestPins>>;
type SelfTestStatus = SelfTest['status'];
type PinTrial = SelfTest['trials'][number];
type JudgeTest = NonNullable<SelfTest['judge']>;
type JudgeTrial = JudgeTest['trials'][number];

const EXIT_CODES: Readonly<Record<SelfTestStatus, number>> = {
  passed: EXIT.passed,
  missed: EXIT.diverged,
  blind: EXIT.diverged,
  untried: EXIT.error,
};
/** Mistakes that are printed one by one. The first ones usually show what is wrong. */
const MAX_TOLD = 20;

/** Prints the results of the gate: the sums, one line for each kind of change, and the mistakes. */
export function printSelfTest({ status, trials, judge, problems }: SelfTest): void {
  for (const problem of problems) printError(problem);
  const width = Math.max(0, ...trials.map(({ mutation }) => mutation.length));
  for (const harmless of [false, true]) {
    const ofSort = trials.filter((trial) => trial.harmless === harmless);
    printLine(`${harmless ? 'Harmless changes' : 'Changes that matter'}: ${tallied(ofSort)}`);
    for (const [mutation, ofKind] of Map.groupBy(ofSort, (trial) => trial.mutation)) {
      const sign = ofKind.every(({ isRight }) => isRight) ? '✔' : '✘';
      printLine(`  ${sign} ${mutation.padEnd(width)}  ${tallied(ofKind)}`);
    }
  }
  const wrong = trials.filter(({ isRight }) => !isRight);
  for (const trial of wrong.slice(0, MAX_TOLD)) printLine(trialLine(trial));
  if (wrong.length > MAX_TOLD) printLine(`and ${wrong.length - MAX_TOLD} more`);
  if (judge !== undefined) printJudge(judge);

  const errors = [errorOf(status, problems.length > 0), judge && errorOfJudge(judge)].filter(
    (each) => each !== undefined,
  );
  for (const error of errors) printError(error);
  const isBlind = errors.some(({ code }) => code === 'JUDGE_BLIND');
  process.exitCode =
    EXIT_CODES[status] || (isBlind ? EXIT_CODES.blind : 0) || (problems.length > 0 ? EXIT_CODES.untried : 0);
}

/** The judge's right answer, and what it said instead. */
const MEANINGS = {
  different: { about: 'changes of meaning', right: 'found', wrong: 'same', mistake: 'taken for the same' },
  same: { about: 'the same in other words', right: 'recognised', wrong: 'different', mistake: 'taken for different' },
} as const;

/** How often the user's judge was right about answers with a known relation, and where it was wrong. */
function printJudge({ version, trials }: JudgeTest): void {
  if (trials.length === 0) printLine(`Judge ${version}: these pins hold nothing to ask it`);
  const width = Math.max(0, ...trials.map(({ change }) => change.length));
  for (const [means, { about }] of Object.entries(MEANINGS)) {
    const ofSort = trials.filter((trial) => trial.means === means);
    if (ofSort.length === 0) continue;
    printLine(`Judge ${version}, ${about}: ${judgedOf(ofSort)}`);
    for (const [change, ofKind] of Map.groupBy(ofSort, (trial) => trial.change)) {
      const sign = ofKind.every(({ said }) => said === means) ? '✔' : '✘';
      printLine(`  ${sign} ${change.padEnd(width)}  ${judgedOf(ofKind)}`);
    }
  }
  const wrong = trials.filter(({ said, means }) => said === MEANINGS[means].wrong);
  for (const trial of wrong.slice(0, MAX_TOLD)) printLine(judgedWrong(trial));
  if (wrong.length > MAX_TOLD) printLine(`and ${wrong.length - MAX_TOLD} more`);
  const unsure = Map.groupBy(
    trials.filter(({ said }) => said === 'unsure'),
    ({ why = 'it was unsure' }) => why,
  );
  for (const [why, each] of [...unsure].slice(0, MAX_TOLD)) printLine(`not judged ${each.length}: ${why}`);
}

/** `found 3 of 4, taken for the same 1`, for trials with the same right answer. */
function judgedOf(trials: readonly JudgeTrial[]): string {
  const { right, wrong, mistake } = MEANINGS[trials[0]?.means ?? 'same'];
  const count = (is: (trial: JudgeTrial) => boolean) => trials.filter(is).length;
  const [mistaken, unsure] = [count(({ said }) => said === wrong), count(({ said }) => said === 'unsure')];
  return [
    `${right} ${count(({ said, means }) => said === means)} of ${trials.length}`,
    ...(mistaken === 0 ? [] : [`${mistake} ${mistaken}`]),
    ...(unsure === 0 ? [] : [`not judged ${unsure}`]),
  ].join(', ');
}

function judgedWrong({ pin, session, turn, change, means, recorded, replayed }: JudgeTrial): string {
  const texts = [recorded, replayed].map((text) => JSON.stringify(text)).join(' and ');
  return `${pin} (${session}), turn ${turn}: ${change}: ${MEANINGS[means].mistake}: ${texts}`;
}

/** The judge answered, but found none of the changes of meaning. */
function errorOfJudge({ version, trials }: JudgeTest): AgentReplayError | undefined {
  const heard = trials.filter(({ means, said }) => means === 'different' && said !== 'unsure');
  if (heard.length === 0 || heard.some(({ said }) => said === 'different')) return undefined;
  return new AgentReplayError(
    'JUDGE_BLIND',
    `The judge (${version}) found none of ${heard.length} changes of meaning.`,
    {
      hint: 'Correct compare.judge: with it, answers that mean something else would pass as recorded. Or leave it out: answers in other words are then reported without being judged.',
    },
  );
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

/** Outcomes other than red, most important first. */
const BESIDE_RED = { told: 'reported but not red', 'not compared': 'not compared', missed: 'missed' } as const;

/** `red 7 of 9, reported but not red 1, missed 1` */
function tallied(trials: readonly PinTrial[]): string {
  const count = (outcome: PinTrial['outcome']) => trials.filter((trial) => trial.outcome === outcome).length;
  const others = (Object.keys(BESIDE_RED) as (keyof typeof BESIDE_RED)[]).filter((outcome) => count(outcome) > 0);
  const parts = others.map((outcome) => `${BESIDE_RED[outcome]} ${count(outcome)}`);
  return [`red ${count('red')} of ${trials.length}`, ...parts].join(', ');
}

function trialLine({ pin, session, turn, step, pointer, mutation, harmless, instead }: PinTrial): string {
  const place = [`turn ${turn}`, ...(step === null ? [] : [`step ${step}`]), ...(pointer ? [pointer] : [])];
  const mistake = harmless ? 'red although harmless' : 'missed';
  return `${pin} (${session}), ${place.join(', ')}: ${mutation}: ${mistake}; the comparison said: ${instead}`;
}
