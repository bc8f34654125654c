import { z } from 'zod';
import {
  COMPARED_ASPECTS,
  type ComparedAspect,
  isAsRecorded,
  isDiverged,
  isDoubt,
  OTHER_WORDS,
  OUTCOMES,
  type Outcome,
  outcome,
  type TurnComparison,
  turnComparison,
} from '../compare/index.ts';
import { EXIT } from '../exit.ts';
import type { TurnShift } from '../shift/index.ts';
import { counted } from '../text/index.ts';
import { choicesFor, isUnread } from './choices.ts';
import { acceptCommand, recordCommand } from './commands.ts';
import { gateKind, isTestedBy } from './gate-kind.ts';
import {
  type Blame,
  type InterruptedBy,
  type Level,
  level,
  type Report,
  type SessionResult,
  type Status,
  type TurnResult,
} from './schema.ts';

const { cause } = turnComparison.shape.divergence.unwrap().shape;
const softLevel = level.exclude(['off']);

/** The outcomes of an aspect that can fail a run. */
const failing = z.array(outcome.extract(['changed', 'varies']));

const byAspect = (aspect: string) =>
  failing.optional().meta({
    description: `Which outcomes of what the agent ${aspect} fail a run. Default: changed and varies; changed alone where the gate is shift.`,
  });

const failOn = z.strictObject({
  did: byAspect('did'),
  said: byAspect('said'),
  path: byAspect('did on its way (path)'),
  cost: z
    .array(outcome.extract(['changed']))
    .default([])
    .meta({
      description: 'Whether replays that cost more than the recordings (changed) fail a run. Default: they warn.',
    }),
  drift: z.boolean().default(false).meta({
    description: 'Whether a drift over nights fails a run. By default it warns. It is told where there is a history.',
  }),
  couldNotTell: softLevel
    .default('error')
    .meta({ description: 'How "could not tell" counts: error, or warn. It is always reported.' }),
  cause: z.partialRecord(cause.shape.kind, softLevel).default({}).meta({
    description: 'Levels by cause. They replace those above if all differences that count have such a cause.',
  }),
});

const replays = z.int().min(1).max(100);

/** What fails a run: the top-level policy of the configuration. */
export const gatePolicy = z.strictObject({
  failOn: failOn
    .prefault({})
    .meta({ description: 'What fails the run: outcomes by aspect, could not tell, levels by cause.' }),
  minAgreement: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: 'A turn that varies passes if at least this share of its conclusive runs is as recorded.' }),
  gate: gateKind.optional().meta({
    description:
      'What a session is judged by: every run as recorded (every-run), or whether behaviour has shifted (shift). If it is not set: shift for a session with five or more recordings of each turn that runs made, unless the recordings of nine of ten sessions of its agent are alike; otherwise every-run.',
  }),
  looks: z
    .strictObject({ least: replays.default(2), most: replays.default(20) })
    .prefault({})
    .refine(({ least, most }) => least <= most, { error: 'least is more than most' })
    .meta({
      description:
        'From how many replays to how many a session is looked at by gate: shift. It ends as soon as what it did says enough. Where only runs is set: from so many.',
    }),
  alpha: z
    .number()
    .gt(0)
    .max(0.2)
    .default(0.01)
    .meta({ description: 'The chance that the tests of gate: shift fail a run of an unchanged agent.' }),
  minShift: z.number().min(0).default(0.03).meta({
    description:
      'The smallest shift of all sessions together that fails a run. .03 means that replays are 3 % further from the recordings than these are from each other.',
  }),
});
export type GatePolicy = z.infer<typeof gatePolicy> & { readonly allowEmpty?: boolean };

/** What a turn is judged by. */
interface GatedTurn {
  readonly comparison: TurnComparison;
  readonly shift?: TurnShift;
}

