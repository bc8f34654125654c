import {
  COMPARED_ASPECTS,
  type ComparedAspect,
  IN_OTHER_WORDS,
  isAsRecorded,
  isDiverged,
  isDoubt,
  isGenerated,
  isInOtherWords,
  OUTCOMES,
  type Outcome,
  outcomeWord,
  type Tone,
  WORST_FIRST,
  worstOf,
} from '../../compare/index.ts';
import { inLanguage } from '../../files/index.ts';
import { counted, cut, dollars, duration, grouped } from '../../text/index.ts';
import { acceptWords, isUnread, liveFirst } from '../choices.ts';
import { asFile, shellWord } from '../commands.ts';
import type {
  LateSpans,
  Problem,
  Report,
  RunEvidence,
  SessionResult,
  Status,
  ToolCounts,
  TurnResult,
  Usage,
} from '../schema.ts';
import { type Cause, divergenceWords, whereAndWhat } from './divergence.ts';
import { runsOf } from './runs-of.ts';

export const STATUS_SIGNS: Readonly<Record<Status, string>> = {
  passed: '✔',
  failed: '✘',
  error: '?',
  interrupted: '!',
};

/** The pin's file name, by which people know a session. */
export function sessionName({ pin }: SessionResult): string {
  return nameOfPin(pin);
}

/** Characters of a generated name that are shown beside the title. */
const SHOWN_OF_ID = 8;

/** The same for a table, where the title says more than a generated name. */
export function tellingName(session: SessionResult): string {
  const name = sessionName(session);
  return session.title === undefined || !isGenerated(name) ? name : `${name.slice(0, SHOWN_OF_ID)}… ${session.title}`;
}

export function nameOfPin(pin: string): string {
  return pin.replace(/^.*[/\\]/, '').replace(/\.session\.json$/, '');
}

/** The verdict, and whether the policy lets it pass. */
export function verdictWord(session: SessionResult): string {
  const { level } = session;
  const shown = shownOutcome(session);
  const word = isDoubt(shown) && isUnread(session) ? IN_OTHER_WORDS : outcomeWord(shown);
  if (session.quarantine !== undefined && level !== 'error' && !isAsRecorded(shown)) return `${word} (quarantined)`;
  const isPlain = isAsRecorded(shown) || level === 'error';
  return isPlain ? word : `${word} (${level === 'warn' ? 'warning' : 'allowed'})`;
}

/** The verdict; of what the policy lets pass with a warning, the worst of its aspects. */
function shownOutcome({ verdict, level, aspects }: Pick<SessionResult, 'verdict' | 'level' | 'aspects'>): Outcome {
  return level === 'warn' && isAsRecorded(verdict) ? (worstOf(Object.values(aspects ?? {})) ?? verdict) : verdict;
}

/** Red, with the sign of a failure, is only what fails the run; variation that passes is grey. */
export function lookOf(of: Pick<SessionResult, 'verdict' | 'level' | 'aspects'>): {
  readonly sign: string;
  readonly tone: Tone;
  readonly colour: 'green' | 'yellow' | 'red' | 'gray';
} {
  const { sign, tone, colour } = OUTCOMES[shownOutcome(of)];
  if (!isDiverged(shownOutcome(of))) return { sign, tone, colour };
  return of.level === 'error' ? OUTCOMES.changed : { sign, tone: 'plain', colour: 'gray' };
}

export const NOT_AS_RECORDED = `not ${OUTCOMES['as-recorded'].word}`;

/** `did 13 of 15 as recorded, 1 varies, 1 changed · said 3 vary`: how the sessions are in each aspect; empty if all are as recorded. */
export function aspectsLine(sessions: readonly SessionResult[]): string {
  const told = COMPARED_ASPECTS.map((aspect) => [aspect, outcomesIn(aspect, sessions)] as const);
  return told.flatMap(([aspect, words]) => (words.includes(',') ? `${aspect} ${words}` : [])).join(' · ');
}

