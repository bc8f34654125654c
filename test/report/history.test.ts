import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/report/history/history-entry.ts';
import { historyEntryOf, parseHistory } from '../../src/report/history/history-entry.ts';
import { RunHistory, renderHistory } from '../../src/report/history/run-history.ts';
import { trendsOf } from '../../src/report/history/trend.ts';
import type { Report } from '../../src/report/index.ts';
import { gateLines } from '../../src/report/words/shift-words.ts';
import type { UnitMarks } from '../../src/shift/shift-result.ts';
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

/** A night of a live agent whose replays are as far from the recordings as given, in thousandths. */
function night(day: number, replayed: number, over: Partial<UnitMarks> = {}): Report {
  const marks = Array.from({ length: 4 }, (_, index) => ({
    ...{
      id: `id-refund ${index + 1}`,
      key: 'k',
      recorded: places(3, 100 + index),
      replayed: places(2, replayed + day),
    },
    ...over,
  }));
  const shift = { varying: 4, recordings: 5, reach: null, suites: [], marks, gatesDrift: true };
  const startedAt = new Date(Date.UTC(2026, 10, 1 + day, 2)).toISOString();
  const made = session('refund', { gate: 'shift', turns: [turn({ verdict: outcomes.asRecorded, clusters: [5] })] });
  return report([made], { shift, evidence: { startedAt } });
}

function places(count: number, calls: number): [number, number][] {
  return Array.from({ length: count }, (_, index) => [calls + index, 0]);
}

/** Nights in which the agent is each time as far away as given. */
function nights(away: readonly number[]): RunHistory {
  return away.reduce((history, replayed, day) => withNight(history, night(day, replayed)), new RunHistory());
}

function withNight({ entries }: RunHistory, made: Report): RunHistory {
  const entry = historyEntryOf(made, entries);
  return new RunHistory({ entries: [...entries, entry], unreadable: 0 });
}

test('nights of an agent that has moved away add up to an alarm, which names sessions and fails where that is wanted', () => {
  const history = nights([90, 95, 92, 97, 91, 600, 600, 600]);
  const quiet = nights([90, 95, 92, 97]).judged(night(4, 91));
  expect(quiet.results).toMatchObject({ status: 'passed', drift: [{ nights: 5, isAlarm: false, fails: false }] });
  expect(gateLines(quiet)).toContainEqual(
    expect.stringMatching(/^Drift over 5 nights: none seen, 1 : 0\.\d+ \(alarm at 1 : 100\)\.$/),
  );
  const loud = history.judged(night(8, 900));
  expect(loud.results).toMatchObject({
    status: 'failed',
    drift: [{ nights: 9, isAlarm: true, channel: 'calls', sessions: ['refund'], fails: true }],
  });
  expect(loud.results.title).toContain('has drifted over nights');
  expect(gateLines(loud).join()).toMatch(
    /Drift over 9 nights: evidence 1 : \d+ \(alarm at 1 : 100\), since 2026-11-0\d/,
  );
  const nine = withNight(history, night(8, 900));
  expect(renderHistory(nine)).toContain('Drift over 9 nights: evidence 1 : ');
  const badge = JSON.parse(nine.badge());
  expect(badge).toEqual({
    schemaVersion: 1,
    label: 'drift',
    message: expect.stringMatching(/^1 : \d{3,}$/),
    color: 'red',
  });
  expect(JSON.parse(nights([90]).badge())).toMatchObject({ message: 'none seen', color: 'brightgreen' });
});

test('a history keeps its nights through its file, and begins anew with other recordings, but not with a run of few sessions', () => {
  const history = nights([90, 600, 600, 600]);
  const read = RunHistory.parse(text(history.entries));
  expect(read.judged(night(4, 700))).toEqual(history.judged(night(4, 700)));
  expect(read.judged(night(4, 700, { key: 'other' })).results.drift).toMatchObject([{ nights: 1 }]);
  const few = night(4, 700);
  few.results.shift?.marks?.splice(1);
  expect(read.judged(few).results.drift).toMatchObject([{ nights: 5 }]);
});

test('a shard and an interrupted run are no night', () => {
  const made = night(1, 90);
  const shard = { index: 1, count: 2, by: 'sessions' } as const;
  expect(new RunHistory().judged({ ...made, evidence: { ...made.evidence, shard } }).results.drift).toBeUndefined();
  expect(
    new RunHistory().judged({ ...made, evidence: { ...made.evidence, interruptedBy: 'SIGINT' } }).results.drift,
  ).toBeUndefined();
});

test.each(PAYLOADS)('%j in names and commits is text in the table', (hostile) => {
  const made = session('x', {
    id: hostile,
    pin: `replays/${hostile}.session.json`,
    turns: [turn({ verdict: outcomes.asRecorded })],
  });
  const entries = [
    historyEntryOf(report([made], { evidence: { commit: hostile, branch: hostile, models: [hostile] } })),
  ];
  expect(renderHistory(parseHistory(text(entries))).split('\n')).toHaveLength(4);
  expect(renderHistory(parseHistory(text(entries)), { session: hostile })).not.toMatch(/\u001b|\u202e/);
});