/** The outcomes of an aspect that fail a run. */
export function failingIn(
  aspect: ComparedAspect,
  { failOn }: Pick<GatePolicy, 'failOn'>,
  gate?: string,
): readonly Outcome[] {
  return failOn[aspect] ?? (isTestedBy(gate) ? ['changed'] : ['changed', 'varies']);
}

/**
 * The aspects that decide on a turn. Where a test decides, what is said and the path do so through the turn's test, or where the user
 * names that they vary.
 */
export function gatedAspects(
  shift: TurnShift | undefined,
  policy: Pick<GatePolicy, 'failOn'>,
  gate?: string,
): ComparedAspect[] {
  const decides = (aspect: ComparedAspect) =>
    !isTestedBy(gate) || aspect === 'did' || shift?.state === 'shifted' || policy.failOn[aspect]?.includes('varies');
  return COMPARED_ASPECTS.filter((aspect) => failingIn(aspect, policy, gate).length > 0 && decides(aspect));
}

/** The cause of a divergence decides before the outcome. Of several divergences the strictest level decides. */
export function levelOf({ comparison, shift }: GatedTurn, policy: GatePolicy, gate?: string): Level {
  const { failOn, minAgreement } = policy;
  const { aspects, verdict, clusters, divergence, figures } = comparison;
  if (isDoubt(verdict)) return failOn.couldNotTell;
  if (isAsRecorded(verdict)) return isTolerated(aspects, gate) ? 'warn' : 'off';
  const gated = gatedAspects(shift, policy, gate);
  const isFailing = gated.some((aspect) => failingIn(aspect, policy, gate).includes(aspects[aspect].outcome));
  const plain = isFailing ? 'error' : isTolerated(aspects, gate) ? 'warn' : 'off';
  if (!isDiverged(verdict)) return plain;
  const isEnough = minAgreement !== undefined && figures.asRecorded / figures.n >= minAgreement;
  if (verdict === 'varies' && isEnough) return 'off';
  const diverged = clusters.filter((cluster) => !cluster.recorded && cluster.runs.length > 0);
  const explained = diverged.length > 0 ? diverged.map((cluster) => cluster.divergence) : [divergence];
  if (explained.every((each) => each === null)) return plain;
  const causes = explained.flatMap((each) => [each, ...(each?.others ?? [])]).map((each) => each?.cause);
  return hardest(
    causes.flatMap((cause) => {
      const level = failOn.cause[cause?.kind ?? 'unknown'] ?? plain;
      // A cause that explains only part of the difference can make the level stricter, but not milder.
      return cause?.partial === true ? [level, plain] : [level];
    }),
  );
}

/** Whether something differs that the policy lets pass. Words and paths of a live agent always vary. */
function isTolerated(aspects: TurnComparison['aspects'], gate: string | undefined): boolean {
  return isTestedBy(gate)
    ? isDiverged(aspects.did.outcome)
    : COMPARED_ASPECTS.some((each) => isDiverged(aspects[each].outcome));
}

const HARDEST_FIRST: readonly Level[] = level.options;

export function hardest(levels: readonly Level[]): Level {
  return HARDEST_FIRST.find((level) => levels.includes(level)) ?? 'off';
}

/** What the gate reads: the part of a report that depends on behaviour alone, and whether the run was completed. */
type GateInput = Pick<Report['results'], 'problems'> &
  Partial<Pick<Report['results'], 'compared' | 'shift' | 'base' | 'cost' | 'drift' | 'untold' | 'allowEmpty'>> &
  Partial<Pick<Report['evidence'], 'interruptedBy' | 'offline'>> & { readonly sessions: readonly GatedSession[] };

type GatedSession = Pick<SessionResult, 'id' | 'pin' | 'verdict' | 'level' | 'turns' | 'problems' | 'quarantine'>;

export interface Gate {
  readonly status: Status;
  /** One line, made of counts and fixed words only. */
  readonly title: string;
  readonly message: string;
  readonly exitCode: number;
}

