import { COMPARED_ASPECTS, isAsRecorded, isDiverged, isDoubt, OUTCOMES } from '../../compare/index.ts';
import { counted, forTerminal, linesForTerminal } from '../../text/index.ts';
import { acceptFlags, endedAtCalls, isUnread } from '../choices.ts';
import { fit, pad, widest, wrap } from '../columns.ts';
import type { Problem, Report, SessionResult, Status, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { gateOf } from '../status.ts';
import { adviceIn, mayBeChance, moreRecordings } from '../words/advice.ts';
import { type Alike, failuresIn, warningsIn } from '../words/alike.ts';
import { type CauseGroup, type CauseRow, causesOf, isEdit } from '../words/causes.ts';
import { type Cause, type Divergence, stepOf, whatOf } from '../words/divergence.ts';
import { noiseLines } from '../words/learned.ts';
import { type Paint, painter, type Style } from '../words/paint.ts';
import { gateFigures, gateFirst } from '../words/shift-words.ts';
import { turnStory } from '../words/story.ts';
import {
  aspectsLegend,
  aspectsLine,
  bySeverity,
  commandOn,
  decisiveTurn,
  diffLines,
  forkLines,
  forksOf,
  isPlain,
  lookOf,
  modelCommand,
  notesOf,
  placeOf,
  rerunCommand,
  runNumbers,
  runsApart,
  STATUS_SIGNS,
  separationOf,
  sessionName,
  sessionsWithStory,
  summary,
  tellingName,
  toolsLine,
  usageLine,
  verdictWord,
} from '../words/words.ts';
import type { PlacesOf } from './html.ts';

export interface TerminalOptions {
  /** ANSI colours; default false. */
  readonly colour?: boolean;
  /** Width of the terminal; default 100. */
  readonly columns?: number;
  /** Problems that the caller has printed, with what is known of each session: of them only sessions and status follow. */
  readonly printed?: readonly Problem[];
  /** The story of each session as well. */
  readonly isVerbose?: boolean;
  /** Folds what is long as logs of GitHub Actions do. */
  readonly isGrouped?: boolean;
  /** Files that contain a line of a prompt, as `file:line`. */
  readonly placesOf?: PlacesOf;
}

const STATUS_STYLES: Readonly<Record<Status, Style>> = {
  passed: 'green',
  failed: 'red',
  error: 'yellow',
  interrupted: 'yellow',
};

const DEFAULT_COLUMNS = 100;
/** On narrower terminals this width is assumed, and the terminal wraps the lines. */
const MIN_COLUMNS = 40;
/** Lines of evidence under a session's problem. The report has all of them. */
const MAX_EVIDENCE_LINES = 10;
/** The same for the whole run: it is printed once, and a Node crash with its stack takes as many. */
const MAX_LINES_OF_THE_RUN = 20;
/** Longest name of a session in a row, so that what differs has room. */
const MAX_NAME_WIDTH = 40;
/** Further rows of one cause are folded in a log. */
const MAX_OPEN_ROWS = 20;
/** Places that vary from run to run. The report has all of them. */
const MAX_NOISE = 3;

/**
 * The verdict is the first and the last line; between them stand each cause once, with its sessions as rows, what could not be
 * told, and one line for all that is as recorded.
 */
export function renderTerminal(report: Report, options: TerminalOptions = {}): string {
  const { colour = false, columns = DEFAULT_COLUMNS, printed, isVerbose = false } = options;
  const page = new Page(Math.max(columns, MIN_COLUMNS), painter(colour), options);
  const results = withSeen(report).results;
  const sessions = bySeverity(results.sessions);
  const told = sessions.filter((session) => !isPlain(session, report));
  const groups = causesOf(told);
  const byCause = new Set(groups.flatMap(({ rows }) => rows.map(({ session }) => session)));
  const others = told.filter((session) => !byCause.has(session));
  page.heading(report);
  page.gate(report);
  for (const group of groups) page.cause(group, sessions.length);
  page.legend(groups);
  if (others.length > 0) page.others(others, report);
  if (printed === undefined) {
    for (const failure of failuresIn(sessionsWithStory(results))) page.alike(failure);
    for (const { problems } of told) for (const problem of problems) page.problem(problem, '');
  }
  const isPrinted = ({ code, message }: Problem) =>
    printed?.some((each) => each.code === code && each.message === message) === true;
  for (const problem of results.problems) if (!isPrinted(problem)) page.problem(problem, '');
  if (printed === undefined) {
    for (const warning of warningsIn(results.sessions)) page.alike(warning);
    page.noise(told);
    if (isVerbose) for (const session of sessionsWithStory(results)) page.session(session, report);
  }
  page.closing(report, groups, told);
  return page.text();
}

/** Each edited line stands above the rows of its cause. */
const NONE_QUOTED = new Set<TurnResult>();
const INDENT = '  ';
const GAP = '  ';
/** With less room than this for what differs, columns before it are left out. */
const MIN_COLUMN = 40;

/** A row: its sign and its cells; the one that tells what differs takes the room that the others leave. */
interface Row {
  readonly session: SessionResult;
  readonly cells: readonly string[];
}

/** Lines that every page begins with. */
const HEADING = 2;
/** On so few lines it is said once that a run has passed. */
const SHORT = 8;

/** Lines of a row that tells why nothing could be told. */
const MAX_WHAT_LINES = 3;

/** Below it rows are cut at their end instead. */
const MIN_WIDTH = 15;

/** Place of that cell: name, verdict, aspect, turn, what, runs. */
const WHAT = 4;
/** Cells that are left out where there is no room, first the least telling. */
const SPARE = [3, 2, 1];

/** Collects the lines of the output. Every text passes through {@link forTerminal}. */
class Page {
  readonly #lines: string[] = [];
  readonly #told = new Set<string>();
  readonly #columns: number;
  readonly #paint: Paint;
  readonly #options: TerminalOptions;

  constructor(columns: number, paint: Paint, options: TerminalOptions) {
    this.#columns = columns;
    this.#paint = paint;
    this.#options = options;
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  heading(report: Report): void {
    this.#verdict(report);
    const aspects = this.#options.isVerbose ? aspectsLine(report.results.sessions) : '';
    if (aspects !== '') this.#line(aspects, INDENT);
    this.#line(usageLine(report), INDENT, 'dim');
  }

  gate(report: Report): void {
    this.#dim(gateFirst(report));
  }

  #dim(lines: readonly string[]): void {
    if (lines.length > 0) this.#blank();
    for (const line of lines) this.#line(line, '', 'dim');
  }

  /** @param total number of all sessions */
  cause({ cause, rows }: CauseGroup, total: number): void {
    this.#blank();
    if (cause !== undefined) this.#why(cause);
    const turns = rows.some(({ session }) => session.turns.length > 1);
    this.#rows(
      rows.map((row) => ({ session: row.session, cells: this.#cellsOf(row, turns) })),
      total,
    );
  }

  #why(cause: Cause, likely = ''): void {
    const { line, kind, detail } = cause;
    if (line === undefined) {
      this.#line(`${likely}${kind}: ${detail}`, 'cause  ', 'dim');
      return;
    }
    const edited = line.replayed ?? line.recorded;
    const places = edited === null ? [] : (this.#options.placesOf?.({ line: edited }) ?? []);
    const edit = likely + (isEdit(cause) ? 'one edit: ' : '');
    const place = places.length === 0 ? '' : ` (${places.join(' or ')})`;
    this.#line(`${edit}${line.of}, line ${line.number}${place}`, 'cause  ', 'dim');
    for (const text of diffLines(line))
      this.#line(text.slice(2), `     ${text.slice(0, 2)}`, text.startsWith('-') ? 'red' : 'green');
    this.#blank();
  }

  /** What the column of aspects means. */
  legend(groups: readonly CauseGroup[]): void {
    const rows = groups.flatMap((group) => group.rows);
    const shown = rows.flatMap(aspectsOf);
    const counts = rows.some(({ divergence }) => divergence !== null) ? ' · last column: runs that differ' : '';
    if (shown.length > 0) this.#line(aspectsLegend(shown) + counts, INDENT, 'dim');
  }

  #cellsOf(row: CauseRow, withTurns: boolean): string[] {
    const { session, turn, divergence, also } = row;
    const what = separationOf(turn) ?? (divergence === null ? '' : waysApart(turn, divergence));
    const more = also.length === 0 ? '' : `  + turn${also.length === 1 ? '' : 's'} ${also.join(', ')}`;
    const step = divergence === null ? null : stepOf(divergence);
    const place = withTurns ? `turn ${turn.turn}` : step === null ? '' : `step ${step}`;
    const runs = divergence === null ? '' : `${divergence.runs} of ${divergence.of}`;
    return [tellingName(session), wordOf(session), aspectsOf(row).join(', '), place, what, runs + more];
  }

  /** Sessions without a divergence: in doubt, in other words, or differing as the recordings do. */
  others(sessions: readonly SessionResult[], report: Report): void {
    this.#blank();
    this.#rows(
      sessions.map((session) => ({
        session,
        cells: [tellingName(session), verdictWord(session), '', '', this.#doubt(session), runsApart(session, report)],
      })),
      sessions.length,
      MAX_WHAT_LINES,
    );
    const edits = sessions.flatMap(({ turns }) => turns.flatMap(({ comparison }) => comparison.edit ?? []));
    for (const edit of new Map(edits.map((each) => [each.detail, each])).values()) this.#why(edit, 'likely ');
    if (sessions.some(isUnread)) this.#line('other words: read both answers, whole in the report', INDENT, 'dim');
  }

  /** How its runs part, or why nothing can be told of it. What its problem is, stands below once for all sessions. */
  #doubt(session: SessionResult): string {
    const turn = decisiveTurn(session);
    const [fork] = turn !== undefined && session.verdict === 'varies' ? forkLines(turn) : [];
    const problem = session.problems[0] ?? turn?.problems[0];
    const isBelow = this.#options.printed === undefined && problem !== undefined && isDoubt(session.verdict);
    return fork ?? (isBelow ? problem.code : summary(session));
  }

  /** @param lines that the cell of what differs may take */
  #rows(rows: readonly Row[], total: number, lines = 1): void {
    const safe = rows.map(({ session, cells }) => ({ session, cells: cells.map(forTerminal) }));
    const widths = safe[0]?.cells.map((_, column) =>
      widest(
        safe.map(({ cells }) => cells[column] as string),
        column === 0 ? MAX_NAME_WIDTH : this.#columns,
      ),
    ) as number[];
    const room = () =>
      this.#columns - widths.reduce((sum, width, at) => sum + (width > 0 && at !== WHAT ? width + GAP.length : 0), 2);
    const wanted = Math.min(widths[WHAT] as number, MIN_COLUMN);
    for (const spare of SPARE) if (room() < wanted) widths[spare] = 0;
    widths[WHAT] = Math.max(Math.min(widths[WHAT] as number, room()), MIN_WIDTH);
    const isFolded = this.#options.isGrouped === true && rows.length > MAX_OPEN_ROWS;
    for (const [index, { session, cells }] of safe.entries()) {
      if (isFolded && index === MAX_OPEN_ROWS)
        this.#lines.push(`::group::${counted(rows.length - index, 'more session')} of ${total}`);
      const { sign, colour } = lookOf(session);
      const [what = '', ...more] = lines > 1 ? wrap(cells[WHAT] as string, widths[WHAT] as number) : [];
      const shown = cells.flatMap((cell, at) => {
        const width = widths[at] as number;
        return width === 0 ? [] : [pad(fit(at === WHAT && lines > 1 ? what : cell, width), width)];
      });
      this.#lines.push(`${this.#paint(colour, sign)} ${fit(shown.join(GAP), this.#columns - 2)}`.trimEnd());
      const before = widths.slice(0, WHAT).filter((width) => width > 0);
      const indent = ' '.repeat(before.reduce((sum, width) => sum + width + GAP.length, 2));
      const rest = more.length < lines ? more : [...more.slice(0, lines - 2), more.slice(lines - 2).join(' ')];
      for (const line of rest) this.#lines.push(indent + fit(forTerminal(line), widths[WHAT] as number));
    }
    if (isFolded) this.#lines.push('::endgroup::');
  }

  session(session: SessionResult, report: Report): void {
    const { sign, colour } = lookOf(session);
    this.#blank();
    const told = verdictWord(session);
    this.#line(`${sign} ${sessionName(session)}: ${told}`, '', [colour, 'bold'] as Style);
    if (session.title !== undefined) this.#line(session.title, INDENT, 'dim');
    for (const turn of session.turns) this.#turn(turn, session);
    for (const problem of session.problems) this.problem(problem, INDENT);
    for (const line of toolsLine(report, session)) this.#line(line, INDENT, 'dim');
    this.#line(`rerun: ${rerunCommand(session, report)}`, INDENT, 'dim', false);
  }

  #turn(turn: TurnResult, session: SessionResult): void {
    for (const text of turnStory(turn, session, NONE_QUOTED)) this.#line(text, INDENT);
    for (const { runs, ...problem } of turn.problems) {
      this.problem(problem, INDENT, `turn ${turn.turn}, ${runNumbers(runs)}: `);
    }
  }

  /** @param where put before the message */
  problem({ code, message, evidence, hint, location }: Problem, indent: string, where = ''): void {
    if (indent === '') this.#blank();
    this.#line(`${code} ${where}${message}`, indent, 'yellow');
    // If many sessions fail alike, only the first one shows the evidence.
    const story = JSON.stringify([code, message, location, evidence[0]]);
    if (indent !== '' && this.#told.has(story)) return;
    this.#told.add(story);
    if (location !== undefined) this.#line(`at ${placeOf(location)}`, indent + INDENT, 'dim', false);
    const room = indent === '' ? MAX_LINES_OF_THE_RUN : MAX_EVIDENCE_LINES;
    const left = evidence.length - room;
    for (const text of evidence.slice(-room)) {
      for (const line of linesForTerminal(text)) this.#line(line, `${indent}  │ `, 'dim', false);
    }
    if (left > 0) this.#line(`${left} earlier lines are in the report`, `${indent}  │ `, 'dim');
    if (hint !== undefined) this.#line(`→ ${hint}`, indent + INDENT);
  }

  /** Printed once for all sessions that it concerns. */
  alike({ problem, count, sessions }: Alike): void {
    const [first, second] = sessions.map(sessionName);
    const more = sessions.length > 2 ? ` and ${counted(sessions.length - 2, 'other')}` : '';
    const names = [first, second].filter((name) => name !== undefined).join(', ');
    this.problem(problem, '', `${counted(count, 'replay')} of ${names}${more}: `);
  }

  noise(sessions: readonly SessionResult[]): void {
    const lines = [...new Set(sessions.flatMap(({ turns }) => turns.flatMap(noiseLines)))];
    if (lines.length > 0) this.#blank();
    const shown = this.#options.isVerbose === true ? lines : lines.slice(0, MAX_NOISE);
    for (const line of shown) this.#line(line, '', 'dim');
    const left = lines.length - shown.length;
    if (left > 0) this.#line(`${left} more places vary: see the report`, '', 'dim');
  }

  /** @param told sessions of which something has been told */
  closing(report: Report, groups: readonly CauseGroup[], told: readonly SessionResult[]): void {
    const { status, message } = gateOf(report);
    const { sign, plural, colour } = OUTCOMES['as-recorded'];
    const sound = report.results.sessions.length - told.length;
    const more = told.some(({ verdict }) => isAsRecorded(verdict)) ? 'more ' : '';
    if (told.length > 0 || this.#lines.length > HEADING) this.#blank();
    if (sound > 0 && told.length > 0) this.#line(`${sign} ${sound} ${more}${plural}`, '', colour);
    const isToChoose = status === 'failed' && groups.length > 0;
    if (isToChoose) this.#choices(report, groups);
    else this.#line(message, INDENT);
    for (const note of notesOf(report)) this.#line(note, INDENT);
    this.#dim(gateFigures(report));
    if (isToChoose) this.#blank();
    if (status !== 'passed' || this.#lines.length > SHORT) this.#verdict(report);
  }

  /** What to do, as commands that are printed once. */
  #choices(report: Report, groups: readonly CauseGroup[]): void {
    const failing = groups.flatMap(({ rows }) => rows).filter(({ turn }) => turn.level === 'error');
    const dir = report.evidence.outputDir ?? '.agent-replay';
    const forks = failing.flatMap(({ session, turn }) => modelCommand(turn, session, report) ?? []);
    const [tested] = failing.filter(({ turn }) => mayBeChance(turn));
    const { offline } = report.evidence;
    const turns = failing.map(({ turn }) => turn);
    // Only what a model and its tools said can be accepted.
    const isAtCalls = !offline && endedAtCalls(turns);
    const again = offline ? ['run'] : ['run', '--last-failed', '--tools', 'live'];
    const wanted = offline || isAtCalls ? again : ['accept', ...acceptFlags(turns)];
    const choices = [
      ['wanted?', commandOn(report, wanted)],
      ['unsure?', `open ${dir}/report.html`],
      ['rerun', commandOn(report, ['run', '--last-failed', ...(offline ? ['--offline'] : [])])],
      ...forks.slice(0, 1).map((fork) => ['is it the model?', fork]),
      ...(tested === undefined ? [] : [['record it more often', commandOn(report, moreRecordings(tested.session))]]),
    ] as [string, string][];
    const width = widest(
      choices.map(([label]) => label),
      this.#columns,
    );
    for (const [label, command] of choices) this.#line(`${pad(label, width)}  ${command}`, '', 'dim', false);
    if (isAtCalls) this.#line('wanted: in that run the tools act for real; then accept it', INDENT, 'dim');
    const advice = adviceIn(failing);
    if (advice !== undefined) this.#line(advice, INDENT);
  }

  #verdict(report: Report): void {
    const { status, title } = gateOf(report);
    const named = title.startsWith(status) ? title : `${status}: ${title}`;
    this.#line(`${STATUS_SIGNS[status]} ${named}`, '', [STATUS_STYLES[status], 'bold'] as Style);
  }

  #blank(): void {
    if (this.#lines.length > 0) this.#lines.push('');
  }

  /** @param wrapped false for text that is meant to be copied as it is */
  #line(text: string, indent: string, style?: Style, wrapped = true): void {
    const safe = forTerminal(text);
    const lines = wrapped ? wrap(safe, this.#columns - indent.length) : [safe];
    // A line break can move `::` to the start of a line, so each line is made safe again.
    for (const [at, line] of lines.map(forTerminal).entries()) {
      const before = at === 0 ? indent : indent.replaceAll(/[^│]/g, ' ');
      this.#lines.push(before + (style === undefined ? line : this.#paint(style, line)));
    }
  }
}

/** The aspect that the row tells of, behind *did* if that has diverged, too: runs can part on the way to another effect. */
function aspectsOf({ turn }: CauseRow): string[] {
  const { aspects, divergence } = turn.comparison;
  const told =
    separationOf(turn) === undefined
      ? divergence?.aspect
      : COMPARED_ASPECTS.find((each) => isDiverged(aspects[each].outcome));
  return COMPARED_ASPECTS.filter((each) => each === told || (each === 'did' && isDiverged(aspects.did.outcome)));
}

/** What differs; where runs do several other things, each with its number of runs. */
function waysApart(turn: TurnResult, divergence: Divergence): string {
  const fork = forksOf(turn).find(({ step }) => step === stepOf(divergence));
  const ways = fork?.branches.filter(({ recorded }) => !recorded) ?? [];
  if (ways.length < 2 || divergence.runs === divergence.of) return whatOf(divergence);
  return ways.map(({ label, runs }) => `${label} in ${runs.length}`).join(', ');
}

/** The verdict where it is not what each row of a cause says anyway. */
function wordOf(session: SessionResult): string {
  const word = verdictWord(session);
  return word === 'changed' ? '' : word;
}
