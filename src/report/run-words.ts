import { OTHER_WORDS, OUTCOMES } from '../compare/index.ts';
import { counted } from '../text/index.ts';
import { choicesFor } from './choices.ts';
import { acceptCommand, recordCommand } from './commands.ts';
import type { Blame, Status } from './schema.ts';
import {
  type Counts,
  divergedIn,
  failingTurns,
  type GateInput,
  inDoubt,
  isEqual,
  isUntested,
  standingOf,
} from './standings.ts';

const BLAME_TITLES: Readonly<Partial<Record<Blame, string>>> = {
  change: 'this change did it',
  world: 'the world has changed',
  both: 'this change did it, and the world has changed',
  open: 'unclear whether this change or the world did it',
};

/** A number of sessions, and what is said about them. */
type Told = readonly [count: number, text: string];

export function titleOf(status: Status, count: Counts, problems: GateInput['problems']): string {
  const asRecorded: Told = [count.asRecorded, OUTCOMES['as-recorded'].plural];
  const changed: Told = [count.changed, OUTCOMES.changed.plural];
  const varies: Told = [count.varies, count.varies === 1 ? OUTCOMES.varies.word : OUTCOMES.varies.plural];
  const notTold: Told = [inDoubt(count), OUTCOMES['could-not-tell'].word + kindOfDoubt(count)];
  const letPass: readonly Told[] = [
    [count.asBase, 'as the base'],
    [count.quarantined, `quarantined until ${count.until.join(', ')}`],
    [count.alarmed, count.alarmed === 1 ? 'raises an alarm' : 'raise an alarm'],
    [count.suspicious, 'may have shifted'],
    [count.tolerated, `${count.tolerated === 1 ? 'differs' : 'differ'} within the policy`],
  ];
  const suites = [
    count.suites > 0 && divergedIn(count) === 0 && 'but taken together they behave otherwise',
    count.dearer > 0 && 'costs more than recorded',
    count.drifted > 0 && 'has drifted over nights',
    count.blame && BLAME_TITLES[count.blame],
  ].filter((remark) => typeof remark === 'string');
  const minor = parts([[count.minor, 'with minor differences']]);
  const failures = problems.length > 0 && count.total > 0 ? `, and ${problemsIn(problems)}` : '';
  switch (status) {
    case 'passed':
      if (count.isNoneMeant) return 'no session to replay';
      return listed(count, [asRecorded, ...letPass, notTold], [...suites, ...minor]).join(', ');
    case 'failed': {
      const first = divergedIn(count) > 0 ? [changed, varies, asRecorded] : [asRecorded];
      return listed(count, [...first, ...letPass, notTold], suites).join(', ') + failures;
    }
    case 'error':
      return doubtful(count, [asRecorded, ...letPass]).join(', ') + failures;
    case 'interrupted': {
      const settled = [changed, varies, asRecorded, ...letPass];
      const isAny = parts(settled).length > 0;
      const told = isAny ? listed(count, [...settled, notTold], suites) : doubtful(count);
      return `interrupted: ${told.join(', ')}${failures}`;
    }
  }
}

/** By what they are, where all are pins that cannot be read. */
function problemsIn(problems: GateInput['problems']): string {
  if (problems.some(({ code }) => code !== 'PIN_INVALID')) return counted(problems.length, 'problem');
  const files = new Set(problems.map(({ location }) => location?.file));
  return `${files.size} more cannot be read`;
}

/** Empty, `: worded differently`, ` (2 worded differently)` */
function kindOfDoubt(count: Counts): string {
  if (count.unread === 0) return '';
  return count.unread === inDoubt(count) ? `: ${OTHER_WORDS}` : ` (${count.unread} ${OTHER_WORDS})`;
}

/** `could not tell in 2 of 4 sessions`, and what is known of the others. */
function doubtful(count: Counts, others: readonly Told[] = []): string[] {
  if (count.total === 0) return ['nothing was replayed'];
  if (inDoubt(count) === 0) return listed(count, others);
  const where = `${inDoubt(count)} of ${counted(count.total, 'session')}`;
  return [`${OUTCOMES['could-not-tell'].word} in ${where}${kindOfDoubt(count)}`, ...parts(others)];
}

/**
 * `2 of 4 sessions as recorded`, remarks about all of them, `2 vary`: parts without sessions are left out, and the first that
 * is left names the total.
 */
function listed({ total }: Counts, told: readonly Told[], together: readonly string[] = []): string[] {
  const there = told.filter(([count]) => count > 0);
  const [[count, text] = [0, OUTCOMES['as-recorded'].plural], ...others] = there;
  return [`${count} of ${counted(total, 'session')} ${text}`, ...together, ...parts(others)];
}

function parts(told: readonly Told[]): string[] {
  return told.flatMap(([count, text]) => (count > 0 ? [`${count} ${text}`] : []));
}

const KEEP = acceptCommand('--as-recordings');
const LOOK_AND_KEEP = `Look at what separates the runs of each; if that is wanted, keep them with ${KEEP}.`;

export function messageOf(
  status: Status,
  count: Counts,
  {
    sessions,
    compared = [],
    base,
    drift = [],
    offline,
  }: Pick<GateInput, 'sessions' | 'compared' | 'base' | 'drift' | 'offline'>,
): string {
  const drifted = drift.flatMap((each) => (each.isAlarm ? each.sessions : []));
  if (base?.driftedSuites.length === 0) drifted.push(...base.drifted.map(({ id }) => id));
  const moved = sessions.filter(({ id }) => drifted.includes(id));
  const anew = `record again: ${recordCommand(moved.length > 0 ? moved : sessions, ['--refresh'])}.`;
  const looked = compared.length === 0 ? '' : ` Compared: ${compared.join(', ')}.`;
  const situation = { count, sessions, offline, anew, looked };
  const [, sentence = ''] = MESSAGES[status].find(([when]) => when(situation)) ?? [];
  return typeof sentence === 'string' ? sentence : sentence(situation);
}