/** Decides on a whole run. Pure. Diverged and could-not-tell are never mixed, and doubt never passes. */
export function gate(given: GateInput): Gate {
  const {
    sessions,
    problems,
    compared = [],
    shift,
    base,
    cost,
    drift = [],
    untold = 0,
    allowEmpty = false,
    interruptedBy,
    offline,
  } = given;
  const count = {
    ...countStandings(sessions, untold, base),
    isNoneMeant: allowEmpty && sessions.length + untold === 0,
    /** Agents whose sessions have shifted when taken together. */
    suites: shift?.suites.filter(({ state }) => state === 'shifted').length ?? 0,
    blame: base?.blame ?? null,
    /** Sessions, and agents with all of theirs. */
    dearer: [...(cost?.suites ?? []), ...(cost?.sessions ?? [])].filter(({ state }) => state === 'changed').length,
    drifted: drift.filter(({ isAlarm }) => isAlarm).length,
    fails: cost?.fails === true || drift.some((each) => each.fails),
  };
  const status = statusOf(count, problems.length, interruptedBy);
  return {
    status,
    title: titleOf(status, count, problems),
    message: messageOf(status, count, { sessions, compared, base, drift, offline }),
    exitCode: exitCodeOf(status, interruptedBy),
  };
}

/** Whether this turn alone would fail the run. */
export function failsRun(comparison: TurnComparison, policy: GatePolicy): boolean {
  return !isDoubt(comparison.verdict) && levelOf({ comparison }, policy) === 'error';
}

/** The gate of a report. Its verdicts decide, not the status written in the file. */
export function gateOf({
  results,
  evidence: { interruptedBy, offline },
}: {
  readonly results: Omit<GateInput, 'interruptedBy' | 'offline'>;
  readonly evidence: Pick<GateInput, 'interruptedBy' | 'offline'>;
}): Gate {
  return gate({ ...results, interruptedBy, offline });
}

/** 0 passed, 1 diverged, 2 could not tell; 129, 130 or 143 if a signal interrupted the run. */
export function exitCodeOf(status: Status, interruptedBy: InterruptedBy | undefined): number {
  if (status === 'interrupted') return interruptedBy === 'unknown' ? EXIT.error : EXIT[interruptedBy ?? 'SIGINT'];
  return { passed: EXIT.passed, failed: EXIT.diverged, error: EXIT.error }[status];
}

/**
 * Once only: failures come before doubts, and doubts before what the policy lets pass. `unread`: nothing is in doubt but what
 * other words mean.
 */
const COUNTED_AS = [
  'changed',
  'varies',
  'doubtful',
  'unread',
  'unverified',
  'tolerated',
  'quarantined',
  'alarmed',
  'suspicious',
  'asBase',
  'asRecorded',
] as const;
type CountedAs = (typeof COUNTED_AS)[number];

function failingTurns({ turns }: Pick<GatedSession, 'turns'>): TurnResult[] {
  return turns.filter(({ level, comparison }) => level === 'error' && !isDoubt(comparison.verdict));
}

function standingOf({ verdict, level, turns, problems, quarantine }: GatedSession): CountedAs {
  if (quarantine !== undefined && level !== 'error') return 'quarantined';
  const doubts = turns.filter(({ comparison }) => isDoubt(comparison.verdict));
  const failing = failingTurns({ turns });
  if (failing.length > 0)
    return failing.every(({ comparison }) => comparison.verdict === 'varies') ? 'varies' : 'changed';
  if (isDoubt(verdict) || doubts.length > 0 || problems.length > 0) {
    if (level !== 'error') return 'unverified';
    return isUnread({ turns, problems }) ? 'unread' : 'doubtful';
  }
  if (turns.some(({ events }) => events !== undefined)) return 'alarmed';
  if (turns.some(({ shift }) => shift?.state === 'may-have-shifted')) return 'suspicious';
  return isAsRecorded(verdict) && level === 'off' ? 'asRecorded' : 'tolerated';
}

