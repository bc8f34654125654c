import { isAsRecorded, isDoubt, isInOtherWords, OTHER_WORDS, OUTCOMES } from '../../compare/index.ts';
import type { Json } from '../../json/index.ts';
import { counted, firstOf, forMarkdownBlock, forMarkdownProse } from '../../text/index.ts';
import { isUnread } from '../choices.ts';
import { acceptCommand } from '../commands.ts';
import type { Problem, Report, SessionResult, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { gateOf } from '../status.ts';
import { adviceIn } from '../words/advice.ts';
import { type Alike, failuresIn, warningsIn } from '../words/alike.ts';
import { causesOf } from '../words/causes.ts';
import { type Divergence, toldOf } from '../words/divergence.ts';
import { runsOf } from '../words/runs-of.ts';
import { gateLines, withoutBaseLines } from '../words/shift-words.ts';
import {
  aspectsLegend,
  aspectsLine,
  asRecorded,
  bySeverity,
  commandOn,
  decisiveTurn,
  isPlain,
  lookOf,
  minorLines,
  NOT_AS_RECORDED,
  notesOf,
  replacedNote,
  rerunCommand,
  runNumbers,
  separationOf,
  sessionsWithStory,
  usageLine,
  verdictWord,
} from '../words/words.ts';
import { causeOfGroup, verdictBlocks } from './markdown-head.ts';
import { details, Page } from './markdown-page.ts';
import {
  type Link,
  linkedName,
  linkInto,
  type MarkdownOptions,
  namesOf,
  nowhere,
  problemBlock,
  type Say,
  same,
  shortProse,
  sidesOf,
  toDo,
} from './markdown-parts.ts';

const MAX_CHARS = 60_000;
/** Reserved for the last lines: the count of what was left out, and the figures. */
const TAIL_CHARS = 500;
/** Kinds of failure above the table, and of warnings below it. The report has all of them. */
const MAX_FAILURES = 3;

/** Further rows are folded, because they would bury what is below. */
const MAX_ROWS = 10;
/** An address of the report in each of more rows would take the room of what the rows say. */
const MAX_LINKED_ROWS = 50;
/** More commands that replay one session each become one that replays all. */
const MAX_RERUNS = 5;

/** Causes that stand above the table, each edit with its diff. */
const MAX_CAUSES = 3;

/**
 * The report for a pull request or a job summary, for a reader with five seconds: what the agent does otherwise and why,
 * what to do, and a table of the sessions that are not as recorded. All that needs an expert is folded, or in the report.
 * Within its budget nothing is cut: rows that do not fit are counted.
 */
export function renderMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const { maxChars = MAX_CHARS, maxBytes, head, linkTo = nowhere, say = same, isPart, pins = '' } = options;
  const sizeOf = maxBytes === undefined ? (text: string) => text.length : (text: string) => Buffer.byteLength(text);
  const page = new Page((maxBytes ?? maxChars) - TAIL_CHARS, sizeOf);
  const results = withSeen(report).results;
  const groups = causesOf(results.sessions.filter(({ level }) => level === 'error'));
  if (head !== undefined) page.add(head);
  const failures = failuresIn(sessionsWithStory(results)).slice(0, MAX_FAILURES);
  for (const block of verdictBlocks(report, { groups, failures, ...options })) page.add(block);
  const advice = adviceIn(groups.flatMap(({ rows }) => rows));
  if (advice !== undefined) page.add(forMarkdownProse(say(advice)));
  const isTold = gateOf(report).status === 'error';

  for (const group of groups.slice(1, MAX_CAUSES)) page.add(causeOfGroup(group, results.sessions.length, options));
  const [sound, told] = [true, false].map((is) =>
    bySeverity(results.sessions).filter((session) => isPlain(session, report) === is),
  ) as [SessionResult[], SessionResult[]];
  const places = told.length > MAX_LINKED_ROWS ? { linkTo } : { linkTo, reportUrl: options.reportUrl };
  const all = told.map((session) => rowOf(session, report));
  const alike = all.length > MAX_ROWS ? [...Map.groupBy(all, keyOfRow).values()] : all.map((row) => [row]);
  const isEach = alike.length === all.length;
  const tableOf = (rows: readonly (readonly Row[])[], fold?: string) =>
    page.addTable(
      rows.map((each) => cellsOf(each, places)),
      fold,
    );
  const first = alike.slice(0, MAX_ROWS);
  const shown = first.slice(0, first.length - tableOf(first)).flat();
  const others = isEach ? all.slice(MAX_ROWS) : all;
  const fold = isEach ? `more sessions ${NOT_AS_RECORDED}` : `rows, one for each session ${NOT_AS_RECORDED}`;
  // If a row above is left out, no row below it is shown.
  const isCut = shown.length < first.flat().length;
  const rows = isCut
    ? all.length - shown.length
    : tableOf(
        others.map((row) => [row]),
        fold,
      );
  const problems = results.problems.slice(isTold ? 1 : 0).filter((problem) => !page.add(problemBlock(problem, say)));
  // Replays that a problem of the whole run broke only mention it.
  const above =
    results.problems.length > 0 ? results.problems : failures.slice(0, isTold ? 1 : 0).map((each) => each.problem);
  const before = new Set(above.map(keyOf));
  const unread = results.sessions.filter((session) => isDoubt(session.verdict) && isUnread(session));
  // If nothing else kept anything from being compared, the first line has said so.
  const isSaid = isTold && results.problems.length === 0 && failures.length === 0;
  const edits = new Set(
    unread.flatMap(({ turns }) => turns.flatMap(({ comparison }) => comparison.edit?.detail ?? [])),
  );
  const likely = edits.size === 0 ? [] : [`Likely because ${[...edits].join(', or ')}.`];
  const toRead = [...(isSaid ? [] : [READ]), ...likely].join(' ');
  const read = unread.length > 0 && toRead !== '' ? [`${namesOf(unread)}: ${forMarkdownProse(say(toRead))}`] : [];
  const next = [...stepsIn(results.sessions, before, say), ...read];
  for (const line of withoutBaseLines(results.base)) page.add(forMarkdownProse(say(line)));
  if (next.length > 0) page.add(['**Also to do:**', '', ...next.map((step) => `- ${step}`)].join('\n'));
  if (unread.length > 0) page.add(answersOf(unread.slice(0, MAX_ROWS)));
  if (pins !== '') page.add(`**Recordings changed in this pull request:** ${forMarkdownProse(pins)}.`);
  if (sound.length > 0) page.add(soundBlock(sound, told.length === 0, linkTo));
  for (const warning of warningsIn(results.sessions).slice(0, MAX_FAILURES)) page.add(alikeBlock(warning, say));

  const open = bySeverity(sessionsWithStory(results)).filter((session) => !isPlain(session, report));
  if (open.length > 0) page.add(details('Replay on your machine', [forMarkdownBlock(reruns(open, report))]));
  const aspects = aspectsLine(report.results.sessions);
  const judged = [
    ...(aspects === '' ? [] : [aspects, `${aspectsLegend()}. A session is as recorded if all of them are.`]),
    ...gateLines(report),
  ];
  if (judged.length > 0)
    page.add(details('How it was judged', [judged.map((line) => forMarkdownProse(say(line))).join('  \n')]));

  const left = [
    ...(problems.length > 0 ? [counted(problems.length, 'problem')] : []),
    ...(rows > 0 ? [counted(rows, 'row')] : []),
  ];
  return page.end([
    ...(left.length > 0 ? [`${left.join(', ')} more, see the report.`] : []),
    ...notesOf(report),
    `<sub>${isPart ? '' : `${ABOUT} · `}${usageLine(report)}</sub>`,
  ]);
}

