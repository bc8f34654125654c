import { expect, test } from 'vitest';
import { type ConfigInput, parseConfig } from '../../src/config/index.ts';
import type { Finding } from '../../src/job/judging/finding.ts';
import { Ledger, type LedgerPart } from '../../src/job/judging/ledger.ts';
import type { PlannedSession, RunScope } from '../../src/job/judging/run-scope.ts';
import { settingsOf } from '../../src/job/judging/run-settings.ts';
import { aboutRun } from '../../src/job/running/about.ts';
import type { FurtherRuns } from '../../src/replay/index.ts';
import type { Report } from '../../src/report/index.ts';
import type { PinnedTurn } from '../../src/session/index.ts';
import type { Recording } from '../../src/trace/index.ts';

/** A run by the tools that it calls; its answer is the same each time. */
type Way = readonly string[];

function recordingOf(way: Way): Recording {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const root = { id: 'r', parentId: null, type: 'agent' as const, name: 'turn', input: 'hi', output: 'done' };
  const tools = way.map((name, index) => ({
    ...{ id: `t${index}`, parentId: 'r', type: 'tool' as const, name, input: {}, output: 'found' },
    ...{ startTime: at(index + 1), endTime: at(index + 2) },
  }));
  return { output: 'done', observations: [{ ...root, startTime: at(0), endTime: at(100) }, ...tools] };
}

const [A, B]: [Way, Way] = [
  ['look', 'pay'],
  ['look', 'look', 'pay'],
];
/** In turn, so that both sides hold as many of each. */
const mixed = (count: number): Way[] => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? A : B));
const all = (count: number, way: Way): Way[] => Array.from({ length: count }, () => way);

interface Played {
  readonly made: readonly Way[];
  readonly replays: readonly Way[];
}

function scopeOf(sessions: readonly Played[]): RunScope {
  return {
    runs: [1, 2, 3, 4, 5],
    problems: [],
    sessions: sessions.map(({ made }, index) => ({
      pin: {
        path: `replays/s${index}.session.json`,
        session: {
          ...{ version: 1, stepsVersion: 1, id: `s${index}` },
          turns: [
            {
              request: { input: 'hi' },
              recorded: recordingOf(A),
              baselines: made.map((way, run) => ({
                ...recordingOf(way),
                made: { at: '2026-01-01T00:00:00.000Z', run: run + 1, models: ['m-1'] },
              })),
            },
          ],
        },
      },
      turns: [1],
      runs: [1, 2, 3, 4, 5],
      problems: [],
    })),
  };
}

function finding(session: string, run: number, way: Way): Finding {
  const outcome = { kind: 'replayed', recording: recordingOf(way) } as const;
  return { session, turn: 1, run, outcome, replayRunId: 'x', attempts: 1, callMs: 1 };
}

/** A whole run: five replays of each session, then the second looks that are asked for. */
function judged(
  sessions: readonly Played[],
  config: Partial<ConfigInput> = {},
  part?: LedgerPart,
): { results: Report['results']; looks: readonly FurtherRuns[] } {
  const settings = settingsOf(parseConfig({ runs: 5, ...config }, { folder: '/' }));
  const ledger = new Ledger(settings, scopeOf(sessions), part);
  const take = (session: number, run: number) =>
    ledger.take(finding(`s${session}`, run, sessions[session]?.replays[run - 1] ?? A));
  for (const session of sessions.keys()) for (let run = 1; run <= 5; run++) take(session, run);
  const looks = ledger.secondLooks(sessions.map((_, index) => `s${index}`));
  for (const { session, from, to } of looks) for (let run = from; run <= to; run++) take(Number(session.slice(1)), run);
  ledger.close();
  return { looks, results: ledger.report({ about: aboutRun({ agents: [] }), durationMs: 1 }).results };
}

const verdictsOf = ({ sessions }: Report['results']) => sessions.map(({ verdict, level }) => `${verdict} ${level}`);

test('runs that differ as the recordings do vary, and are looked at once', () => {
  const { results, looks } = judged([{ made: mixed(10), replays: mixed(5) }]);
  expect(looks).toEqual([]);
  expect(verdictsOf(results)).toEqual(['varies off']);
  expect(results).toMatchObject({ status: 'passed', title: '1 of 1 session varies as recorded' });
  expect(results.sessions[0]?.turns[0]?.comparison.divergence).toBeNull();
});

test('a turn that shifted is looked at again, up to 20 replays, and fails', () => {
  const { results, looks } = judged([
    { made: mixed(10), replays: all(20, ['look']) },
    { made: mixed(10), replays: mixed(20) },
  ]);
  expect(looks).toContainEqual({ session: 's0', turns: [1], from: 11, to: 20 });
  expect(verdictsOf(results)[0]).toBe('changed error');
  expect(results.status).toBe('failed');
  expect(results.sessions[0]?.turns[0]?.shift).toMatchObject({
    state: 'shifted',
    separation: expect.arrayContaining(['no replay calls pay, and all 10 recordings do']),
  });
});

test('where the recordings all agree, one replay that does not is flaky, a warning, and worth a second look', () => {
  const { results, looks } = judged([{ made: all(10, A), replays: [...all(4, A), B, ...all(15, A)] }]);
  expect(looks).toEqual([{ session: 's0', turns: [1], from: 6, to: 20 }]);
  expect(verdictsOf(results)).toEqual(['flaky warn']);
  expect(
    judged([{ made: all(10, A), replays: [...all(4, A), B] }], { failOn: { flaky: 'error' } }).results.status,
  ).toBe('failed');
});

