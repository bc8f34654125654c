import { styleText } from 'node:util';
import { OUTCOMES, type Outcome, outcomeWord } from '../../compare/index.ts';
import { counted, forMarkdownBlock, forTerminal, percent } from '../../text/index.ts';
import { fit, pad, widest } from '../columns.ts';
import type { Report } from '../schema.ts';
import { driftBadge, driftWords } from '../words/drift-words.ts';
import { nameOfPin } from '../words/words.ts';
import { withDrift } from './drift.ts';
import { type History, type HistoryEntry, historyEntryOf, parseHistory } from './history-entry.ts';
import { SHOWN_RUNS, since, sparkline, type Trend, type TrendPoint, trendsOf } from './trend.ts';

type TrendOptions = NonNullable<Parameters<typeof trendsOf>[1]>;

/** Wider than a terminal: GitHub scrolls. */
const MARKDOWN_COLUMNS = 140;
/** A summary is for a glance. */
const MAX_LINES = 60;

/** Runs of the same sessions over time, oldest first. */
export class RunHistory implements History {
  readonly entries: readonly HistoryEntry[];
  /** Lines of its file that are not runs. */
  readonly unreadable: number;

  constructor({ entries, unreadable }: History = { entries: [], unreadable: 0 }) {
    this.entries = entries;
    this.unreadable = unreadable;
  }

  /** @param text one JSON object per line; a line that cannot be read does not affect the others */
  static parse(text: string): RunHistory {
    return new RunHistory(parseHistory(text));
  }

  /** What it keeps of a further run: the object of one line. */
  entryOf(report: Report): HistoryEntry {
    return historyEntryOf(report, this.entries);
  }

  judged(report: Report): Report {
    return withDrift(report, this.entries);
  }

  /** How each session did, by default over the latest 30 runs. */
  trends(options?: TrendOptions): Trend[] {
    return trendsOf(this.entries, options);
  }

  /** For a terminal. */
  table(options?: HistoryTableOptions): string {
    return renderHistory(this, options);
  }

  /** The drift up to the latest run, as text for an endpoint badge of shields.io. */
  badge(): string {
    return JSON.stringify(driftBadge(this.entries.at(-1)?.drift));
  }

  /** The table for a page on GitHub, folded. */
  markdown(): string {
    const [title = '', ...lines] = this.table({ columns: MARKDOWN_COLUMNS }).trimEnd().split('\n');
    const left = lines.length - MAX_LINES;
    const more = left > 0 ? [`and ${counted(left, 'more line')}, see the history`] : [];
    const block = forMarkdownBlock([...lines.slice(0, MAX_LINES), ...more].join('\n'));
    return `<details><summary>Over time: ${title}</summary>\n\n${block}\n\n</details>`;
  }
}

interface HistoryTableOptions {
  /** Only this session, run by run: by its id, or the name or path of its pin. */
  readonly session?: string;
  /** Only this many runs, the latest. */
  readonly last?: number;
  readonly colour?: boolean;
  /** Width of the terminal; default 100. */
  readonly columns?: number;
}

const DEFAULT_COLUMNS = 100;
const MAX_NAME_WIDTH = 40;
const GAP = '  ';
/** Enough characters to recognise a commit. */
const COMMIT_CHARS = 9;

/** How sessions did over time, for a terminal: one row per session, or per run of a single session. */
export function renderHistory(
  { entries, unreadable }: History,
  { session, last = SHOWN_RUNS, colour = false, columns = DEFAULT_COLUMNS }: HistoryTableOptions = {},
): string {
  const runs = entries.slice(-last);
  const trends = trendsOf(runs, { last, session });
  const [only] = session === undefined ? [] : trends;
  const [first, latest] = [runs[0], runs.at(-1)].map((run) => run?.startedAt.slice(0, 10));
  const title = runs.length === 0 ? 'no run' : `${counted(runs.length, 'run')}, ${first} to ${latest}`;
  return [
    `${title}${unreadable > 0 ? `; ${counted(unreadable, 'line')} could not be read` : ''}`,
    ...(only === undefined ? sessionRows(trends, columns) : runRows(only, columns)).map((row) => line(row, colour)),
    ...(only === undefined ? driftLines(runs) : []),
    '',
  ].join('\n');
}

interface Row {
  /** Undefined in the row of column heads. */
  readonly verdict: Outcome | undefined;
  readonly text: string;
}

function sessionRows(trends: readonly Trend[], columns: number): Row[] {
  const rows = trends.map((trend) => {
    const latest = trend.points.at(-1) as TrendPoint;
    const name = fit(forTerminal(nameOfPin(trend.pin)), MAX_NAME_WIDTH);
    return { verdict: latest.verdict, cells: [name, ...figuresOf(latest), whenOf(since(trend))], trend };
  });
  const heads = ['session', 'verdict', 'as recorded', 'agreement', 'since'];
  const aligned = align(heads, rows, columns);
  return aligned.map(({ verdict, text }, index) => {
    // If the trend is longer than the space left, the latest runs are shown.
    const room = Math.max(1, columns - 2 - widest([`${text}${GAP}`], columns));
    const trend = rows[index - 1]?.trend.points.slice(-room) ?? [];
    return { verdict, text: `${text}${GAP}${index === 0 ? 'over time' : sparkline(trend)}` };
  });
}

/** No single run is red because of a slow drift: the nights show it together. */
function driftLines(runs: History['entries']): string[] {
  const told = (runs.at(-1)?.drift ?? []).map((each) => forTerminal(driftWords(each)));
  return told.length === 0 ? [] : ['', ...told];
}

function runRows({ points }: Trend, columns: number): Row[] {
  const rows = points.map((point) => ({
    verdict: point.verdict,
    cells: [whenOf(point), ...figuresOf(point), sparkline([point]), forTerminal(point.models.join(', '))],
  }));
  return align(['run', 'verdict', 'as recorded', 'agreement', '', 'models'], rows, columns);
}

function figuresOf({ verdict, asRecorded, n, agreement }: TrendPoint): string[] {
  return [outcomeWord(verdict), `${asRecorded}/${n}`, percent(agreement)];
}

function whenOf({ startedAt, commit }: TrendPoint): string {
  const day = startedAt.slice(0, 16).replace('T', ' ');
  return forTerminal(commit === undefined ? day : `${day} ${commit.slice(0, COMMIT_CHARS)}`);
}

function align(
  heads: readonly string[],
  rows: readonly { readonly verdict: Outcome; readonly cells: readonly string[] }[],
  columns: number,
): Row[] {
  const widths = heads.map((head, column) => widest([head, ...rows.map(({ cells }) => cells[column] ?? '')], columns));
  const text = (cells: readonly string[]) => cells.map((cell, column) => pad(cell, widths[column] ?? 0)).join(GAP);
  return [
    { verdict: undefined, text: text(heads) },
    ...rows.map(({ verdict, cells }) => ({ verdict, text: text(cells) })),
  ];
}

function line({ verdict, text }: Row, colour: boolean): string {
  const plain = `${verdict === undefined ? ' ' : OUTCOMES[verdict].sign} ${text}`.trimEnd();
  if (!colour) return plain;
  return styleText(verdict === undefined ? 'dim' : OUTCOMES[verdict].colour, plain, { validateStream: false });
}
