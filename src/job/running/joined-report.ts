import type { Config } from '../../config/index.ts';
import { distinct, present } from '../../json/index.ts';
import { assembleReport, type Problem, type Report } from '../../report/index.ts';
import { assessSuites, type FirstLook, type RunShift } from '../../shift/index.ts';
import { gatesCounted } from '../judging/gates.ts';
import { sumOfUsage } from '../judging/judge.ts';
import { Ledger } from '../ledger/ledger.ts';
import { runNumbers } from '../records/run-scope.ts';
import { settingsOf } from '../records/run-settings.ts';
import { aboutRun } from './about-run.ts';
import { planJob, testedNames } from './plan.ts';
import { revisionOf } from './revision.ts';

type Usage = Report['evidence']['usage'];

interface JoinOptions {
  /** Failures that are in none of the reports. */
  readonly problems?: readonly Problem[];
  readonly command?: string;
  /** If none is missing, all sessions are tested together. */
  readonly tested?: readonly FirstLook[];
}

/**
 * Joins the reports of sessions that were replayed one by one into the report of a run.
 * @param reports made with this configuration; no two of them contain the same session
 */
export async function joinReports(
  config: Config,
  reports: readonly Report[],
  { problems = [], command, tested = [] }: JoinOptions = {},
): Promise<Report> {
  const about = aboutRun({ agents: [] }, { command, revision: await revisionOf(config.root, process.env) });
  const nothing = new Ledger(settingsOf(config), { sessions: [], runs: runNumbers(config.runs), problems: [] });
  const { results, evidence } = nothing.report({ about, durationMs: 0 });
  const all = reports.map((report) => report.evidence);
  const starts = all.map(({ startedAt }) => Date.parse(startedAt));
  const start = Math.min(...starts, Date.parse(evidence.startedAt));
  const sessions = reports.flatMap(({ results }) => results.sessions);
  const gates = gatesCounted(sessions, config);
  const shifts = reports.flatMap(({ results }) => results.shift ?? []);
  const judge = judgeSum(reports.flatMap(({ results }) => results.judge ?? []));
  const models = new Set(all.flatMap((each) => each.models ?? []));
  return assembleReport({
    sessions,
    ...(gates !== undefined && { gates }),
    ...(shifts[0] !== undefined && {
      shift: joined(shifts as [RunShift, ...RunShift[]], await suitesOf(config, tested)),
    }),
    ...(judge && { judge }),
    gatesCost: config.failOn.cost.includes('changed'),
    problems: distinct([...reports.flatMap(({ results }) => results.problems), ...problems]),
    runs: results.runs,
    strictness: results.strictness,
    compared: results.compared,
    evidence: {
      ...evidence,
      startedAt: new Date(start).toISOString(),
      durationMs: Math.max(0, ...all.map(({ durationMs }, index) => (starts[index] ?? start) + durationMs - start)),
      target: [...new Set(all.flatMap(({ target }) => target || []))].sort().join(', '),
      ...(models.size > 0 && { models: [...models].sort() }),
      usage: all.map(({ usage }) => usage).reduce(usageOfBoth, evidence.usage),
      runs: all.flatMap(({ runs }) => runs),
      failures: all.flatMap(({ failures = [] }) => failures),
      ids: all.flatMap(({ ids = [] }) => ids),
    },
  });
}

/** Undefined if a session judged by shift, or one of its turns, is missing. */
async function suitesOf(config: Config, tested: readonly FirstLook[]): Promise<RunShift['suites'] | undefined> {
  const plan = await planJob(config);
  const ids = new Set(tested.map(({ id }) => id));
  return testedNames(plan, config).every((id) => ids.has(id)) ? assessSuites(tested, config) : undefined;
}

/**
 * Each session was tested by itself, corrected for the number of all.
 * @param suites the results of all sessions together, if they were tested
 */
function joined(shifts: readonly [RunShift, ...RunShift[]], suites: RunShift['suites'] | undefined): RunShift {
  const [first] = shifts;
  const total = (of: (each: RunShift) => number) => shifts.reduce((all, each) => all + of(each), 0);
  return {
    ...first,
    varying: total(({ varying }) => varying),
    recordings: Math.min(...shifts.map(({ recordings }) => recordings)),
    reach: shifts.find(({ reach }) => reach !== null)?.reach ?? null,
    suites: suites ?? [],
    marks: shifts.flatMap(({ marks = [] }) => marks),
    ...(suites === undefined && { bySession: true }),
  };
}

type JudgeSum = NonNullable<Report['results']['judge']>;

/** The sum of one judge's answers over all reports. */
function judgeSum(sums: readonly JudgeSum[]): JudgeSum | undefined {
  const [first] = sums;
  const total = (of: (each: JudgeSum) => number) => sums.reduce((all, each) => all + of(each), 0);
  return (
    first && {
      version: first.version,
      same: total(({ same }) => same),
      different: total(({ different }) => different),
      unsure: total(({ unsure }) => unsure),
    }
  );
}

function usageOfBoth(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    retries: a.retries + b.retries,
    ...((a.replaced ?? b.replaced) && { replaced: (a.replaced ?? 0) + (b.replaced ?? 0) }),
    inputTokens: sumKnown(a.inputTokens, b.inputTokens),
    outputTokens: sumKnown(a.outputTokens, b.outputTokens),
    cost: sumKnown(a.cost, b.cost),
    ...present({ judge: sumOfUsage([a.judge, b.judge]) }),
  };
}

/** Null only if both are unknown. */
function sumKnown(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}
