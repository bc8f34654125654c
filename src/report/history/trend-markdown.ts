import { markdownTable } from 'markdown-table';
import { OUTCOMES, outcomeWord } from '../../compare/index.ts';
import { counted, forMarkdownCell, percent } from '../../text/index.ts';
import { nameOfPin } from '../words/words.ts';
import { since, sparkline, type Trend, type TrendPoint } from './trend.ts';

/** A summary is for a glance: further sessions are only counted. */
const MAX_ROWS = 50;

/** How sessions did over time, folded, one row per session, for a page on GitHub. */
export function renderTrendMarkdown(trends: readonly Trend[]): string {
  const rows = trends.slice(0, MAX_ROWS).map((trend) => {
    const { verdict, agreement } = trend.points.at(-1) as TrendPoint;
    const name = forMarkdownCell(nameOfPin(trend.pin));
    const day = since(trend).startedAt.slice(0, 10);
    return [
      name,
      `${OUTCOMES[verdict].sign} ${outcomeWord(verdict)}`,
      percent(agreement),
      day,
      sparkline(trend.points),
    ];
  });
  const left = trends.length - rows.length;
  return [
    `<details><summary>Over time: ${counted(trends.length, 'session')}</summary>`,
    markdownTable([['session', 'verdict', 'agreement', 'since', 'runs as recorded'], ...rows], {
      alignDelimiters: false,
    }),
    ...(left > 0 ? [`${left} more, see the history.`] : []),
    '</details>',
  ].join('\n\n');
}
