import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/report/history/history-entry.ts';
import { historyEntryOf, parseHistory } from '../../src/report/history/history-entry.ts';
import { renderHistory } from '../../src/report/history/history-table.ts';
import { trendsOf } from '../../src/report/history/trend.ts';
import { renderTrendSvg } from '../../src/report/history/trend-svg.ts';
import type { TurnShift } from '../../src/shift/index.ts';
import { outcomes } from '../outcomes.ts';
import { PAYLOADS } from './fixtures/hostile.ts';
import { REPORTS, report, SESSIONS, session, turn } from './fixtures/reports.ts';

/** Five nights: reproduced, and from the fourth on changed; a night without traces in between. */
const NIGHTS = (
  [
    [5, 5],
    [5, 5],
    [0, 0],
    [0, 5],
    [1, 5],
  ] as const
).map(([asRecorded, n], night): HistoryEntry => {
  const verdict =
    n === 0
      ? outcomes.couldNotTell
      : asRecorded === n
        ? outcomes.asRecorded
        : asRecorded === 0
          ? outcomes.changed
          : outcomes.varies;
  const clusters = n === 0 ? [0] : [asRecorded, n - asRecorded];
  const turns = [turn({ verdict, clusters })];
  const evidence = { startedAt: `2026-11-0${night + 1}T02:00:00.000Z`, commit: `${night}`.repeat(40), models: ['m-1'] };
  return historyEntryOf(report([session('refund', { turns })], { evidence }));
});
const text = (entries: readonly HistoryEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

test('a line of the history holds the figures of the turn that decides, and nothing that an agent said', () => {
  const { startedAt } = REPORTS.mixed.evidence;
  expect(historyEntryOf(report([SESSIONS.varies], { evidence: { commit: 'c0ffee', branch: 'main' } }))).toEqual({
    version: 1,
    startedAt,
    tool: '0.1.0',
    status: 'failed',
    commit: 'c0ffee',
    branch: 'main',
    runs: 5,
    strictness: 'behaviour',
    sessions: [
      {
        id: 'id-two-parcels',
        pin: 'replays/two-parcels.session.json',
        verdict: outcomes.varies,
        level: 'error',
        asRecorded: 3,
        n: 5,
        agreement: 0.4,
      },
    ],
  });
  const line = JSON.stringify(historyEntryOf(REPORTS.mixed));
  for (const said of ['gift_card_1', 'credit_card_9', 'Customer', 'TRACE_MISSING']) expect(line).not.toContain(said);
});

test('lines are read in the order of their runs; what is cut, foreign or newer is counted and costs no other line', () => {
  const [first = '', second = ''] = text(NIGHTS).split('\n');
  const newer = first.replace('"version":1', '"version":2');
  const read = parseHistory(`${second}\n\n${first.slice(0, 40)}\n[1]\n${newer}\n${first}\n`);
  expect(read.entries.map(({ startedAt }) => startedAt)).toEqual([
    '2026-11-01T02:00:00.000Z',
    '2026-11-02T02:00:00.000Z',
  ]);
  expect(read.unreadable).toBe(3);
});

test('a trend tells of each run how many were as recorded, and nothing where none could be compared', () => {
  const [trend] = trendsOf(NIGHTS);
  expect(trend?.points.map(({ share }) => share)).toEqual([1, 1, null, 0, 0.2]);
  expect(trendsOf(NIGHTS, { last: 2 })[0]?.points).toHaveLength(2);
  for (const name of ['id-refund', 'refund', 'replays/refund.session.json'])
    expect(trendsOf(NIGHTS, { session: name })).toHaveLength(1);
  expect(trendsOf(NIGHTS, { session: 'other' })).toEqual([]);
});

test('the table shows where each session stands, since when, and how it came there', () => {
  const shown = renderHistory(parseHistory(text(NIGHTS)));
  expect(shown).toBe(
    [
      '5 runs, 2026-11-01 to 2026-11-05',
      '  session  verdict  as recorded  agreement  since                       over time',
      '~ refund   varies   1/5          60 %       2026-11-05 02:00 444444444  ██·▁▂',
      '',
    ].join('\n'),
  );
  const one = renderHistory(parseHistory(text(NIGHTS)), { session: 'refund' }).split('\n');
  expect(one).toHaveLength(8);
  expect(one[5]).toBe('✘ 2026-11-04 02:00 333333333  changed         0/5          100 %      ▁  m-1');
});

test('of sessions judged by shift the history keeps p, and how far all of them together had shifted', () => {
  const shift: TurnShift = {
    ...({ state: 'as-before', speaks: 'calls' } as const),
    ...{
      recordings: 10,
      recordingsVary: true,
      adjusted: 1,
      p: 0.2,
      shift: 0.07,
      separation: [],
      rows: [],
    },
  };
  const suite = {
    state: 'as-before',
    p: 0.31,
    shift: 0.02,
    speaks: 'calls',
  } as const;
  const run = {
    ...{ varying: 1, recordings: 10, reach: null },
    suites: [{ ...suite, turns: 4, varying: 3 }],
  };
  const turns = [turn({ verdict: outcomes.asRecorded, clusters: [3, 2] }, { shift })];
  const entry = historyEntryOf(report([session('refund', { gate: 'shift', turns })], { shift: run }));
  expect(parseHistory(text([entry])).entries).toEqual([entry]);
  expect(entry).toMatchObject({ suites: [{ p: 0.31, shift: 0.02 }], sessions: [{ p: 0.2, shift: 0.07 }] });
  const history = { entries: [entry], unreadable: 0 };
  expect(renderHistory(history)).toMatch(
    /Shift of all sessions together\n {2}\d{4}-\d\d-\d\d \d\d:\d\d.*: 2 %, p = 0\.31\n/,
  );
  expect(renderHistory(history, { session: 'refund' })).toMatch(/agreement +p +shift +models\n.* 0\.2 +7 % /);
});

test('the chart is well-formed, draws a mark for each run, and leaves a gap where nothing is known', () => {
  const svg = renderTrendSvg(trendsOf(NIGHTS));
  expect(XMLValidator.validate(svg)).toBe(true);
  expect(svg.match(/<title>/g)).toHaveLength(5);
  expect(svg).toContain('<title>2026-11-04 333333333: changed, 0 of 5 runs as recorded</title>');
  // Two lines: before the night without traces, and after it.
  expect(/<path d="([^"]*)"/.exec(svg)?.[1]?.match(/M/g)).toHaveLength(2);
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(XMLValidator.validate(renderTrendSvg([]))).toBe(true);
});