/** `5 of 8 as recorded, 3 vary` */
export function outcomesIn(aspect: ComparedAspect, sessions: readonly SessionResult[]): string {
  const known = sessions.flatMap(({ aspects }) => aspects?.[aspect] ?? []);
  const words = WORST_FIRST.toReversed().flatMap((outcome) => {
    const count = known.filter((each) => each === outcome).length;
    return count === 0 || isAsRecorded(outcome) ? [] : `${count} ${OUTCOMES[outcome][count === 1 ? 'word' : 'plural']}`;
  });
  return [`${known.filter(isAsRecorded).length} of ${known.length} as recorded`, ...words].join(', ');
}

const ASPECT_MEANS: Readonly<Record<ComparedAspect, string>> = {
  did: 'what it changed, and how it ended',
  said: 'what its answer states',
  path: 'how it got there',
};

/** `did: what it changed, and how it ended · path: how it got there`, for who meets these words. */
export function aspectsLegend(shown: readonly string[] = COMPARED_ASPECTS): string {
  const told = COMPARED_ASPECTS.filter((aspect) => shown.includes(aspect));
  return told.map((aspect) => `${aspect}: ${ASPECT_MEANS[aspect]}`).join(' · ');
}

/** The turn that decided the session's verdict; undefined for a session without turns. */
export function decisiveTurn({ turns, verdict }: SessionResult): TurnResult | undefined {
  return turns.find(({ comparison }) => comparison.verdict === verdict) ?? turns[0];
}

/** Runs as recorded out of those requested, of the decisive turn: `4/5`, `5/5 (1 minor), 1 replaced: 429`. */
export function asRecorded(session: SessionResult, report: Report): string {
  const turn = decisiveTurn(session);
  if (turn === undefined) return '–';
  const { figures, requested } = turn.comparison;
  const beside = figures.minor > 0 ? ` (${figures.minor} minor)` : '';
  const count = `${figures.asRecorded}/${requested}${beside}`;
  return [count, ...replacedNote(runsOf(report, session.id))].join(', ');
}

/** Runs that are not plainly as recorded, of the decisive turn: `2 of 5, 1 replaced: 429`; of a turn in doubt those that are. */
export function runsApart(session: SessionResult, report: Report): string {
  const turn = decisiveTurn(session);
  const replaced = replacedNote(runsOf(report, session.id));
  if (turn === undefined) return replaced.join(', ');
  return [`${apartIn(turn)} of ${turn.comparison.requested}`, ...replaced].join(', ');
}

/** Of a turn in doubt, how many could not be compared. */
export function apartIn({ comparison }: TurnResult): number {
  const { verdict, figures, requested, conclusive } = comparison;
  if (isDoubt(verdict) && conclusive < requested) return requested - conclusive;
  return requested - figures.asRecorded + figures.minor + figures.inOtherWords;
}

/** `1 replaced: 429`, as a list; empty if none of these replays replaced another. */
export function replacedNote(runs: readonly RunEvidence[]): string[] {
  const replaced = runs.flatMap((run) => run.replaced ?? []);
  if (replaced.length === 0) return [];
  return [`${replaced.length} replaced: ${[...new Set(replaced.map(({ reason }) => reason))].sort().join(', ')}`];
}

export function summary(session: SessionResult): string {
  const turn = decisiveTurn(session);
  const first = separationOf(turn);
  if (first !== undefined) return first;
  const divergence = turn?.comparison.divergence;
  if (turn !== undefined && divergence)
    return `${session.turns.length > 1 ? `turn ${turn.turn}, ` : ''}${divergenceWords(turn.comparison)}`;
  const [lesser] = turn === undefined ? [] : lesserStory(turn);
  const isWords = turn !== undefined && isInOtherWords(turn.comparison);
  if ((isWords || isAsRecorded(session.verdict)) && lesser !== undefined) return lesser;
  const problem = session.problems[0] ?? turn?.problems[0];
  return problem ? `${problem.code}: ${problem.message}` : (turn?.comparison.note ?? '');
}

