import { markdownTable } from 'markdown-table';
import { isAsRecorded, OUTCOMES } from '../../compare/index.ts';
import { counted } from '../../counted.ts';
import { cut } from '../../cut.ts';
import type { Json } from '../../json/index.ts';
import { forMarkdownBlock, forMarkdownCell, forMarkdownProse } from '../../untrusted.ts';
import { CHANGES, changesSince } from '../changes.ts';
import { gateOf } from '../gate.ts';
import type { Problem, Report, SessionResult, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { adviceFor } from '../words/advice.ts';
import { type Alike, failuresIn, warningsIn } from '../words/alike.ts';
import { type CauseGroup, causesOf } from '../words/causes.ts';
import { type Divergence, divergenceWords, stepOf, toldOf, whatOf } from '../words/divergence.ts';
import { runsOf } from '../words/runs-of.ts';
import { gateLines, shiftStory } from '../words/shift-words.ts';
import {
  agreement,
  aspectsLine,
  asRecorded,
  bySeverity,
  capitalised,
  decisiveTurn,
  forksOf,
  lesserStory,
  NOT_AS_RECORDED,
  notesOf,
  placeOf,
  placeOfLine,
  replacedNote,
  rerunCommand,
  runNumbers,
  STATUS_SIGNS,
  separationOf,
  sessionName,
  sessionsWithStory,
  tellingName,
  toolsLine,
  usageLine,
  verdictWord,
} from '../words/words.ts';

export interface MarkdownOptions {
  /** In UTF-16 units. Default 60,000: GitHub's limit for a comment is 65,536. */
  readonly maxChars?: number;
  /** In UTF-8 bytes. Default 900 KiB: GitHub's limit for a job summary is 1 MiB. */
  readonly maxBytes?: number;
  /** An earlier report of the base branch: the page says what changed since. */
  readonly baseline?: Report | undefined;
  /** Names the report, above everything else. Markdown, not escaped here. */
  readonly head?: string | undefined;
  /** Address of a pin, such as its file at the commit of the run; undefined if there is none. Not escaped here. */
  readonly linkTo?: ((pin: string) => string | undefined) | undefined;
  /** Whether it stands inside something whose title already gives the result. */
  readonly isPart?: boolean | undefined;
  /** Adapts a sentence that says what to do to the place where it is read. The result is escaped. */
  readonly say?: ((sentence: string) => string) | undefined;
}

type Link = NonNullable<MarkdownOptions['linkTo']>;
type Say = NonNullable<MarkdownOptions['say']>;
const same: Say = (sentence) => sentence;

const MAX_CHARS = 60_000;
const MAX_BYTES = 900 * 1024;
/** Reserved for the last lines: the count of what was left out, and the figures. */
const TAIL_CHARS = 500;
/** The table is an overview; the stories below it need room too. */
const TABLE_SHARE = 0.5;
/** The fold, the name and the rerun command alone take this much. */
const MIN_STORY_CHARS = 150;
/** Names in the table should fit a phone; the story has the whole name. */
const MAX_CELL_CHARS = 40;
/** Prose in the table; its lines wrap. */
const MAX_CELL_PROSE_CHARS = 90;
/** Further names of one kind of change are counted. */
const MAX_NAMES = 20;
/** Shorter values are already in the sentence. */
const MAX_SAID_CHARS = 60;
const MAX_EVIDENCE_LINES = 20;
/** Kinds of failure above the table, and of warnings below it. The report has all of them. */
const MAX_FAILURES = 3;

/** Further rows are folded, for the same reason. */
const MAX_ROWS = 20;
/** Further stories of failing sessions are folded, because they would bury what is below. */
const MAX_OPEN = 5;
/** Further closed stories are put into one fold. */
const MAX_CLOSED = 10;

/** What passed needs no box. */
const ALERTS = { passed: undefined, failed: 'CAUTION', error: 'WARNING', interrupted: 'WARNING' } as const;
/** Causes that stand above the table, each with its diff. */
const MAX_CAUSES = 3;

/**
 * The report for a pull request or a job summary: one sentence, a table of the sessions that are not as recorded, and a
 * story of each. Stories of the first failing sessions are open; all sessions as recorded are one line. Within its budget
 * nothing is cut: rows and stories that do not fit are counted.
 */
export function renderMarkdown(
  report: Report,
  {
    maxChars = MAX_CHARS,
    maxBytes = MAX_BYTES,
    baseline,
    head,
    linkTo = () => undefined,
    isPart = false,
    say = same,
  }: MarkdownOptions = {},
): string {
  const page = new Page(maxChars - TAIL_CHARS, maxBytes - TAIL_CHARS);
  const { status, title, message } = gateOf(report);
  if (head !== undefined) page.add(head);
  const alert = ALERTS[status];
  const verdict = `**${capitalised(title)}.** ${say(message)}`;
  page.add(
    isPart ? say(message) : alert === undefined ? `${STATUS_SIGNS[status]} ${verdict}` : `> [!${alert}]\n> ${verdict}`,
  );

  const gate = gateLines(report).map((line) => forMarkdownProse(say(line)));
  if (gate.length > 0) page.add(gate.join('  \n'));

  const results = withSeen(report).results;
  const causes = new Set<string>();
  for (const group of causesOf(results.sessions.filter(({ level }) => level === 'error')).slice(0, MAX_CAUSES)) {
    const block = causeOfGroup(group, results.sessions.length);
    if (block !== undefined && page.add(block))
      for (const { divergence } of group.rows) if (divergence) causes.add(keyOfLine(divergence));
  }
  const problems = results.problems.filter((problem) => !page.add(problemBlock(problem, say)));
  const failures = failuresIn(sessionsWithStory(results)).slice(0, MAX_FAILURES);
  const before = new Set(
    failures.filter((failure) => page.add(alikeBlock(failure, say))).map(({ problem }) => keyOf(problem)),
  );
  const [sound, told] = [true, false].map((is) =>
    bySeverity(results.sessions).filter((session) => isPlain(session, report) === is),
  ) as [SessionResult[], SessionResult[]];
  const lines = told.map((session) => sessionRow(session, report, linkTo));
  const [first, others] = [lines.slice(0, MAX_ROWS), lines.slice(MAX_ROWS)];
  const cut = page.addTable(first);
  // If a row above is left out, no row below it is shown.
  const rows = cut > 0 ? cut + others.length : page.addTable(others, `more that are ${NOT_AS_RECORDED}`);
  if (sound.length > 0) page.add(soundBlock(sound, told.length === 0, linkTo));
  for (const warning of warningsIn(results.sessions).slice(0, MAX_FAILURES)) page.add(alikeBlock(warning, say));
  if (baseline !== undefined) page.add(changesBlock(changesSince(baseline, report)));
  const stories = bySeverity(sessionsWithStory(results));
  const open = new Set(stories.filter(({ level }) => level === 'error').slice(0, MAX_OPEN));
  const shown = { linkTo, say, before, causes };
  const addStory = (into: Page, session: SessionResult) => {
    const isAdded = !into.isFull && into.add(sessionBlock(session, report, { ...shown, isOpen: open.has(session) }));
    if (isAdded && open.has(session)) for (const cause of causesIn(session)) shown.causes.add(cause);
    return isAdded;
  };
  const closed = stories.filter((session) => !open.has(session));
  const untold = stories.filter((session) => open.has(session) && !addStory(page, session));
  const isFolded = closed.length > MAX_CLOSED;
  const rest = isFolded ? page.room() : page;
  untold.push(...closed.filter((session) => !addStory(rest, session)));
  if (isFolded) page.addFolded(rest, 'more in detail');

  const left = [
    ...(problems.length > 0 ? [counted(problems.length, 'problem')] : []),
    ...(rows > 0 ? [counted(rows, 'row')] : []),
    ...(untold.length > 0 ? [counted(untold.length, 'story', 'stories')] : []),
  ];
  return page.end([
    ...(left.length > 0 ? [`${left.join(', ')} more, see the report.`] : []),
    ...notesOf(report),
    `<sub>${[usageLine(report), aspectsLine(report.results.sessions)].filter((line) => line !== '').join(' · ')}</sub>`,
  ]);
}

/** Adds whole blocks as long as there is room. */
class Page {
  readonly #blocks: string[] = [];
  #chars: number;
  #bytes: number;

  constructor(chars: number, bytes: number) {
    this.#chars = chars;
    this.#bytes = bytes;
  }

  /** No story fits what is left, so none needs to be rendered any more. */
  get isFull(): boolean {
    return Math.min(this.#chars, this.#bytes) < MIN_STORY_CHARS;
  }

  /** @returns false if there is no room for the block */
  add(block: string): boolean {
    const chars = block.length + SEPARATOR.length;
    const bytes = Buffer.byteLength(block) + SEPARATOR.length;
    if (chars > this.#chars || bytes > this.#bytes) return false;
    this.#blocks.push(block);
    this.#chars -= chars;
    this.#bytes -= bytes;
    return true;
  }

  /**
   * @param fold heads the folded rows, with their number
   * @returns how many rows did not fit
   */
  addTable(rows: readonly string[][], fold?: string): number {
    if (rows.length === 0) return 0;
    const [head, line, ...lines] = markdownTable([HEADS, ...rows], { alignDelimiters: false }).split('\n');
    const room = { chars: this.#chars * TABLE_SHARE, bytes: this.#bytes * TABLE_SHARE };
    const table = [head!, line!];
    let chars = head!.length + line!.length + 2;
    let bytes = chars;
    for (const row of lines) {
      chars += row.length + 1;
      bytes += Buffer.byteLength(row) + 1;
      if (chars > room.chars || bytes > room.bytes) break;
      table.push(row);
    }
    const shown = table.length - 2;
    const block = fold === undefined ? table.join('\n') : details(`${shown} ${fold}`, [table.join('\n')]);
    return shown > 0 && this.add(block) ? rows.length - shown : rows.length;
  }

  /** The room that is left, for blocks inside one fold. */
  room(): Page {
    return new Page(this.#chars - FOLD_CHARS, this.#bytes - FOLD_CHARS);
  }

  /** Adds what was put into that room. @param what heads the fold, with the number of blocks */
  addFolded(room: Page, what: string): void {
    const blocks = room.#blocks;
    if (blocks.length > 0) this.add(details(`${blocks.length} ${what}`, blocks));
  }

  /** Adds the last blocks, whose room was reserved. */
  end(blocks: readonly string[]): string {
    return `${[...this.#blocks, ...blocks].join(SEPARATOR)}\n`;
  }
}

const SEPARATOR = '\n\n';
/** Of a fold around other blocks. */
const FOLD_CHARS = 100;
/** A phone shows the first three columns: the session, what it does now, and its verdict. */
const HEADS = ['session', 'first divergence', 'verdict', 'runs', 'cause', 'agreement'];

function sessionRow(session: SessionResult, report: Report, linkTo: Link): string[] {
  const turn = decisiveTurn(session);
  const [what, cause] = whatAndWhy(session, turn);
  return [
    `${OUTCOMES[session.verdict].sign}&nbsp;${linkedName(session, linkTo)}`,
    what,
    verdictWord(session),
    asRecorded(session, report),
    cause,
    agreement(turn),
  ];
}

/** As recorded, with nothing to report besides: no problem, no minor difference, no replaced replay. */
function isPlain({ id, verdict, level, problems, turns }: SessionResult, report: Report): boolean {
  if (!isAsRecorded(verdict) || level !== 'off' || problems.length > 0) return false;
  const isEqual = turns.every(({ comparison: { figures } }) => figures.minor === 0 && figures.reworded === 0);
  return isEqual && replacedNote(runsOf(report, id)).length === 0;
}

/** The sessions that need no words. @param isAll true if there are no others; the first line has said so then */
function soundBlock(sessions: readonly SessionResult[], isAll: boolean, linkTo: Link): string {
  const count = counted(sessions.length, 'session');
  const which = sessions.length === 1 ? 'Which session' : 'Which sessions';
  const told = isAll ? which : `${OUTCOMES['as-recorded'].sign} ${count} ${OUTCOMES['as-recorded'].plural}`;
  return details(told, [namesOf(sessions, linkTo)]);
}

/** Its name, linked to its pin if there is an address. */
function linkedName(session: SessionResult, linkTo: Link): string {
  const name = forMarkdownCell(cut(tellingName(session), MAX_CELL_CHARS));
  const url = linkTo(session.pin);
  return url === undefined ? name : `[${name}](${url})`;
}

/** Two cells: where and how a session first diverges, and why; or the reason for doubt. */
function whatAndWhy({ turns, problems }: SessionResult, turn: TurnResult | undefined): [string, string] {
  const divergence = turn?.comparison.divergence;
  const separation = separationOf(turn);
  if (separation !== undefined) return [forMarkdownProse(shortProse(separation)), divergence?.cause.kind ?? ''];
  if (turn !== undefined && divergence) {
    const place = `${turns.length > 1 ? `turn ${turn.turn}, ` : ''}step ${stepOf(divergence)}`;
    const { place: of, was, now } = toldOf(divergence);
    const [a, b] = [was, now].map((text) => forMarkdownCell(cut(text, MAX_CELL_CHARS)));
    const name = of === '' ? '' : ` ${forMarkdownCell(cut(of, MAX_CELL_CHARS))}`;
    return [`${place}:${name} ${a} → ${b}`, divergence.cause.kind];
  }
  const problem = problems[0] ?? turn?.problems[0];
  return [
    problem === undefined ? forMarkdownProse(shortProse(turn?.comparison.note ?? '')) : forMarkdownCell(problem.code),
    '',
  ];
}

/** As many whole words as fit. */
function shortProse(text: string): string {
  if (text.length <= MAX_CELL_PROSE_CHARS) return text;
  const cut = text.slice(0, MAX_CELL_PROSE_CHARS).toWellFormed();
  const end = cut.lastIndexOf(' ');
  return `${(end > 0 ? cut.slice(0, end) : cut).replace(/[,;:]$/, '')} …`;
}

/** What changed since an earlier report, folded. */
function changesBlock(changes: ReturnType<typeof changesSince>): string {
  const groups = CHANGES.map((label) => [label, changes.get(label) ?? []] as const);
  const present = groups.filter(([, sessions]) => sessions.length > 0);
  const unchanged = `${changes.get('unchanged')?.length ?? 0} ${OUTCOMES['as-recorded'].plural} as before`;
  const counts = [...present.map(([label, { length }]) => `${length} ${label}`), unchanged];
  const lines = present.map(([label, sessions]) => `- ${label}: ${namesOf(sessions)}`);
  const headline = `Since the base branch: ${counts.join(', ')}`;
  return lines.length === 0 ? headline : details(headline, [lines.join('\n')]);
}

function namesOf(sessions: readonly SessionResult[], linkTo: Link = () => undefined): string {
  const names = sessions.slice(0, MAX_NAMES).map((session) => linkedName(session, linkTo));
  const left = sessions.length - names.length;
  return [...names, ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** Shown once for all sessions that it concerns. */
function alikeBlock({ problem, count, sessions }: Alike, say: Say): string {
  return problemBlock(problem, say, `${counted(count, 'replay')} of ${namesOf(sessions)}: `);
}

interface StoryOptions {
  readonly isOpen: boolean;
  readonly linkTo: Link;
  readonly say: Say;
  /** Problems that are shown in full above the stories. */
  readonly before: ReadonlySet<string>;
  /** Changed lines that an open story above already shows. */
  readonly causes: ReadonlySet<string>;
}

function sessionBlock(session: SessionResult, report: Report, options: StoryOptions): string {
  const { isOpen, linkTo, say } = options;
  const url = linkTo(session.pin);
  const text = forMarkdownCell(sessionName(session));
  // A summary element is HTML, in which Markdown is not read.
  const name = url === undefined ? text : `<a href="${url}">${text}</a>`;
  const told = verdictWord(session);
  const story = [
    ...(session.title === undefined ? [] : [`_${forMarkdownProse(session.title)}_`]),
    ...turnsTold(session, options),
    ...session.problems.map((problem) => problemBlock(problem, say)),
    ...toolsLine(report, session),
    'Replay just this session:',
    forMarkdownBlock(rerunCommand(session, report)),
  ];
  return details(`${OUTCOMES[session.verdict].sign} ${name}: ${told}`, story, isOpen);
}

/** The divergences, and folded below them the turns that differ in words only. */
function turnsTold(session: SessionResult, options: StoryOptions): string[] {
  const isDivergent = ({ comparison, problems }: TurnResult) => comparison.divergence !== null || problems.length > 0;
  const blocksOf = (turns: readonly TurnResult[]) => turns.flatMap((turn) => turnBlocks(turn, session, options));
  const main = blocksOf(session.turns.filter(isDivergent));
  const others = blocksOf(session.turns.filter((turn) => !isDivergent(turn)));
  return main.length === 0 || others.length === 0 ? [...main, ...others] : [...main, details('Other turns', others)];
}

function details(summary: string, blocks: readonly string[], isOpen = false): string {
  return [`<details${isOpen ? ' open' : ''}><summary>${summary}</summary>`, ...blocks, '</details>'].join(SEPARATOR);
}

function turnBlocks(turn: TurnResult, session: SessionResult, { say, before, causes }: StoryOptions): string[] {
  const { divergence, note, verdict } = turn.comparison;
  const advice = adviceFor(turn, session);
  const where = `Turn ${turn.turn}`;
  return [
    ...shiftStory(turn).map((line) => forMarkdownProse(`${capitalised(line)}.`)),
    ...(divergence
      ? [
          forMarkdownProse(`${where}, ${divergenceWords(turn.comparison, { isLineShown: true })}`),
          ...causeBlock(divergence, causes),
          ...valueBlocks(divergence),
        ]
      : []),
    ...turn.problems.map(({ runs, ...problem }) =>
      problemBlock(before.has(keyOf(problem)) ? sentenceOf(problem) : problem, say, `${where}, ${runNumbers(runs)}: `),
    ),
    ...forksOf(turn).map(forkTable),
    ...lesserStory(turn).map((line) => forMarkdownProse(`${where}, ${line}`)),
    ...(note === null || isAsRecorded(verdict) ? [] : [`${where}: ${forMarkdownProse(note)}`]),
    ...(advice === undefined ? [] : [`${where}: ${forMarkdownProse(say(advice))}`]),
  ];
}

/** One edit with its diff, and how many sessions it changed: told once, above all of them. */
function causeOfGroup({ cause, rows }: CauseGroup, total: number): string | undefined {
  if (cause?.line === undefined) return undefined;
  const [first] = rows;
  const what = first?.divergence ? ` (${forMarkdownProse(whatOf(first.divergence))})` : '';
  const count = `${rows.length} of ${counted(total, 'session')}`;
  return [`**One edit changed ${count}**${what}: ${placeOfLine(cause.line)}`, lineDiff(cause.line)].join(SEPARATOR);
}

function causesIn({ turns }: SessionResult): string[] {
  return turns.flatMap(({ comparison: { divergence } }) => (divergence?.cause.line ? keyOfLine(divergence) : []));
}

function keyOfLine({ cause: { line } }: Divergence): string {
  return JSON.stringify(line);
}

/** The changed line of the model's input as a diff; shown once if many sessions share it. */
function causeBlock(divergence: Divergence, causes: ReadonlySet<string>): string[] {
  const { line } = divergence.cause;
  if (line === undefined) return [];
  if (causes.has(keyOfLine(divergence))) return [`${placeOfLine(line)}: the same change as above.`];
  return [`${placeOfLine(line)}:`, lineDiff(line)];
}

function lineDiff({ recorded, replayed }: NonNullable<Divergence['cause']['line']>): string {
  const sides = [...(recorded === null ? [] : [`- ${recorded}`]), ...(replayed === null ? [] : [`+ ${replayed}`])];
  return forMarkdownBlock(sides.join('\n'), 'diff');
}

/** Both sides in full, if the sentence had to cut one. */
function valueBlocks({ recorded, replayed }: Divergence): string[] {
  const blocks = [
    ['Recorded', recorded],
    ['Replayed', replayed],
  ] as const;
  const isSaid = blocks.every(([, value]) => value === undefined || JSON.stringify(value).length <= MAX_SAID_CHARS);
  return isSaid ? [] : blocks.flatMap(([label, value]) => valueBlock(label, value));
}

function valueBlock(label: string, value: Json | undefined): string[] {
  if (value === undefined) return [];
  const block =
    typeof value === 'string' ? forMarkdownBlock(value) : forMarkdownBlock(JSON.stringify(value, null, 2), 'json');
  return [`${label}:`, block];
}

function forkTable({ step, branches }: TurnResult['comparison']['forks'][number]): string {
  const total = branches.reduce((sum, { runs }) => sum + runs.length, 0);
  const rows = branches.map(({ label, runs, recorded }) => [
    `${runs.length}&nbsp;of&nbsp;${total}`,
    `${forMarkdownCell(label)}${recorded ? ' (as recorded)' : ''}`,
  ]);
  return markdownTable([['runs', `step ${step}`], ...rows], { alignDelimiters: false });
}

function keyOf({ code, message }: Problem): string {
  return `${code}: ${message}`;
}

/** Evidence and hint are already shown above. */
function sentenceOf({ code, message }: Problem): Problem {
  return { code, message, evidence: [] };
}

/** @param where put before the message */
function problemBlock({ code, message, evidence, hint, location }: Problem, say: Say, where = ''): string {
  const facts = [
    ...(location === undefined ? [] : [`at ${placeOf(location)}`]),
    ...evidence.slice(-MAX_EVIDENCE_LINES),
  ];
  return [
    `${where}${forMarkdownProse(`${code}: ${say(message)}`)}`,
    ...(facts.length > 0 ? [forMarkdownBlock(facts.join('\n'))] : []),
    ...(hint === undefined ? [] : [`→ ${forMarkdownProse(say(hint))}`]),
  ].join(SEPARATOR);
}