/** What a sentence is chosen by and made of. */
interface Situation extends Pick<GateInput, 'sessions' | 'offline'> {
  readonly count: Counts;
  /** `record again: `, and the command for what has moved, or for all. */
  readonly anew: string;
  /** ` Compared: calls, answers.`, or nothing. */
  readonly looked: string;
}

type Row = readonly [when: (of: Situation) => boolean, sentence: string | ((of: Situation) => string)];

const otherwise = () => true;
const hasFailed = ({ count }: Situation) => divergedIn(count) + count.suites > 0;

/** The first row that holds speaks. */
const MESSAGES: Readonly<Record<Status, readonly Row[]>> = {
  passed: [
    [({ count }) => count.isNoneMeant, 'Nothing was checked: no session was found, which `allowEmpty` lets pass.'],
    [
      ({ count }) => count.blame === 'world',
      ({ anew }) =>
        `The base does not behave as recorded either, and this change does what the base does: a model, a tool or its data has changed. So ${anew}`,
    ],
    [
      ({ count }) => count.blame === 'open',
      ({ anew }) =>
        `Runs are not as recorded, and no test says whether this change did it: the base does the same. Run again, or ${anew}`,
    ],
    [
      ({ count }) => count.quarantined > 0,
      'A quarantined session fails no run until its date, unless it does what a critical tool or compare.forbid rules out.',
    ],
    [
      ({ count }) => count.tolerated + count.unverified > 0,
      'Some sessions are not as recorded, and the policy lets that pass.',
    ],
    [
      ({ count }) => count.alarmed > 0,
      'Nothing has shifted beyond chance, but a tool that changes the world was called as in no recording: read the alarm. Declare the tool `critical` if that must fail a run.',
    ],
    [
      ({ count }) => count.suspicious > 0,
      ({ sessions }) =>
        `Runs differ more than the recordings do, but chance explains it among so many turns. Run again, or record more (${recordCommand(
          sessions.filter((session) => standingOf(session) === 'suspicious'),
          ['--more'],
        )}).`,
    ],
    [
      ({ offline }) => Boolean(offline),
      ({ count, looked }) =>
        `Your code does the same with the model answering as recorded, in ${counted(count.verified, 'session')} (0 tokens).${looked}`,
    ],
    [({ sessions }) => sessions.every(isEqual), ({ looked }) => `The agent behaved as recorded in every run.${looked}`],
    [
      ({ count }) => count.blame !== null,
      ({ looked }) => `Where runs differ, they differ as those of the base do.${looked}`,
    ],
    [
      ({ count }) => count.untested > 0,
      ({ sessions, looked }) =>
        `What the agent did is as recorded. What it said and how it got there vary, which fewer than five recordings do not test: ${recordCommand(sessions.filter(isUntested))} makes more.${looked}`,
    ],
    [
      ({ count }) => count.tested > 0 || count.minor === 0,
      ({ looked }) => `Where runs differ, they differ as the recordings do.${looked}`,
    ],
    [
      otherwise,
      ({ looked }) =>
        `No divergence, only minor differences: reads that were left out, added, moved or asked for in other words, with everything after them as recorded.${looked}`,
    ],
  ],
  failed: [
    [
      ({ count }) => count.blame === 'change' || count.blame === 'both',
      ({ count, anew }) =>
        `This change does not do what the base does in the same minutes. ${LOOK_AND_KEEP}${count.blame === 'both' ? ` The base has changed, too: ${anew}` : ''}`,
    ],
    [
      (of) => !hasFailed(of) && of.count.drifted > 0,
      ({ anew }) =>
        `No run alone shows it, but over the nights the agent has drifted from its recordings. Ask with \`--base\` once: this repository, or the world. If what it does now is wanted, ${anew}`,
    ],
    [
      (of) => !hasFailed(of),
      `The agent does what it did, and costs more than its recordings. If that is wanted, keep the replays with ${KEEP}; if it must fail no run, leave \`failOn.cost\` out.`,
    ],
    [
      ({ count }) => divergedIn(count) === 0,
      `No single session has shifted, but all of them together have. ${LOOK_AND_KEEP}`,
    ],
    [
      ({ offline }) => Boolean(offline),
      'Your code does something else, although the model answers as recorded. If this change is wanted: run without --offline, and accept that. If not: fix your code.',
    ],
    [
      otherwise,
      ({ sessions }) =>
        [
          ...choicesFor(sessions.flatMap(failingTurns), { sessions }),
          ['If unsure', 'look at what differs first in each session'],
        ]
          .map(([when, what]) => `${when}: ${what}.`)
          .join(' '),
    ],
  ],
  error: [
    [
      ({ count }) => count.quarantined === count.total && count.total > 0,
      'Every session is in quarantine, so the run says nothing about the agent. Take one out, or pin another.',
    ],
    [
      ({ count }) => count.doubtful === 0 && count.unread > 0,
      `Only the words of some answers differ. Read them: accept those that mean the same (${acceptCommand()}), or configure a judge.`,
    ],
    [otherwise, 'Mend this, then run again.'],
  ],
  interrupted: [
    [
      ({ count }) => inDoubt(count) === 0,
      'Run again: nothing says that the run came to its end. All replays that it had begun are compared.',
    ],
    [otherwise, ({ count }) => `Run again: ${inDoubt(count)} of ${counted(count.total, 'session')} did not finish.`],
  ],
};