/** Never-green events first; undefined if it is not judged by shift, or if the divergence says more. */
export function separationOf(turn: TurnResult | undefined): string | undefined {
  const told = turn?.events?.find(({ fails }) => fails) ?? turn?.events?.[0];
  // A call that no recording holds ends its replay, so that later ones are not made: the divergence names the first.
  if (turn?.comparison.divergence?.missed && ['end', 'never', undefined].includes(told?.kind)) return undefined;
  return told?.sentence ?? (turn?.shift?.state === 'shifted' ? turn.shift.separation[0] : undefined);
}

/** Answers first. Nobody has judged them, so a reader must: `step 3: answer: "Done" → "All done" in runs 1-3` */
function rewordedLines(turn: TurnResult | undefined): string[] {
  const as = turn?.comparison.clusters.filter(({ recorded }) => recorded) ?? [];
  const texts = as.flatMap((cluster) => cluster.texts.filter(({ kind }) => kind !== 'text'));
  const more = as.reduce((sum, { moreTexts }) => sum + moreTexts, 0);
  const { edit } = turn?.comparison ?? {};
  const lines = [
    ...texts.map((each) => `${whereAndWhat(each)} in ${runNumbers(each.runs)}`),
    ...(edit === undefined ? [] : [`likely because ${edit.detail}`]),
  ];
  return more > 0 ? [...lines, `and ${counted(more, 'more text')}`] : lines;
}

/** Differences in runs that count as recorded: `step 3: look is not called in runs 1-4 (minor)` */
export function minorLines({ comparison }: TurnResult): string[] {
  const minor = comparison.clusters.filter(({ recorded }) => recorded).flatMap((cluster) => cluster.minor);
  return minor.map((each) => `${whereAndWhat(each)} in ${runNumbers(each.runs)} (minor)`);
}

/** Lines of one kind in the story of a turn. The report has all of them. */
const MAX_LESSER = 3;

/** Lesser differences of runs that count as recorded: minor ones, and, if there is nothing worse, other words. */
export function lesserStory(turn: TurnResult): string[] {
  const reworded = isInOtherWords(turn.comparison) ? rewordedLines(turn) : [];
  return [minorLines(turn), reworded, resultLines(turn)].flatMap((lines) => {
    const left = lines.length - MAX_LESSER;
    return left > 0 ? [...lines.slice(0, MAX_LESSER), `${left} more are in the report`] : lines;
  });
}

const MAX_EXAMPLE = 60;

