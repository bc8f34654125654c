import { z } from 'zod';
import { isAsRecorded, type TurnComparison, turnComparison, type Verdict } from '../compare/index.ts';
import { counted } from '../counted.ts';
import { EXIT } from '../exit.ts';
import { type GateKind, gateKind, type RunShift } from '../shift/index.ts';
import {
  type BaseResult,
  type Blame,
  type InterruptedBy,
  type Level,
  level,
  type Problem,
  type Report,
  type SessionResult,
  type Status,
  verdict,
} from './schema.ts';

const { cause } = turnComparison.shape.divergence.unwrap().shape;
const softLevel = level.exclude(['off']);

const levels = z.strictObject({
  changed: level.default('error').meta({ description: 'How a changed turn counts: error, warn or off.' }),
  unsettled: level.default('error').meta({ description: 'How an unsettled turn counts.' }),
  flaky: level.optional().meta({
    description: 'How a flaky turn counts: by default error, and warn where the gate is shift.',
  }),
  varies: level
    .default('off')
    .meta({ description: 'How a turn counts whose runs differ only as its recordings differ (gate: shift).' }),
  reworded: level
    .default('warn')
    .meta({ description: 'How a turn counts whose answer is in other words, which no judge has read.' }),
  inconclusive: softLevel
    .default('error')
    .meta({ description: 'How "could not tell" counts: error, or warn. It is always reported.' }),
  cause: z.partialRecord(cause.shape.kind, level).default({}).meta({
    description: 'Levels by cause. They replace those above if all differences that count have such a cause.',
  }),
});

type Levels = z.infer<typeof levels>;

const SOFT = levels.parse({ changed: 'warn', unsettled: 'warn', flaky: 'warn' });

/**
 * A list names the verdicts that fail a run. Others are only reported, but doubt fails too, unless it is set to `warn` by
 * name.
 */
const failing = z
  .array(verdict.exclude(['reproduced']))
  .transform((verdicts): Levels => ({ ...SOFT, ...Object.fromEntries(verdicts.map((name) => [name, 'error'])) }));