interface Counts extends ReturnType<typeof countStandings> {
  readonly isNoneMeant: boolean;
  readonly suites: number;
  /** Who made the difference, if there is a base; otherwise null. */
  readonly blame: Blame | null;
  /** Sessions, and agents with all of theirs, that cost more than recorded. */
  readonly dearer: number;
  /** Agents that have drifted over nights. */
  readonly drifted: number;
  /** Cost or drift fails the run. */
  readonly fails: boolean;
}

const isUntested = ({ turns }: GatedSession) => turns.some(({ shift }) => shift?.state === 'untested');

/** Where the base is not as recorded, or no test tells whether it is, a session that passes is as the base. */
function countStandings(sessions: readonly GatedSession[], untold: number, base: GateInput['base']) {
  const isAsBase = ({ id, turns }: GatedSession) =>
    base?.drifted.some((each) => each.id === id) ||
    (base?.blame === 'open' &&
      turns.some(({ shift, comparison: { figures } }) => shift?.against === 'base' && figures.asRecorded < figures.n));
  const standings = sessions.map((session): CountedAs => {
    const standing = standingOf(session);
    return standing === 'asRecorded' && isAsBase(session) ? 'asBase' : standing;
  });
  const counts = COUNTED_AS.map((standing) => [standing, standings.filter((each) => each === standing).length]);
  const of = Object.fromEntries(counts) as Record<CountedAs, number>;
  return {
    ...of,
    doubtful: of.doubtful + untold,
    minor: sessions.filter(({ turns }) => turns.some(({ comparison }) => isMinor(comparison))).length,
    tested: sessions.filter(({ turns }) => turns.some(({ shift }) => shift !== undefined)).length,
    /** Too few recordings of a turn. */
    untested: sessions.filter(isUntested).length,
    total: sessions.length + untold,
    until: [...new Set(sessions.flatMap(({ quarantine }) => quarantine?.until ?? []))].sort(),
    verified: sessions.filter(
      ({ turns, quarantine }) =>
        quarantine === undefined && turns.some(({ comparison }) => !isDoubt(comparison.verdict)),
    ).length,
  };
}

/** Sessions that fail the run. */
function divergedIn({ changed, varies }: Counts): number {
  return changed + varies;
}

function statusOf(count: Counts, problems: number, interruptedBy: InterruptedBy | undefined): Status {
  if (interruptedBy !== undefined) return 'interrupted';
  if (divergedIn(count) + count.suites > 0 || count.fails) return 'failed';
  const isUntried = count.verified === 0 && !count.isNoneMeant;
  return count.doubtful + count.unread > 0 || problems > 0 || isUntried ? 'error' : 'passed';
}

const BLAME_TITLES: Readonly<Partial<Record<Blame, string>>> = {
  change: 'this change did it',
  world: 'the world has changed',
  both: 'this change did it, and the world has changed',
  open: 'unclear whether this change or the world did it',
};

/** A number of sessions, and what is said about them. */
type Told = readonly [count: number, text: string];

function titleOf(status: Status, count: Counts, problems: GateInput['problems']): string {
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

function inDoubt({ doubtful, unverified, unread }: Counts): number {
  return doubtful + unverified + unread;
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

/** Whether everything compared is equal in every run, down to words and minor differences. */
function isEqual({ turns }: GatedSession): boolean {
  return turns.every(
    ({ comparison }) =>
      comparison.figures.behaviours <= 1 &&
      COMPARED_ASPECTS.every((aspect) => isAsRecorded(comparison.aspects[aspect].outcome)) &&
      !isMinor(comparison),
  );
}

function isMinor({ clusters }: TurnComparison): boolean {
  return clusters.some(({ minor }) => minor.length > 0);
}

const KEEP = acceptCommand('--as-recordings');
const LOOK_AND_KEEP = `Look at what separates the runs of each; if that is wanted, keep them with ${KEEP}.`;

function messageOf(
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
