import { styleText } from 'node:util';
import { fit, pad, widest, wrap } from '../../columns.ts';
import { counted } from '../../counted.ts';
import { forTerminal, linesForTerminal } from '../../untrusted.ts';
import { gateOf } from '../gate.ts';
import type { Problem, Report, SessionResult, Status, TurnResult } from '../schema.ts';
import { withSeen } from '../seen.ts';
import { significanceLines } from '../significance.ts';
import { type Alike, warningsIn } from '../view/alike.ts';
import { noiseLines } from '../view/learned.ts';
import { adviceFor } from './advice.ts';
import { gateLines, shiftStory } from './shift-words.ts';
import {
  agreement,
  asRecorded,
  decisiveTurn,
  forkCommand,
  forkLines,
  lesserStory,
  notesOf,
  placeOf,
  rerunCommand,
  runNumbers,
  STATUS_SIGNS,
  sessionName,
  sessionsWithStory,
  stopNote,
  summary,
  tellingName,
  toolsLine,
  usageLine,
  VERDICT_SIGNS,
  VERDICT_STYLES,
  verdictWord,
} from './words.ts';

export interface TerminalOptions {
  /** ANSI colours; default false. */
  readonly colour?: boolean;
  /** Width of the terminal; default 100. */
  readonly columns?: number;
  /** Only table and status, for a caller that has already printed the rest. */
  readonly isBrief?: boolean;
}

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

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
/** Longest name of a session in the table, so that the other columns have room. */
const MAX_NAME_WIDTH = 40;

/** The report for a terminal or a CI log: a table, the sessions that are not reproduced, and the status last. */
export function renderTerminal(
  report: Report,
  { colour = false, columns = DEFAULT_COLUMNS, isBrief = false }: TerminalOptions = {},
): string {
  const page = new Page(Math.max(columns, MIN_COLUMNS), painter(colour));
  const results = withSeen(report).results;
  page.gate(report);
  page.table(results.sessions, report);
  if (!isBrief) {
    for (const session of sessionsWithStory(results)) page.session(session, report);
    for (const problem of results.problems) page.problem(problem, '');
    for (const warning of warningsIn(results.sessions)) page.warning(warning);
    page.significance(report);
  }
  page.closing(report);
  return page.text();
}

