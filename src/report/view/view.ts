import {
  behaviourLabels,
  type Difference,
  type Outcome,
  outcomeWord,
  type TurnComparison,
} from '../../compare/index.ts';
import { duration, percent } from '../../counted.ts';
import { cut } from '../../cut.ts';
import { AgentReplayError } from '../../errors.ts';
import { textOrJson } from '../../json/index.ts';
import { forHtmlText } from '../../untrusted.ts';
import { toProblem } from '../build.ts';
import { gateOf } from '../gate.ts';
import type { Trend } from '../history/trend.ts';
import type { LaidStep, Problem, Report, RunEvidence, SessionResult, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { adviceFor } from '../words/advice.ts';
import { type DiffPart, sharedWords } from '../words/changed-words.ts';
import { type Divergence, divergenceWords, furtherWords, howOften, whereAndWhat } from '../words/divergence.ts';
import { noiseLines } from '../words/learned.ts';
import { CHANNEL_NAMES, gateLines, isTold, pictureRows, shiftStory } from '../words/shift-words.ts';
import { significanceLines } from '../words/significance.ts';
import {
  agreement,
  asRecorded,
  bySeverity,
  capitalised,
  decisiveTurn,
  forkCommand,
  lateNotes,
  lesserStory,
  lookOf,
  placeOf,
  placeOfLine,
  replacedNote,
  rerunCommand,
  runNumbers,
  STATUS_SIGNS,
  sessionName,
  summary,
  usageLine,
  verdictWord,
  whatDiffers,
} from '../words/words.ts';
import { nameText } from './trace-view.ts';
import { figuresLine, figuresOf } from './view-figures.ts';
import type {
  BehaviourView,
  DifferenceView,
  Fact,
  IdView,
  LineView,
  PictureRow,
  ProblemView,
  ReportView,
  RunView,
  SessionView,
  TextView,
  TurnView,
  VerdictLook,
} from './view-shapes.ts';

/** Our own sentences quote bounded values, but a report from elsewhere may not. */
const MAX_SENTENCE_CHARS = 4_000;
/** Of the values of a difference; report.json has more. */
const MAX_VALUE_CHARS = 600;
const MAX_DIFFERENCES = 20;

/** @param trends of its sessions, if there is a history */
export function reportView(bare: Report, trends: readonly Trend[] = []): ReportView {
  const report = withSeen(bare);
  const { results, evidence } = report;
  const { status, title, message } = gateOf(report);
  const of = ({ session, turn }: { session: string; turn: number }) => `${turn} ${session}`;
  const runs = Map.groupBy(evidence.runs, of);
  const ids = Map.groupBy(evidence.ids ?? [], of);
  const shares = new Map(trends.map(({ session, points }) => [session, points.map(({ share }) => share)]));
  return {
    status,
    sign: STATUS_SIGNS[status],
    title: capitalised(title),
    message,
    gate: gateLines(report).map(sentenceText),
    sessions: bySeverity(results.sessions).map((session) =>
      sessionView(session, report, { runs, ids, trend: shares.get(session.id) ?? [] }),
    ),
    problems: results.problems.map((problem) => problemView(problem)),
    significance: significanceLines(report).map(forHtmlText),
    facts: factsOf(report),
    usage: usageLine(report),
    log: evidence.agentLog.map((line) => forHtmlText(cut(line, MAX_VALUE_CHARS))),
  };
}

function sessionView(
  session: SessionResult,
  report: Report,
  {
    runs,
    ids,
    trend,
  }: {
    runs: ReadonlyMap<string, readonly RunEvidence[]>;
    ids: ReadonlyMap<string, readonly Ids[]>;
    trend: SessionView['trend'];
  },
): SessionView {
  const about = ({ turn }: TurnResult) => `${turn} ${session.id}`;
  const turn = decisiveTurn(session);
  return {
    id: nameText(session.id),
    name: nameText(sessionName(session)),
    pin: nameText(session.pin),
    title: nameText(session.title ?? ''),
    agentId: nameText(session.agentId ?? ''),
    ...look(session),
    word: verdictWord(session),
    level: session.level,
    asRecorded: forHtmlText(asRecorded(session, report)),
    agreement: agreement(turn),
    summary: forHtmlText(cut(summary(session), MAX_VALUE_CHARS)),
    trend,
    turns: session.turns.map((each) =>
      turnView(each, session, report, { runs: runs.get(about(each)) ?? [], ids: ids.get(about(each)) ?? [] }),
    ),
    problems: session.problems.map((problem) => problemView(problem)),
    rerun: forHtmlText(rerunCommand(session, report)),
  };
}

function look({ verdict, ...of }: Pick<SessionResult, 'verdict' | 'level' | 'aspects'>): VerdictLook {
  const { sign, tone } = lookOf({ verdict, ...of });
  return { verdict, sign, tone };
}

type Ids = NonNullable<Report['evidence']['ids']>[number];

function turnView(
  turn: TurnResult,
  session: SessionResult,
  report: Report,
  { runs, ids }: { runs: readonly RunEvidence[]; ids: readonly Ids[] },
): TurnView {
  const { verdict, divergence, note, requested, figures } = turn.comparison;
  const advice = adviceFor(turn, session);
  return {
    turn: turn.turn,
    ...look({ verdict, level: turn.level }),
    word: outcomeWord(turn.comparison.verdict),
    sentence: sentenceText(
      divergence === null
        ? (note ?? '')
        : capitalised(`${whereAndWhat(divergence)} ${howOften(divergence, turn.comparison)}.`),
    ),
    cause: divergence?.cause.kind ?? '',
    measure: forHtmlText(forkCommand(turn, session, report) ?? ''),
    causeDetail: sentenceText(divergence === null ? '' : reasonFor(divergence.cause)),
    line: lineOf(divergence),
    separation: shiftStory(turn).map(sentenceText),
    notes: [
      ...(divergence !== null && note !== null ? [note] : []),
      ...(divergence === null ? [] : furtherWords(divergence)),
      ...lesserStory(turn),
      ...(advice === undefined ? [] : [advice]),
      ...noiseLines(turn),
    ].map(sentenceText),
    n: figures.n,
    requested,
    figures: figuresOf(turn),
    figuresLine: figuresLine(turn),
    survival: figures.survival.map((share) => ({ share, text: percent(share) })),
    steps: turn.steps.map((step) => stepView(step) as LaidStep),
    moreSteps: turn.moreSteps ?? 0,
    behaviours: behavioursOf(turn),
    ids: idsOf(turn, ids),
    runs: runsOf(turn, runs),
    texts: textsOf(turn),
    moreTexts: turn.comparison.clusters.reduce((sum, { moreTexts }) => sum + moreTexts, 0),
    problems: turn.problems.map(({ runs, ...problem }) => problemView(problem, runNumbers(runs))),
    warnings: (turn.warnings ?? []).map(({ runs, ...problem }) => problemView(problem, runNumbers(runs))),
    picture: pictureOf(turn),
    besides: turn.shift?.against === 'base' ? BASE_RUNS : RECORDINGS,
  };
}

/** A line that is shown as a diff is not quoted as well. */
function reasonFor({ line, detail }: Divergence['cause']): string {
  return line === undefined ? detail : `the ${line.of} differs at line ${line.number}`;
}

const RECORDINGS = { one: 'recording', many: 'recordings' };
const BASE_RUNS = { one: 'run of the base', many: 'runs of the base' };

/** The positions of a channel's runs, scaled from leftmost to rightmost. */
function pictureOf({ shift }: TurnResult): PictureRow[] {
  if (shift === undefined || !isTold(shift)) return [];
  return pictureRows(shift).map(({ channel, feature, recordings, replays }) => {
    const all = [...recordings, ...replays];
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const placed = (places: readonly number[]) => places.map((place) => (place - least) / (most - least));
    return {
      name: CHANNEL_NAMES[channel],
      feature: feature === null ? '' : sentenceText(feature),
      recordings: placed(recordings),
      replays: placed(replays),
    };
  });
}

function lineOf(divergence: Divergence | null): LineView | null {
  const line = divergence?.cause.line;
  if (line === undefined) return null;
  const shown = (text: string | null) => (text === null ? null : sentenceText(text));
  return { place: placeOfLine(line), recorded: shown(line.recorded), replayed: shown(line.replayed) };
}

function behavioursOf(turn: TurnResult): BehaviourView[] {
  const { pairs, shift } = turn;
  const { clusters } = turn.comparison;
  const labels = behaviourLabels(clusters, shift !== undefined);
  return clusters.map((cluster, place) => {
    const { divergence, firstDifference, runs, recorded } = cluster;
    const { rows = [], more = 0 } = pairs.find((pair) => pair.cluster === cluster.id) ?? {};
    return {
      letter: letterOf(place),
      label: nameText(labels[place] ?? ''),
      recordings: shift === undefined ? null : (cluster.recordings ?? null),
      runs: runs.length === 0 ? '' : runNumbers(runs),
      count: runs.length,
      recorded,
      leavesAt: recorded
        ? null
        : (divergence?.recordedStep ?? divergence?.replayedStep ?? firstDifference?.step ?? null),
      meetsAgainAt: divergence?.meetsAgainAt ?? null,
      sentence: sentenceText(divergenceWords(turn.comparison, { of: divergence })),
      differences: cluster.differences.slice(0, MAX_DIFFERENCES).map(differenceView),
      rows: rows.map((row) =>
        'count' in row ? row : { recorded: stepView(row.left), replayed: stepView(row.right), same: row.same },
      ),
      more,
    };
  });
}

/** Each under the letter of its behaviour. */
function idsOf({ comparison: { clusters } }: TurnResult, ids: readonly Ids[]): IdView[] {
  return ids.flatMap(({ cluster, named: all }) => {
    const of = cluster === null ? '' : letterOf(clusters.findIndex(({ id }) => id === cluster));
    return all.map(({ name, text }) => ({ name: nameText(name), of, text: nameText(text) }));
  });
}

function textsOf({ comparison: { clusters } }: TurnResult): TextView[] {
  return clusters.flatMap(({ texts, recorded }, place) =>
    texts.map(({ runs, ...difference }) => ({
      letter: letterOf(place),
      recorded,
      runs: runNumbers(runs),
      difference: differenceView(difference),
    })),
  );
}

function differenceView(difference: Difference): DifferenceView {
  const { kind, tool, pointer, change, severity, recordedStep, replayedStep, recorded, replayed } = difference;
  const what = [whatDiffers(kind, tool !== undefined), tool, pointer, change === 'value' ? undefined : change];
  return {
    what: nameText(what.filter(Boolean).join(' ')) + (difference.downstream ? ', follows from an earlier one' : ''),
    pointer: nameText(pointer ?? ''),
    severity,
    recordedStep,
    replayedStep,
    recorded: forHtmlText(textOf(recorded)),
    replayed: forHtmlText(textOf(replayed)),
    words: wordsOf(recorded, replayed),
  };
}

function wordsOf(recorded: Difference['recorded'], replayed: Difference['replayed']): DiffPart[] {
  if (typeof recorded !== 'string' || typeof replayed !== 'string') return [];
  const parts = sharedWords({ recorded: textOf(recorded), replayed: textOf(replayed) });
  return parts.map(({ kind, text }) => ({ kind, text: forHtmlText(text) }));
}

function textOf(value: Difference['recorded']): string {
  return value === undefined ? '' : cut(textOrJson(value), MAX_VALUE_CHARS);
}

function stepView(step: LaidStep | null): LaidStep | null {
  if (step === null) return null;
  const { name, text } = step;
  return {
    ...step,
    ...(name === undefined ? {} : { name: nameText(name) }),
    ...(text === undefined ? {} : { text: forHtmlText(text) }),
  };
}

function runsOf({ comparison, problems }: TurnResult, evidence: readonly RunEvidence[]): RunView[] {
  const made = new Map(evidence.map((each) => [each.run, each]));
  const behaviours = new Map(
    comparison.clusters.flatMap((each, place) => each.runs.map((run) => [run, { place, each }])),
  );
  const failures = new Map(problems.flatMap(({ code, runs }) => runs.map((run) => [run, code])));
  const numbers = new Set([...behaviours.keys(), ...failures.keys(), ...made.keys()]);
  return [...numbers]
    .sort((a, b) => a - b)
    .map((run) => {
      const behaviour = behaviours.get(run);
      const evidence = made.get(run);
      const [verdict, word] = outcomeOf(behaviour?.each, run, failures.get(run));
      const { callMs, attempts = 1, status = 200, traceId = '' } = evidence ?? {};
      return {
        run,
        behaviour: behaviour === undefined ? '' : letterOf(behaviour.place),
        recorded: behaviour?.each.recorded === true,
        ...look({ verdict, level: 'error' }),
        word,
        took: [
          ...(status >= 200 && status < 300 ? [] : [`status ${status}`]),
          ...(callMs === undefined ? [] : [duration(callMs)]),
          ...(attempts > 1 ? [`${attempts} attempts`] : []),
          ...(evidence === undefined ? [] : replacedNote([evidence]).map(nameText)),
        ].join(', '),
        traceId: nameText(traceId),
      };
    });
}

function outcomeOf(
  cluster: TurnComparison['clusters'][number] | undefined,
  run: number,
  failure: string | undefined,
): [Outcome, string] {
  if (cluster === undefined) return ['could-not-tell', `could not tell${failure === undefined ? '' : `: ${failure}`}`];
  if (cluster.reworded.includes(run)) return ['could-not-tell', 'in other words'];
  return cluster.recorded ? ['as-recorded', 'pass'] : ['changed', 'fail'];
}

function factsOf({ results, evidence }: Report): Fact[] {
  const facts: readonly [string, string | undefined][] = [
    ['runs of each turn', String(results.runs)],
    ['strictness', results.strictness],
    ['shard', evidence.shard && `${evidence.shard.index}/${evidence.shard.count} by ${evidence.shard.by}`],
    ['commit', evidence.commit],
    ['branch', evidence.branch],
    ['models', evidence.models?.join(', ')],
    ['target', evidence.target],
    ['traces from', evidence.traceSource],
    ['late', lateNotes(evidence).join()],
    ['command', evidence.command],
    ['configuration', evidence.config],
    ['started', evidence.startedAt],
    ['took', duration(evidence.durationMs)],
    ['interrupted by', evidence.interruptedBy],
    ['version', `${evidence.tool.name} ${evidence.tool.version}`],
    ...Object.entries(evidence.environment),
  ];
  return facts.flatMap(([name, text]) => {
    if (!text) return [];
    const time = text === evidence.startedAt ? { time: text } : {};
    return [{ name: nameText(name), text: nameText(text), ...time }];
  });
}

/** A failure as the pages show it. */
export function problemView(failure: Problem | AgentReplayError, runs = ''): ProblemView {
  const problem = failure instanceof AgentReplayError ? toProblem(failure) : failure;
  const { code, message, evidence, hint = '', location } = problem;
  return {
    code: nameText(code),
    where: nameText([runs, location === undefined ? '' : placeOf(location)].filter(Boolean).join(', ')),
    message: sentenceText(message),
    evidence: evidence.map(sentenceText),
    hint: sentenceText(hint),
  };
}

function sentenceText(text: string): string {
  return forHtmlText(cut(text, MAX_SENTENCE_CHARS));
}

const LETTERS = 26;

/** `A` to `Z`, then `A1`: one for each behaviour. */
export function letterOf(place: number): string {
  const letter = String.fromCharCode(65 + (place % LETTERS));
  return place < LETTERS ? letter : `${letter}${Math.floor(place / LETTERS)}`;
}