test('a session is judged by shift from five recordings on that runs made, unless its gate is set', () => {
  const gates = (made: number, config: Partial<ConfigInput> = {}) =>
    judged([{ made: mixed(made), replays: mixed(5) }], config).results;
  expect(gates(4).gates).toBeUndefined();
  expect(gates(4).sessions[0]).not.toHaveProperty('gate');
  expect(gates(5)).toMatchObject({
    gates: '1 session by shift (5 or more recordings made by runs).',
    sessions: [{ gate: 'shift', recordings: { oldest: '2026-01-01T00:00:00.000Z', models: ['m-1'] } }],
  });
  expect(gates(5, { gate: 'every-run' })).toMatchObject({
    gates: '1 session run by run (gate: every-run is set).',
    sessions: [{ verdict: 'flaky' }],
  });
  expect(gates(0, { gate: 'shift' }).gates).toContain('only the original, which somebody chose');
});

test('what fails whatever the tests say, fails in one replay; of a mutating tool it is an alarm', () => {
  const once = [A, B, [...A, 'pay'], A, B];
  const tools = (rules: object) => ({ compare: { tools: { pay: rules } } });
  const critical = judged([{ made: mixed(10), replays: once }], tools({ critical: true })).results;
  expect(verdictsOf(critical)).toEqual(['changed error']);
  expect(critical.sessions[0]?.turns[0]?.events).toMatchObject([{ kind: 'more-often', fails: true, runs: [3] }]);
  const alarm = judged([{ made: mixed(10), replays: [...once, ...mixed(15)] }], tools({ mutating: true }));
  expect(alarm.looks).toHaveLength(1);
  expect(verdictsOf(alarm.results)).toEqual(['varies warn']);
  expect(alarm.results.title).toBe('1 of 1 session raises an alarm');
});

test('with stopEarly a session ends in the run that does what must not be, and no other session by shift ends early', () => {
  const once = { made: mixed(10), replays: [A, B, [...A, 'pay'], A, B] };
  const config = { stopEarly: 'status', compare: { tools: { pay: { critical: true } } } } as const;
  const { results, looks } = judged([once, { made: mixed(10), replays: mixed(5) }], config);
  expect(looks).toEqual([]);
  expect(verdictsOf(results)).toEqual(['changed error', 'varies off']);
  const [red, other] = results.sessions.map(({ turns }) => turns[0]);
  expect(red?.comparison).toMatchObject({ conclusive: 3, requested: 5, stopped: { after: 3, certain: 'verdict' } });
  expect(red).not.toHaveProperty('shift');
  expect(other?.comparison).toMatchObject({ conclusive: 5, stopped: null });
  // That no replay calls it is known when all of them are there.
  const never = judged([{ made: all(10, A), replays: all(20, ['look']) }], config).results;
  expect(never.sessions[0]?.turns[0]).toMatchObject({ events: [{ kind: 'never' }], comparison: { stopped: null } });
});

test('other turns of a session that ended early are not verified, whatever order the replays came in', () => {
  const config = { runs: 5, stopEarly: 'status', compare: { tools: { pay: { critical: true } } } } as const;
  const scope = scopeOf([{ made: mixed(10), replays: [] }]);
  const [session] = scope.sessions;
  const [first] = session?.pin.session.turns ?? [];
  session?.pin.session.turns.push(first as PinnedTurn);
  const report = (order: readonly number[]) => {
    const settings = settingsOf(parseConfig(config, { folder: '/' }));
    const ledger = new Ledger(settings, { ...scope, sessions: [{ ...(session as PlannedSession), turns: [1, 2] }] });
    for (const run of order) {
      ledger.take({ ...finding('s0', run, run === 2 ? [...A, 'pay'] : A), turn: 1 });
      ledger.take({ ...finding('s0', run, ['look']), turn: 2 });
    }
    ledger.close();
    return ledger.report({ about: aboutRun({ agents: [] }), durationMs: 1 }).results;
  };
  const results = report([1, 2, 3, 4, 5]);
  expect(results.status).toBe('failed');
  expect(results.sessions[0]?.turns.map(({ comparison: { verdict, note } }) => [verdict, note])).toEqual([
    ['changed', expect.stringContaining('pay')],
    ['inconclusive', 'stopped after 2 of 5'],
  ]);
  expect(report([5, 3, 2, 4, 1])).toEqual(results);
});

test('a part of a run leaves to the merge what has shifted by its p', () => {
  const shifted = [{ made: mixed(10), replays: all(20, ['look']) }];
  const { results, looks } = judged(shifted, {}, { isPart: true });
  expect(looks).toHaveLength(1);
  expect(verdictsOf(results)).toEqual(['varies warn']);
  expect(results.shift).toMatchObject({ isPart: true, suites: [] });
});

test('with three recordings of many turns no turn can be red by its p, and that is said', () => {
  const { results } = judged(
    Array.from({ length: 18 }, () => ({ made: mixed(3), replays: mixed(5) })),
    { gate: 'shift' },
  );
  expect(results.shift?.reach).toMatchObject({ recordings: 4 });
});