/** What fails a run: the top-level policy of the configuration. */
export const gatePolicy = z.strictObject({
  failOn: z
    .union([failing, levels])
    .prefault({})
    .meta({ description: 'Verdicts that fail the run: a list, or a level (error, warn, off) for each.' }),
  minAgreement: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: 'A flaky turn passes if at least this share of its conclusive runs is as recorded.' }),
  gate: gateKind.optional().meta({
    description:
      'What a session is judged by: every run as recorded (every-run), or whether behaviour has shifted (shift). If it is not set: shift for a session with five or more recordings of each turn that runs made, otherwise every-run.',
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
export type GatePolicy = z.infer<typeof gatePolicy>;

/** The policy's level for a verdict, if nothing else decides. */
function levelOfVerdict(
  verdict: Exclude<Verdict, 'reproduced'>,
  { failOn }: Pick<GatePolicy, 'failOn'>,
  gate: GateKind = 'every-run',
): Level {
  return verdict === 'flaky' ? (failOn.flaky ?? (gate === 'shift' ? 'warn' : 'error')) : failOn[verdict];
}

/** Verdicts that fail a run by themselves. */
export function failingVerdicts(policy: Pick<GatePolicy, 'failOn'>, gate?: GateKind): Exclude<Verdict, 'reproduced'>[] {
  const verdicts = verdict.exclude(['reproduced']).options;
  return verdicts.filter((each) => levelOfVerdict(each, policy, gate) === 'error');
}

/**
 * The policy's level for one turn. The cause of a divergence decides before the verdict. If several divergences count, the
 * strictest level decides, so a turn is only softened if everything in it is.
 */
export function levelOf(comparison: TurnComparison, policy: GatePolicy, gate: GateKind = 'every-run'): Level {
  const { failOn, minAgreement } = policy;
  const { verdict, clusters, divergence, figures } = comparison;
  if (verdict === 'reproduced') return 'off';
  if (verdict === 'inconclusive' || verdict === 'reworded' || verdict === 'varies') return failOn[verdict];
  if (verdict === 'flaky' && minAgreement !== undefined && figures.n > 0) {
    if (figures.asRecorded / figures.n >= minAgreement) return 'off';
  }
  const diverged = clusters.filter((cluster) => !cluster.recorded && cluster.runs.length > 0);
  const explained = diverged.map((cluster) => cluster.divergence).concat(divergence ?? []);
  const plain = levelOfVerdict(verdict, policy, gate);
  if (explained.length === 0) return plain;
  const causes = explained.flatMap((each) => [each, ...(each?.others ?? [])]).map((each) => each?.cause);
  return hardest(
    causes.flatMap((cause) => {
      const level = failOn.cause[cause?.kind ?? 'unknown'] ?? plain;
      // A cause that explains only part of the difference can make the level stricter, but not milder.
      return cause?.partial === true ? [level, plain] : [level];
    }),
  );
}

const HARDEST_FIRST: readonly Level[] = ['error', 'warn', 'off'];

export function hardest(levels: readonly Level[]): Level {
  return HARDEST_FIRST.find((level) => levels.includes(level)) ?? 'off';
}

/** What the gate reads: the part of a report that depends on behaviour alone, and whether the run was completed. */
export interface GateInput {
  readonly sessions: readonly Pick<SessionResult, 'verdict' | 'level' | 'turns' | 'problems' | 'quarantine'>[];
  /** Failures that belong to no session. */
  readonly problems: readonly Problem[];
  /** What was compared, in words. */
  readonly compared?: readonly string[] | undefined;
  readonly shift?: Pick<RunShift, 'suites'> | undefined;
  readonly base?: Pick<BaseResult, 'blame'> | undefined;
  readonly interruptedBy?: InterruptedBy | undefined;
}

export interface Gate {
  readonly status: Status;
  /** One line, made of counts and fixed words only. */
  readonly title: string;
  /** What the result means and what to do next, in a few sentences made of counts and fixed words. */
  readonly message: string;
  readonly exitCode: number;
}

/** Decides on a whole run. Pure. Diverged and could-not-tell are never mixed, and doubt never passes. */
export function gate({ sessions, problems, compared = [], shift, base, interruptedBy }: GateInput): Gate {
  const blame = base?.blame ?? null;
  const suites = shift?.suites.filter(({ state }) => state === 'shifted') ?? [];
  const count = { ...countStandings(sessions), suites: suites.length, blame };
  const status = statusOf(count, problems.length, interruptedBy);
  return {
    status,
    title: titleOf(status, count, problems.length),
    message: messageOf(status, count, { isEqual: sessions.every(isEqual), compared }),
    exitCode: exitCodeOf(status, interruptedBy),
  };
}

/** Whether this turn alone would fail the run. */
export function failsRun(comparison: TurnComparison, policy: GatePolicy): boolean {
  return comparison.verdict !== 'inconclusive' && levelOf(comparison, policy) === 'error';
}

/** The gate of a report. Its verdicts decide, not the status written in the file. */
export function gateOf({ results, evidence }: Report): Gate {
  return gate({ ...results, interruptedBy: evidence.interruptedBy });
}

/** 0 passed, 1 diverged, 2 could not tell; 129, 130 or 143 if a signal interrupted the run. */
export function exitCodeOf(status: Status, interruptedBy: InterruptedBy | undefined): number {
  if (status === 'interrupted') return interruptedBy === 'unknown' ? EXIT.error : EXIT[interruptedBy ?? 'SIGINT'];
  return { passed: EXIT.passed, failed: EXIT.diverged, error: EXIT.error }[status];
}

/**
 * How a session is counted, once only: failures come before doubts, and doubts before divergences that the policy lets
 * pass. `refused`: as recorded in other words, where the policy compares the words.
 */
const COUNTED_AS = [
  ...(['diverged', 'refused', 'doubtful', 'unverified', 'tolerated', 'quarantined', 'alarmed', 'suspicious'] as const),
  ...(['varies', 'reworded', 'reproduced'] as const),
];
type CountedAs = (typeof COUNTED_AS)[number];

type GatedSession = GateInput['sessions'][number];

function standingOf({ verdict, level, turns, problems, quarantine }: GatedSession): CountedAs {
  if (quarantine !== undefined && level !== 'error') return 'quarantined';
  const doubts = turns.filter(({ comparison }) => comparison.verdict === 'inconclusive');
  const failing = turns.filter((turn) => turn.level === 'error' && !doubts.includes(turn));
  if (failing.some(({ comparison }) => comparison.verdict !== 'reworded')) return 'diverged';
  if (failing.length > 0) return 'refused';
  if (verdict === 'inconclusive' || doubts.length > 0 || problems.length > 0) {
    return level === 'error' ? 'doubtful' : 'unverified';
  }
  if (turns.some(({ events }) => events !== undefined)) return 'alarmed';
  if (turns.some(({ shift }) => shift?.state === 'may-have-shifted')) return 'suspicious';
  return isAsRecorded(verdict) ? verdict : 'tolerated';
}

/** Advice after the first run of an agent that varies, when only one recording exists. */
const KEEP_ALL =
  ' If the agent was good, `agent-replay accept --as-recordings` keeps all of its replays, although they do not agree with each other: it makes no new call, and with five recordings or more only a shift fails.';

function howToKeep({ diverged, byShift }: Pick<Counts, 'diverged' | 'byShift'>): string {
  return byShift === diverged
    ? 'keep its runs with `agent-replay accept --as-recordings`'
    : 'make it the original with `agent-replay accept`';
}

function disagrees({ turns }: GatedSession): boolean {
  return turns.some(
    ({ level, comparison, shift }) => level === 'error' && shift === undefined && comparison.figures.behaviours > 1,
  );
}

/** The replays become recordings; none of them becomes the original. */
function isByShift({ turns }: GatedSession): boolean {
  return turns.every(({ level, shift }) => level !== 'error' || shift !== undefined);
}

interface Counts extends Readonly<Record<CountedAs, number>> {
  /** Number of agents whose sessions have shifted when taken together. */
  readonly suites: number;
  /** Who made the difference, if there is a base; otherwise null. */
  readonly blame: Blame | null;
  /** Sessions with minor differences in runs that count as recorded. */
  readonly minor: number;
  /** Diverged sessions whose replays disagree with each other: none of them can be the new original. */
  readonly disagreeing: number;
  /** Diverged sessions judged by shift. */
  readonly byShift: number;
  readonly total: number;
  /** Days on which quarantines of sessions end. */
  readonly until: readonly string[];
  readonly verified: number;
}

function countStandings(sessions: GateInput['sessions']): Omit<Counts, 'suites' | 'blame'> {
  const standings = sessions.map(standingOf);
  const diverged = sessions.filter((_, index) => standings[index] === 'diverged');
  const counts = COUNTED_AS.map((standing) => [standing, standings.filter((each) => each === standing).length]);
  return {
    ...(Object.fromEntries(counts) as Record<CountedAs, number>),
    minor: sessions.filter(({ turns }) => turns.some(({ comparison }) => isMinor(comparison))).length,
    disagreeing: diverged.filter(disagrees).length,
    byShift: diverged.filter(isByShift).length,
    total: sessions.length,
    until: [...new Set(sessions.flatMap(({ quarantine }) => quarantine?.until ?? []))].sort(),
    verified: sessions.filter(
      ({ turns, quarantine }) =>
        quarantine === undefined && turns.some(({ comparison }) => comparison.verdict !== 'inconclusive'),
    ).length,
  };
}

function statusOf(count: Counts, problems: number, interruptedBy: InterruptedBy | undefined): Status {
  if (interruptedBy !== undefined) return 'interrupted';
  if (count.diverged + count.refused + count.suites > 0) return 'failed';
  return count.doubtful > 0 || problems > 0 || count.verified === 0 ? 'error' : 'passed';
}

/** Who made the difference, as part of a title. */
const BLAME_TITLES: Readonly<Record<Blame, readonly string[]>> = {
  neither: [],
  change: ['this change did it'],
  world: ['the world has changed'],
  both: ['this change did it, and the world has changed'],
  open: ['unclear whether this change or the world did it'],
};

/** A number of sessions, and what is said about them. */
type Told = readonly [count: number, text: string];

function titleOf(status: Status, count: Counts, problems: number): string {
  const reproduced: Told = [count.reproduced, 'reproduced'];
  const diverged: Told = [count.diverged, 'diverged'];
  const reworded: Told = [count.reworded + count.refused, 'in other words (not judged)'];
  const notVerified: Told = [count.doubtful + count.unverified, 'not verified'];
  const letPass: readonly Told[] = [
    [count.quarantined, `quarantined until ${count.until.join(', ')}`],
    [count.alarmed, count.alarmed === 1 ? 'raises an alarm' : 'raise an alarm'],
    [count.suspicious, 'may have shifted'],
    [count.varies, `${count.varies === 1 ? 'varies' : 'vary'} as ${count.blame === null ? 'recorded' : 'the base'}`],
    [count.tolerated, 'diverged within the policy'],
  ];
  const suites = [
    ...(count.suites > 0 ? ['all sessions together have shifted'] : []),
    ...(count.blame === null ? [] : BLAME_TITLES[count.blame]),
  ];
  const minor = count.minor > 0 ? [`${count.minor} with minor differences`] : [];
  const failures = problems > 0 ? [counted(problems, 'problem')] : [];
  switch (status) {
    case 'passed':
      return listed(count, [reproduced, reworded, ...letPass, notVerified], [...suites, ...minor]).join(', ');
    case 'failed': {
      const refused: Told = [count.refused, 'in other words'];
      const first = count.diverged > 0 ? [diverged, reworded] : count.refused > 0 ? [refused] : [reproduced, reworded];
      return [...listed(count, [...first, ...letPass, notVerified], suites), ...failures].join(', ');
    }
    case 'error': {
      if (count.verified === 0) return ['no session was verified', ...parts(letPass), ...failures].join(', ');
      const first = notVerified[0] > 0 ? notVerified : reproduced;
      return [...listed(count, [first, reworded, ...letPass]), ...failures].join(', ');
    }
    case 'interrupted': {
      const told = listed(count, [reproduced, diverged, reworded, ...letPass, notVerified], suites);
      return [...told, ...failures, 'then interrupted'].join(', ');
    }
  }
}

/**
 * Joins the parts of a title: `2 of 4 sessions reproduced`, remarks about all of them, `2 vary as recorded`. Parts without
 * sessions are left out; the first one that is left names the total.
 */
function listed({ total }: Counts, told: readonly Told[], together: readonly string[] = []): string[] {
  const there = told.filter(([count]) => count > 0);
  const [[count, text] = [0, 'reproduced'], ...others] = there;
  return [`${count} of ${counted(total, 'session')} ${text}`, ...together, ...parts(others)];
}

function parts(told: readonly Told[]): string[] {
  return told.flatMap(([count, text]) => (count > 0 ? [`${count} ${text}`] : []));
}

/** Whether everything compared is equal in every run, down to words and minor differences. */
function isEqual({ turns }: GatedSession): boolean {
  return turns.every(({ comparison }) => comparison.verdict === 'reproduced' && !isMinor(comparison));
}

function isMinor({ clusters }: TurnComparison): boolean {
  return clusters.some(({ minor }) => minor.length > 0);
}

function messageOf(
  status: Status,
  count: Counts,
  { isEqual, compared }: { isEqual: boolean; compared: readonly string[] },
): string {
  switch (status) {
    case 'passed': {
      if (count.blame === 'world') {
        return 'The base does not behave as recorded any more either, and this change does what the base does: a model, a tool or its data has changed. Record anew what the agent does now: `agent-replay pin --runs 10 --refresh`.';
      }
      if (count.blame === 'open') {
        return 'Runs are not as recorded, and no test says whether this change did it. Everything that it does, the base does as well. Run again, or record anew: `agent-replay pin --runs 10 --refresh`.';
      }
      if (count.quarantined > 0) {
        return 'A quarantined session fails no run until its date, unless it does what a critical tool or compare.forbid rules out. The report still tells what these sessions do: look at them.';
      }
      if (count.tolerated + count.unverified > 0)
        return 'Some sessions are not as recorded, and the policy lets that pass.';
      const looked = compared.length === 0 ? '' : ` Compared: ${compared.join(', ')}.`;
      if (count.alarmed > 0) {
        return 'Nothing has shifted beyond chance, but a tool that changes the world was called in a way that no recording holds: read the alarm. Declare the tool `critical` if that must fail a run.';
      }
      if (count.suspicious > 0) {
        return 'Runs differ more than the recordings do, but no more than chance explains among so many turns. Run again, or record more (`agent-replay pin --runs 10 --more`).';
      }
      if (count.varies > 0 && count.blame !== null)
        return `Where runs differ, they differ as those of the base do.${looked}`;
      if (count.varies > 0) return `Where runs differ, they differ as the recordings do: nothing has shifted.${looked}`;
      if (isEqual) return `The agent behaved as recorded in every run.${looked}`;
      return count.reworded > 0
        ? `No divergence, but some answers say it in other words, which were not judged: the report has all of them.${looked}`
        : `No divergence, only minor differences: reads that were left out, added, moved or asked for in other words, with everything after them as recorded.${looked}`;
    }
    case 'failed':
      if (count.blame === 'change' || count.blame === 'both') {
        const also =
          count.blame === 'both' ? ' The base does not behave as recorded any more either: record anew, too.' : '';
        return `This change does not do what the base does in the same minutes. Look at what separates the runs of each; if that is wanted, keep them with \`agent-replay accept --as-recordings\`.${also}`;
      }
      if (count.diverged + count.refused === 0) {
        return 'No single session has shifted, but all of them together have. Look at what separates the runs of each; if that is wanted, keep them with `agent-replay accept --as-recordings`.';
      }
      if (count.diverged === 0) {
        return 'The agent says what was recorded in other words, and the policy fails a run for that. Read the texts; with the default of `failOn.reworded` a run only warns.';
      }
      return `The agent does not behave as recorded. Look at the first divergence of each session; if the new behaviour is wanted, ${howToKeep(count)}.${count.disagreeing === 0 ? '' : KEEP_ALL}`;
    case 'error':
      if (count.quarantined === count.total && count.total > 0) {
        return 'Every session is in quarantine, so the run says nothing about the agent. Take one out of quarantine, or pin another one.';
      }
      return 'Some sessions could not be verified: agent-replay cannot tell whether they are as recorded or diverged. Each problem says what to do next; then run again.';
    case 'interrupted':
      return 'The report holds the replays that had finished. The others are not verified; run again for a verdict.';
  }
}
