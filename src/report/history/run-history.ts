import { counted, forMarkdownBlock } from '../../text/index.ts';
import type { Report } from '../schema.ts';
import { driftBadge } from '../words/drift-words.ts';
import { withDrift } from './drift.ts';
import { type History, type HistoryEntry, historyEntryOf, parseHistory } from './history-entry.ts';
import { type HistoryTableOptions, renderHistory } from './history-table.ts';
import { type Trend, trendsOf } from './trend.ts';

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