/** Values of one place, as a sentence shows them. */
export function exampleWords(examples: readonly string[]): string {
  return examples.map((each) => (/^[[{]/.test(each) ? cut(each, MAX_EXAMPLE) : JSON.stringify(each))).join(', ');
}

/** Under `shift`, what tools returned otherwise. */
function resultLines({ shift, comparison }: TurnResult): string[] {
  if (shift === undefined) return [];
  return comparison.noise.map(
    ({ path, runs, examples }) =>
      `${path} is not as recorded in ${counted(runs, 'run')} (${exampleWords(examples)}), which decides nothing; compare: { ignore: [${JSON.stringify(path)}] } hides it`,
  );
}

/** The worst verdicts first, otherwise in the order of the report. */
export function bySeverity(sessions: readonly SessionResult[]): SessionResult[] {
  const rank = ({ verdict }: SessionResult) => WORST_FIRST.indexOf(verdict);
  return [...sessions].sort((a, b) => rank(a) - rank(b));
}

/** As recorded, with nothing to tell besides. What a live agent does otherwise without a shift decides nothing. */
export function isPlain(session: SessionResult, report: Report): boolean {
  if (!isAsRecorded(session.verdict) || session.level !== 'off' || session.problems.length > 0) return false;
  const isQuiet = session.turns.every((turn) => turn.shift !== undefined || lesserStory(turn).length === 0);
  return isQuiet && replacedNote(runsOf(report, session.id)).length === 0;
}

/** Not as recorded, or with minor differences, unless the run's own problems already say everything. */
export function sessionsWithStory({ sessions, problems }: Report['results']): SessionResult[] {
  const told = new Set(problems.map(storyOf));
  return sessions.filter((session) => {
    if (isAsRecorded(session.verdict)) {
      return session.problems.length > 0 || session.turns.some((turn) => lesserStory(turn).length > 0);
    }
    const own = [...session.problems, ...session.turns.flatMap((turn) => turn.problems)];
    const isUntried = session.turns.every(({ comparison }) => comparison.figures.n === 0);
    return !isUntried || own.length === 0 || !own.every((problem) => told.has(storyOf(problem)));
  });
}

function storyOf({ code, message }: Problem): string {
  return `${code} ${message}`;
}

/** Characters of a message or a hint that are shown; most have fewer. */
const MAX_SAID_CHARS = 300;

/** The first line of a text, which may be long and of many lines if somebody else wrote it. */
export function brief(text: string): string {
  const [line = '', more] = text.trim().split(/[\r\n]+/, 2);
  return cut(more === undefined ? line : `${line} …`, MAX_SAID_CHARS);
}

/** Where a problem is: `file:line:column /pointer`. */
export function placeOf({ file, line, column, pointer }: NonNullable<Problem['location']>): string {
  const position = [line, column].filter((part) => part !== undefined).map((part) => `:${part}`);
  return `${file}${position.join('')}${pointer ? ` ${pointer}` : ''}`;
}

/** The places where the replays of a turn part. If they all leave the recording at one place, the sentence says so already. */
export function forksOf({ comparison }: TurnResult): TurnResult['comparison']['forks'] {
  return comparison.forks.filter(({ branches }) => branches.filter(({ runs }) => runs.length > 0).length > 1);
}

/** The same in words: `step 4: 7 of 10 calls search (as recorded), 3 of 10 calls get_user`. */
export function forkLines(turn: TurnResult): string[] {
  return forksOf(turn).map(({ step, branches }) => {
    const total = branches.reduce((sum, { runs }) => sum + runs.length, 0);
    const shares = branches.map(
      ({ label, runs, recorded }) => `${runs.length} of ${total} ${asCode(label)}${recorded ? ' (as recorded)' : ''}`,
    );
    return `step ${step}: ${shares.join(', ')}`;
  });
}

/** A label whose JSON has lost its beginning, as code: nothing else tells where its quoted parts begin. */
function asCode(label: string): string {
  return /^[^{["`…]*…[^{[`"]*"[^{[`]*$/.test(label) ? `\`${label}\`` : label;
}

/** The shell command that replays just this session as this run did. */
export function rerunCommand({ pin, own }: SessionResult, report: Report): string {
  const { runs, base } = report.results;
  // A session that was judged by its recordings is judged by them again.
  const against = base?.blame == null ? [] : ['--base', base.ref];
  return commandOn(report, [
    ...['run', asFile(pin), ...against],
    ...(report.evidence.offline ? ['--offline'] : ['--runs', String(own?.runs ?? runs)]),
  ]);
}

/**
 * Tells whether the model is what a turn first diverged by: asks it again there, or, where a base judges, holds against each
 * other what both ask it. Undefined if the cause is something else.
 */
export function modelCommand(
  { turn, comparison }: TurnResult,
  { pin }: SessionResult,
  report: Report,
): string | undefined {
  const { cause, recordedStep, replayedStep } = comparison.divergence ?? {};
  const step = recordedStep ?? replayedStep;
  if (!step || !['model', 'unknown'].includes(cause?.kind ?? '')) return undefined;
  const { results, evidence } = report;
  const { base } = results;
  if (base?.blame != null) {
    // Of its own, so that this run can still be accepted.
    const outputDir = `${evidence.outputDir ?? '.agent-replay'}/model`;
    const apart = { ...report, evidence: { ...evidence, outputDir } };
    return commandOn(apart, ['run', asFile(pin), '--offline', '--base', base.ref]);
  }
  return commandOn(report, ['fork', asFile(pin), '--turn', String(turn), '--step', String(step)]);
}

/**
 * With the configuration and the output folder of this run, as far as they were named. Another run keeps to what the command
 * line said of tools: it must not call for real what this run spared.
 */
export function commandOn(
  { evidence: { command: said, config, outputDir } }: Report,
  [command = '', ...words]: readonly string[],
): string {
  const dir = outputDir === undefined || command === 'pin' ? [] : [outputDir];
  const [tools] = command === 'run' && !words.includes('--tools') ? (/ --tools[ =]\w+/.exec(said) ?? []) : [];
  const named = [
    ...(command === 'accept' ? dir.map((folder) => `${folder}/report.json`) : []),
    ...words,
    ...(tools === undefined ? [] : tools.trim().split(/[ =]/)),
    ...(command === 'accept' ? [] : dir.flatMap((folder) => ['--output-dir', folder])),
    ...(config === undefined ? [] : ['--config', config]),
  ];
  return ['npx agent-replay', command, ...named.map(shellWord)].join(' ');
}

/** How what these turns do now is accepted after this run. @param words further ones of the command */
export function acceptedAfter(report: Report, turns: readonly TurnResult[], ...words: readonly string[]): string {
  return (
    liveFirst(turns) + acceptWords(turns, (...flags) => `\`${commandOn(report, ['accept', ...flags, ...words])}\``)
  );
}

/**
 * `60 calls, 2 retries, 12,345 tokens in, $0.0123`, as far as known; under shift the price of the verdict comes first:
 * `$0.0123, 47 replays`.
 */
export function usageLine(report: Report): string {
  const { usage, tracing = {}, durationMs, runs } = report.evidence;
  const { calls, retries, replaced, inputTokens, outputTokens, judge } = usage;
  const price = priceIn(usage);
  const isTested = report.results.shift !== undefined;
  return [
    ...(isTested ? [...price, many(runs.length, 'replay')] : [many(calls, 'call')]),
    ...(retries > 0 ? [many(retries, 'retry', 'retries')] : []),
    ...(replaced === undefined ? [] : [`${grouped(replaced)} replaced`]),
    ...(inputTokens === null ? [] : [`${grouped(inputTokens)} tokens in`]),
    ...(outputTokens === null ? [] : [`${grouped(outputTokens)} tokens out`]),
    ...(judge === undefined ? [] : [`${many(judge.calls, 'question')} to the judge`]),
    ...(isTested ? [] : price),
    ...toolsLine(report),
    ...(tracing.undelivered ? [`${grouped(tracing.undelivered)} exports not passed on`] : []),
    duration(durationMs),
  ].join(', ');
}

/** What the verdict cost, the judge included: `$0.0143 ($0.0020 of it the judge)`. Empty if nothing is known. */
function priceIn({ cost, judge }: Usage): string[] {
  if (!judge) return cost === null ? [] : [dollars(cost)];
  if (judge.cost === null) return cost === null ? [] : [`${dollars(cost)} without the judge`];
  return cost === null
    ? [`${dollars(judge.cost)} the judge alone`]
    : [`${dollars(cost + judge.cost)} (${dollars(judge.cost)} of it the judge)`];
}

/** As {@link counted}, of numbers that may be large: `12,345 calls`. */
function many(count: number, one: string, more?: string): string {
  return counted(count, one, more).replace(/^\d+/, grouped(count));
}

/** `4 of 6 results of tools from the recording`, for all sessions or one; empty if all tools were live. */
export function toolsLine(report: Report, session?: SessionResult): string[] {
  const runs = session === undefined ? report.evidence.runs : runsOf(report, session.id);
  const counts = runs.flatMap(({ tools }) => tools ?? []);
  if (counts.length === 0) return [];
  const sum = (key: keyof ToolCounts) => counts.reduce((total, each) => total + each[key], 0);
  const [recorded, live, missed] = [sum('recorded'), sum('live'), sum('missed')];
  return [
    ...(recorded + live > 0
      ? [`${grouped(recorded)} of ${grouped(recorded + live)} tool results from the recording`]
      : []),
    ...(missed > 0 ? [`${many(missed, 'call')} of tools not recorded`] : []),
  ];
}

/** Notes beside the verdict: this is only a shard, or spans came late. */
export function notesOf({ evidence }: Report): string[] {
  const { shard } = evidence;
  return [
    ...(shard === undefined
      ? []
      : [`This is shard ${shard.index}/${shard.count}: \`agent-replay merge\` makes one verdict of all shards.`]),
    ...lateNotes(evidence),
    ...endedNotes(evidence),
  ];
}

/** A note that spans came late, and what to do about it. */
function lateNotes({ runs, language }: Report['evidence']): string[] {
  const sum = (part: keyof LateSpans) => runs.reduce((total, { late }) => total + (late?.[part] ?? 0), 0);
  const [spans, last] = [sum('spans'), sum('last')];
  if (spans === 0) return [];
  const came = `${many(spans, 'span')} arrived after their trace had been read`;
  const when = last === 0 ? '' : `, ${grouped(last)} of them only when the agent was stopped`;
  const flush = inLanguage(language, {
    javascript:
      'Before the answer is sent, await processor.forceFlush(), and exporter.forceFlush() after it (docs/endpoint.md).',
    python: 'Before the answer is sent, call provider.force_flush() (docs/endpoint.md).',
  });
  return [`${came}${when}. They are judged all the same. ${flush}`];
}

/** A recording that goes on so long after its root is one whose steps come late. */
const LATE_MS = 1_000;

/** Steps that only come late in the recordings, and why they count as missing. */
function endedNotes({ runs }: Report['evidence']): string[] {
  const late = runs.flatMap(({ ended }) => (ended !== undefined && ended.recordedMs >= LATE_MS ? ended : []));
  const [first] = late;
  if (first === undefined) return [];
  const { without, silentMs, recordedMs, seenMs } = first;
  const seen = seenMs > 0 ? `; what came late in this run was seen within ${duration(seenMs)}` : '';
  const silence = silentMs === null ? 'The agent had ended' : `No span had come for ${duration(silentMs)}`;
  return [
    `Missing in ${many(late.length, 'replay')}: ${without.join(', ')}. ${silence}, and the recordings end within ${duration(recordedMs)} of their root${seen}.`,
  ];
}

/** `run 3`, `runs 1, 2, 5`, `runs 1-40`. */
export function runNumbers(runs: readonly number[]): string {
  return `${runs.length === 1 ? 'run' : 'runs'} ${rangesOf(runs)}`;
}

/** `1-3, 7` */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(', ');
}

/** `System prompt, line 5`. */
export function placeOfLine({ of, number }: NonNullable<Cause['line']>): string {
  return `${capitalised(of)}, line ${number}`;
}

/** An edited line as a diff. A list sign of both sides is left out: beside the sign of the diff it would read as one, too. */
export function diffLines({ recorded, replayed }: NonNullable<Cause['line']>): string[] {
  const lines = [recorded === null ? [] : `- ${recorded}`, replayed === null ? [] : `+ ${replayed}`].flat();
  return lines.every((line) => LISTED.test(line)) ? lines.map((line) => line.replace(LISTED, '$1')) : lines;
}

const LISTED = /^([-+] )\s*[-+*] /;

export function capitalised(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}