const READ = `Read both answers (below). If they mean the same: ${acceptCommand()}.`;

/** For those who meet the tool in somebody else's pull request. */
const ABOUT = 'agent-replay replays recorded conversations and compares what the agent does';

function reruns(sessions: readonly SessionResult[], report: Report): string {
  return sessions.length > MAX_RERUNS
    ? commandOn(report, ['run'])
    : sessions.map((session) => rerunCommand(session, report)).join('\n');
}

interface Row {
  readonly session: SessionResult;
  readonly about: string;
  readonly what: string;
  readonly often: string;
}

function rowOf(session: SessionResult, report: Report): Row {
  const turn = decisiveTurn(session);
  const asked = turn?.asked ?? session.title;
  const place = session.turns.length > 1 && turn !== undefined ? `turn ${turn.turn}` : '';
  const about = [place, ...(asked === undefined ? [] : [forMarkdownProse(shortProse(asked))])].filter(Boolean);
  return { session, about: about.join(': '), what: wasAndNow(session, turn), often: howOftenIn(session, turn, report) };
}

/** Equal for sessions of which a row says the same. */
function keyOfRow({ session, what, often }: Row): string {
  return JSON.stringify([lookOf(session).sign, what, often]);
}

/** Sessions that one row names; further ones are counted. */
const MAX_ROW_NAMES = 2;

/** @param rows which say the same */
function cellsOf(
  rows: readonly Row[],
  { linkTo, reportUrl }: { readonly linkTo: Link; readonly reportUrl?: string },
): string[] {
  const [{ session, about, what, often }] = rows as [Row];
  const names = firstOf(rows, MAX_ROW_NAMES, (row) => linkedName(row.session, linkTo)).join(', ');
  const name = `${lookOf(session).sign}&nbsp;${names}`;
  return [
    about === '' || rows.length > 1 ? name : `${name}<br><sub>${about}</sub>`,
    what,
    reportUrl === undefined ? often : linkInto(reportUrl, session, often),
  ];
}