test.each(PAYLOADS)('%j in names and commits is text, in the chart and in the table', (hostile) => {
  const made = session('x', {
    id: hostile,
    pin: `replays/${hostile}.session.json`,
    turns: [turn({ verdict: outcomes.asRecorded })],
  });
  const entries = [
    historyEntryOf(report([made], { evidence: { commit: hostile, branch: hostile, models: [hostile] } })),
  ];
  const svg = renderTrendSvg(trendsOf(entries));
  expect(XMLValidator.validate(svg)).toBe(true);
  const { svg: root } = new XMLParser({ ignoreAttributes: false }).parse(svg);
  expect(
    Object.keys(root)
      .filter((key) => !key.startsWith('@_'))
      .sort(),
  ).toEqual(['g', 'style', 'text']);
  expect(renderHistory(parseHistory(text(entries))).split('\n')).toHaveLength(4);
  expect(renderHistory(parseHistory(text(entries)), { session: hostile })).not.toMatch(/\u001b|\u202e/);
});

test('a hundred sessions over a year make a chart of bounded height, the ones that diverge first', () => {
  const sessions = Array.from({ length: 100 }, (_, index) =>
    session(`s${index}`, {
      turns: [turn(index === 99 ? { verdict: outcomes.changed, clusters: [0, 5] } : { verdict: outcomes.asRecorded })],
    }),
  );
  const svg = renderTrendSvg(trendsOf([historyEntryOf(report(sessions))]));
  expect(svg).toContain('and 60 more sessions');
  expect(svg.indexOf('>s99<')).toBeLessThan(svg.indexOf('>s0<'));
});