export function painter(colour: boolean): Paint {
  return (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
}

const INDENT = '  ';
const GAP = '  ';
const GUTTER = '  ';
/** With less room than this a column is left out. */
const MIN_COLUMN = 12;

/** Collects the lines of the output. Every text passes through {@link forTerminal}. */
class Page {
  readonly #lines: string[] = [];
  readonly #told = new Set<string>();
  readonly #columns: number;
  readonly #paint: Paint;

  constructor(columns: number, paint: Paint) {
    this.#columns = columns;
    this.#paint = paint;
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  gate(report: Report): void {
    const lines = gateLines(report);
    for (const line of lines) this.#line(line, '', 'dim');
    if (lines.length > 0) this.#blank();
  }

  /** One row per session. The last column takes the rest of the width, and is cut there. */
  table(sessions: readonly SessionResult[], report: Report): void {
    if (sessions.length === 0) return;
    const rows = sessions.map((session) => {
      const verdict = session.verdict;
      const runs = asRecorded(session, report);
      const agreed = agreement(decisiveTurn(session));
      const cells = [tellingName(session), verdictWord(session), runs, agreed, summary(session)];
      return { verdict, cells: cells.map(forTerminal) };
    });
    const heads = ['session', 'verdict', 'as recorded', 'agreement', 'first divergence'];
    const widths = heads
      .slice(0, -1)
      .map((head, column) =>
        widest([head, ...rows.map(({ cells }) => cells[column]!)], column === 0 ? MAX_NAME_WIDTH : this.#columns),
      );
    const row = (cells: readonly string[]) =>
      cells.map((cell, column) => pad(fit(cell, widths[column] ?? this.#columns), widths[column] ?? 0));
    this.#row(' ', row(heads), () => 'dim');
    for (const { verdict, cells } of rows) {
      const style = VERDICT_STYLES[verdict];
      this.#row(VERDICT_SIGNS[verdict], row(cells), (column) => (column === 1 ? style : undefined), style);
    }
  }

  #row(
    sign: string,
    cells: readonly string[],
    styleOf: (column: number) => Style | undefined,
    signStyle?: Style,
  ): void {
    let left = this.#columns - GUTTER.length;
    const shown = cells.map((cell, column) => {
      const text = left >= Math.min(MIN_COLUMN, widest([cell], MIN_COLUMN)) ? fit(cell, left) : '';
      left -= widest([text], this.#columns) + GAP.length;
      const style = styleOf(column);
      return style === undefined ? text : this.#paint(style, text);
    });
    const start = signStyle === undefined ? sign : this.#paint(signStyle, sign);
    this.#lines.push(`${start} ${shown.join(GAP)}`.trimEnd());
  }

  session(session: SessionResult, report: Report): void {
    const { verdict } = session;
    this.#blank();
    const told = [verdictWord(session), ...stopNote(decisiveTurn(session))].join(', ');
    this.#line(`${VERDICT_SIGNS[verdict]} ${sessionName(session)}: ${told}`, '', [
      VERDICT_STYLES[verdict],
      'bold',
    ] as Style);
    if (session.title !== undefined) this.#line(session.title, INDENT, 'dim');
    for (const turn of session.turns) this.#turn(turn, session);
    for (const problem of session.problems) this.problem(problem, INDENT);
    for (const line of toolsLine(report, session)) this.#line(line, INDENT, 'dim');
    this.#line(`rerun: ${rerunCommand(session, report)}`, INDENT, 'dim', false);
    const [fork] = session.turns.flatMap((turn) => forkCommand(turn, session, report) ?? []);
    if (fork !== undefined) this.#line(`is it the model: ${fork}`, INDENT, 'dim', false);
  }

  #turn(turn: TurnResult, session: SessionResult): void {
    const { divergence, note, verdict, stopped } = turn.comparison;
    for (const text of shiftStory(turn)) this.#line(text, INDENT);
    if (divergence) this.#line(divergence.sentence, INDENT);
    for (const { runs, ...problem } of turn.problems) {
      this.problem(problem, INDENT, `turn ${turn.turn}, ${runNumbers(runs)}: `);
    }
    for (const fork of forkLines(turn)) this.#line(fork, INDENT, 'dim');
    for (const text of lesserStory(turn)) this.#line(text, INDENT);
    for (const noise of noiseLines(turn)) this.#line(noise, INDENT, 'dim');
    // The session's heading has already said that it was stopped.
    if (verdict !== 'reproduced' && note !== null && stopped === null)
      this.#line(`turn ${turn.turn}: ${note}`, INDENT, 'dim');
    const advice = adviceFor(turn, session);
    if (advice !== undefined) this.#line(advice, INDENT);
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
  warning({ problem, count, sessions }: Alike): void {
    const [first, second] = sessions.map(sessionName);
    const more = sessions.length > 2 ? ` and ${counted(sessions.length - 2, 'other')}` : '';
    const names = [first, second].filter((name) => name !== undefined).join(', ');
    this.problem(problem, '', `${counted(count, 'replay')} of ${names}${more}: `);
  }

  significance(report: Report): void {
    const lines = significanceLines(report);
    if (lines.length > 0) this.#blank();
    for (const line of lines) this.#line(line, '', 'dim');
  }

  closing(report: Report): void {
    const { status, title, message } = gateOf(report);
    this.#blank();
    this.#line(`${STATUS_SIGNS[status]} ${status}: ${title}`, '', [STATUS_STYLES[status], 'bold'] as Style);
    this.#line(message, INDENT);
    for (const note of notesOf(report)) this.#line(note, INDENT);
    this.#line(usageLine(report), INDENT, 'dim');
  }

  #blank(): void {
    if (this.#lines.length > 0) this.#lines.push('');
  }

  /** @param wrapped false for text that is meant to be copied as it is */
  #line(text: string, indent: string, style?: Style, wrapped = true): void {
    const safe = forTerminal(text);
    const lines = wrapped ? wrap(safe, this.#columns - indent.length) : [safe];
    // A line break can move `::` to the start of a line, so each line is made safe again.
    for (const line of lines.map(forTerminal))
      this.#lines.push(indent + (style === undefined ? line : this.#paint(style, line)));
  }
}
