import { AgentReplayError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import type { JudgeTest, JudgeTrial, PinTrial, SelfTest } from '../job/index.ts';
import { whereAndWhat } from '../report/index.ts';
import { counted } from '../text/index.ts';
import { printLine } from './lines.ts';
import { printError } from './print.ts';

type SelfTestStatus = SelfTest['status'];

const EXIT_CODES: Readonly<Record<SelfTestStatus, number>> = {
  passed: EXIT.passed,
  missed: EXIT.diverged,
  blind: EXIT.diverged,
  untried: EXIT.error,
};
/** Lines of one sort that are printed. The first ones usually show what is wrong. */
const MAX_TOLD = 20;

/** Prints the score, one line for each kind of change, and what this configuration does not see, by place. */
export function printSelfTest({ status, trials, judge, problems }: SelfTest): void {
  for (const problem of problems) printError(problem);
  const harmless = trials.filter((trial) => trial.harmless);
  const planted = trials.filter((trial) => !trial.harmless);
  printLine(`${scoreOf(planted, 'red')} planted changes are red, ${scoreOf(harmless, 'passed')} harmless ones pass`);
  const width = Math.max(0, ...trials.map(({ mutation }) => mutation.length));
  for (const [mutation, all] of Map.groupBy(trials, (trial) => trial.mutation)) {
    const sign = all.every(({ isRight }) => isRight) ? '✔' : '✘';
    printLine(`  ${sign} ${mutation.padEnd(width)}  ${tallied(all)}`);
  }
  const unseen = trials.filter(({ harmless, outcome }) => outcome !== (harmless ? 'passed' : 'red'));
  if (unseen.length > 0) printLine('What this configuration does not see, or takes for what it is not:');
  const groups = [
    ...Map.groupBy(unseen, (trial) => `${becameOf(trial)}: ${trial.mutation}, ${trial.place ?? 'everywhere'}`),
  ];
  for (const [what, all] of groups.slice(0, MAX_TOLD)) {
    const [{ pin, turn, step, instead }] = all as [PinTrial];
    const where = `${pin}, turn ${turn}${step === null ? '' : `, step ${step}`}`;
    const more = all.length > 1 ? ` and ${counted(all.length - 1, 'more place')}` : '';
    printLine(
      `  ${what}: ${where}${more}${instead === null ? '' : `; the comparison said: ${typeof instead === 'string' ? instead : whereAndWhat(instead)}`}`,
    );
  }
  if (groups.length > MAX_TOLD) printLine(`  and ${groups.length - MAX_TOLD} more`);
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
  for (const [why, each] of [...unsure].slice(0, MAX_TOLD)) printLine(`could not tell ${each.length}: ${why}`);
}

/** `found 3 of 4, taken for the same 1`, for trials with the same right answer. */
function judgedOf(trials: readonly JudgeTrial[]): string {
  const { right, wrong, mistake } = MEANINGS[trials[0]?.means ?? 'same'];
  const count = (is: (trial: JudgeTrial) => boolean) => trials.filter(is).length;
  const [mistaken, unsure] = [count(({ said }) => said === wrong), count(({ said }) => said === 'unsure')];
  return [
    `${right} ${count(({ said, means }) => said === means)} of ${trials.length}`,
    ...(mistaken === 0 ? [] : [`${mistake} ${mistaken}`]),
    ...(unsure === 0 ? [] : [`could not tell ${unsure}`]),
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

/** What became of a change. */
const BECAME: Readonly<Record<PinTrial['outcome'], string>> = {
  red: 'red',
  passed: 'passed',
  told: 'reported but not red',
  'not compared': 'not compared',
  missed: 'missed',
};

function becameOf({ outcome, harmless }: PinTrial): string {
  return harmless && outcome === 'red' ? 'red although harmless' : BECAME[outcome];
}

/** `47 of 50` */
function scoreOf(trials: readonly PinTrial[], outcome: PinTrial['outcome']): string {
  return `${trials.filter((trial) => trial.outcome === outcome).length} of ${trials.length}`;
}

/** `7 of 9 red, 1 reported but not red, 1 missed` */
function tallied(trials: readonly PinTrial[]): string {
  const wanted = trials[0]?.harmless ? 'passed' : 'red';
  const others = Map.groupBy(
    trials.filter(({ outcome }) => outcome !== wanted),
    becameOf,
  );
  return [
    `${scoreOf(trials, wanted)} ${wanted}`,
    ...[...others].map(([became, { length }]) => `${length} ${became}`),
  ].join(', ');
}