/** `5/5 differ`; where nothing diverged, the verdict, or how many runs are as recorded. */
function howOftenIn(session: SessionResult, turn: TurnResult | undefined, report: Report): string {
  const divergence = turn?.comparison.divergence;
  const { verdict, level } = session;
  if (!divergence) {
    if (isAsRecorded(verdict)) return asRecorded(session, report);
    return level === 'error' && isUnread(session) ? `${OTHER_WORDS}: read both` : verdictWord(session);
  }
  const named = level === 'error' && verdict === 'changed' ? '' : ` (${verdictWord(session)})`;
  return [`${divergence.runs}/${divergence.of} differ${named}`, ...replacedNote(runsOf(report, session.id))].join(', ');
}

/** The sessions that need no words. @param isAll true if there are no others; the first line has said so then */
function soundBlock(sessions: readonly SessionResult[], isAll: boolean, linkTo: Link): string {
  const count = counted(sessions.length, 'session');
  const { sign, plural } = OUTCOMES['as-recorded'];
  return details(isAll ? `Which ${sessions.length === 1 ? 'session' : count}` : `${sign} ${count} ${plural}`, [
    namesOf(sessions, linkTo),
  ]);
}

function wasAndNow({ problems }: SessionResult, turn: TurnResult | undefined): string {
  const separation = separationOf(turn);
  if (separation !== undefined) {
    const said = forMarkdownProse(shortProse(separation));
    const { divergence } = turn!.comparison;
    const isSame = divergence?.kind === 'call-name' && separation.includes(String(divergence.replayed));
    return isSame ? arrowOf({ ...divergence, ways: [] }) : said;
  }
  const { divergence = null } = turn?.comparison ?? {};
  if (divergence !== null) return arrowOf(divergence);
  const [text] = turn === undefined ? [] : otherWordsIn(turn);
  // Beginnings of two texts tell nobody what to judge: both stand below, whole.
  if (text) return forMarkdownProse(toldOf(text).place);
  const problem = problems[0] ?? turn?.problems[0];
  const [lesser = turn?.comparison.note ?? ''] = turn === undefined ? [] : minorLines(turn);
  return forMarkdownProse(shortProse(problem?.message ?? lesser));
}

function arrowOf(told: Parameters<typeof sidesOf>[0]): string {
  const [was, now, place] = sidesOf(told);
  return `${place === '' ? '' : `<sub>${place}</sub><br>`}${was} → ${now}`;
}

type Reworded = TurnResult['comparison']['clusters'][number]['texts'][number];

/** Texts that a reader must judge. */
function otherWordsIn({ comparison }: TurnResult): Reworded[] {
  const texts = isInOtherWords(comparison) ? comparison.clusters.flatMap(({ texts }) => texts) : [];
  return texts.filter(({ kind }) => kind !== 'text');
}

/** What a reader is asked to judge, whole. */
function answersOf(sessions: readonly SessionResult[]): string {
  const blocks = sessions.flatMap((session) =>
    session.turns.flatMap((turn) =>
      otherWordsIn(turn).flatMap((text) => [
        `${linkedName(session, nowhere)}, turn ${turn.turn}, ${runNumbers(text.runs)}:`,
        ...sidesBlocks(text),
      ]),
    ),
  );
  return details(`Both answers of ${namesOf(sessions)}`, blocks);
}

/** What to do about each thing that kept sessions from being compared; what was seen of it is in the report. */
function stepsIn(sessions: readonly SessionResult[], told: ReadonlySet<string>, say: Say): string[] {
  const found = sessions.flatMap((session) => {
    const doubts = session.turns.filter(({ comparison }) => isDoubt(comparison.verdict));
    return [...session.problems, ...doubts.flatMap(({ problems }) => problems)].map((problem) => ({
      session,
      problem,
    }));
  });
  const kinds = Map.groupBy(found, ({ problem }) => keyOf(problem));
  return [...kinds].flatMap(([key, [first, ...others]]) => {
    const { message, code, hint } = first!.problem;
    if (told.has(key) || hint === undefined || code === 'INTERRUPTED') return [];
    const names = namesOf([...new Set([first!, ...others].map(({ session }) => session))]);
    const said = forMarkdownProse(shortProse(say(message)));
    return [`${names}: ${said}${hint === message ? '' : ` ${toDo(hint, say)}`}`];
  });
}

/** Shown once for all sessions that it concerns. */
function alikeBlock({ problem, count, sessions }: Alike, say: Say): string {
  return problemBlock(problem, say, `${counted(count, 'replay')} of ${namesOf(sessions)}: `);
}

function sidesBlocks({ recorded, replayed }: Pick<Divergence, 'recorded' | 'replayed'>): string[] {
  const blocks = [
    ['Recorded', recorded],
    ['Replayed', replayed],
  ] as const;
  return blocks.flatMap(([label, value]) => (value === undefined ? [] : [`${label}:`, valueBlock(value)]));
}

function valueBlock(value: Json): string {
  return typeof value === 'string' ? forMarkdownBlock(value) : forMarkdownBlock(JSON.stringify(value, null, 2), 'json');
}

function keyOf({ code, message }: Problem): string {
  return `${code}: ${message}`;
}
