import { markdownTable } from 'markdown-table';
import { type Judged, type Score, scoreOf } from './judged.ts';

/** The figures of judged pairs, by group and in sum, as Markdown. */
export function tableOf(all: readonly Judged[]): string {
  const rows = [...Map.groupBy(all, ({ pair }) => pair.group)].map(([group, of]) => rowOf(group, scoreOf(of)));
  return markdownTable(
    [
      ['group', 'pairs', 'found', 'missed', 'false alarms', 'recall', 'precision', 'not judged'],
      ...rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      rowOf('**all**', scoreOf(all)),
    ],
    { align: ['l', 'r', 'r', 'r', 'r', 'r', 'r', 'r'] },
  );
}

/** A share of 0 to 1 with two digits; empty where there is none. */
export function figure(share: number | null): string {
  return share === null ? '' : share.toFixed(2).replace(/^0/, '');
}

function rowOf(name: string, score: Score): string[] {
  return [
    name,
    String(score.pairs),
    String(score.found),
    String(score.missed),
    String(score.falseAlarms),
    figure(score.recall),
    figure(score.precision),
    String(score.meaning.open + score.openGreen),
  ];
}
