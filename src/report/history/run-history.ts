import type { Report } from '../schema.ts';
import { withDrift } from './drift.ts';
import { type History, type HistoryEntry, historyEntryOf, parseHistory } from './history-entry.ts';
import { type HistoryTableOptions, renderHistory } from './history-table.ts';
import { type Trend, trendsOf } from './trend.ts';
import { renderTrendMarkdown } from './trend-markdown.ts';

type TrendOptions = NonNullable<Parameters<typeof trendsOf>[1]>;

export class RunHistory implements History {
  readonly entries: readonly HistoryEntry[];
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

  trends(options?: TrendOptions): Trend[] {
    return trendsOf(this.entries, options);
  }

  table(options?: HistoryTableOptions): string {
    return renderHistory(this, options);
  }

  markdown(): string {
    return renderTrendMarkdown(this.trends());
  }
}
