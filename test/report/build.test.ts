import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import { buildReport, parseReport, report as reportSchema, toProblem, withSeen } from '../../src/report/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { messageFrom } from '../whole-message.ts';
import { parts, REPORTS, report, SESSIONS, STRICT, session, turn, UNREADABLE_PIN } from './fixtures/reports.ts';
import { renderJson } from './rendered.ts';

const NOT_VALID = new AgentReplayError('PIN_INVALID', 'replays/a.session.json is not valid');

test.each(Object.entries(REPORTS))('the sample report %s is valid', (_, sample) => {
  expect(reportSchema.parse(sample)).toEqual(sample);
});

test('results are the same bytes in whatever order sessions, turns, failures and problems came', () => {
  const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
  const { turns: flakyTurns } = SESSIONS.varies;
  const failures = [5, 2, 4].map((run) => ({
    run,
    error: new AgentReplayError(run === 2 ? 'CALL_TIMEOUT' : 'TRACE_MISSING', `run ${run}`),
  }));
  const results = (made: ReturnType<typeof report>) => JSON.stringify(JSON.parse(renderJson(made)).results);
  const build = (order: {
    sessions: typeof sessions;
    problems: typeof problems;
    turns: typeof flakyTurns;
    failures: typeof failures;
  }) =>
    results(
      report(
        [
          ...order.sessions,
          { ...SESSIONS.varies, turns: order.turns },
          session('many-failures', { turns: [turn({ verdict: outcomes.couldNotTell }, { failures: order.failures })] }),
        ],
        { problems: order.problems },
      ),
    );
  const sessions = [SESSIONS.asRecorded, SESSIONS.changed, SESSIONS.unlike, SESSIONS.notReplayable];
  const problems = [UNREADABLE_PIN, NOT_VALID];
  const expected = build({ sessions, problems, turns: flakyTurns, failures });
  fc.assert(
    fc.property(
      fc.record({
        sessions: shuffled(sessions),
        problems: shuffled(problems),
        turns: shuffled(flakyTurns),
        failures: shuffled(failures),
      }),
      (order) => build(order) === expected,
    ),
  );
});

test('results do not change with ids, times and places', () => {
  const evidence = {
    startedAt: '2030-01-01T00:00:00.000Z',
    durationMs: 1,
    agentLog: ['other'],
    target: 'http://127.0.0.1:1',
  };
  const other = report(Object.values(SESSIONS), { evidence });
  expect(JSON.stringify(other.results)).toBe(JSON.stringify(REPORTS.mixed.results));
});

test('keys of foreign values are sorted in the file, `__proto__` included', () => {
  const value = (text: string) => JSON.parse(text);
  const made = (recorded: unknown) =>
    renderJson(
      report([
        session('s', {
          turns: [
            turn({
              verdict: outcomes.changed,
              clusters: [0, 5],
              divergence: { recorded: recorded as never },
            }),
          ],
        }),
      ]),
    );
  expect(made(value('{"b":1,"__proto__":{"x":2},"a":3}'))).toBe(made(value('{"a":3,"__proto__":{"x":2},"b":1}')));
  expect(made(value('{"b":1,"__proto__":{"x":2}}'))).toContain('"__proto__": {');
});

test('failures of one kind are one problem with its runs in order', () => {
  const { problems } = REPORTS.mixed.results.sessions.find(({ pin }) => pin.includes('tent-warranty'))!.turns[0]!;
  expect(problems).toMatchObject([{ code: 'TRACE_MISSING', runs: [4, 5] }]);
});

test('replays that failed in two ways are two problems, each with what was seen', () => {
  const failed = (run: number, status: number) => ({
    run,
    error: new AgentReplayError('RESPONSE_STATUS', `The agent answered with status ${status}.`, {
      evidence: [`body: ${status}`],
    }),
  });
  const failures = [failed(3, 500), failed(2, 404), failed(1, 500)];
  const made = report([
    session('s', { turns: [turn({ verdict: outcomes.couldNotTell, clusters: [0] }, { failures })] }),
  ]);
  expect(withSeen(made).results.sessions[0]?.turns[0]?.problems).toMatchObject([
    { message: 'The agent answered with status 404.', runs: [2], evidence: ['body: 404'] },
    { message: 'The agent answered with status 500.', runs: [1, 3], evidence: ['body: 500'] },
  ]);
});

test('runs of the evidence are in order of session, turn and run', () => {
  const run = (session: string, turn: number, run: number) =>
    ({ session, turn, run, replayRunId: 'x', attempts: 1, outcome: 'replayed' }) as const;
  const runs = [run('b', 1, 1), run('a', 2, 1), run('a', 1, 10), run('a', 1, 9)];
  expect(buildReport(parts({ evidence: { runs } }), STRICT).evidence.runs).toEqual([
    runs[3],
    runs[2],
    runs[1],
    runs[0],
  ]);
});

test('the texts of a problem are bounded and cut between characters', () => {
  const problem = toProblem(
    new AgentReplayError('CALL_FAILED', '😀'.repeat(10_000), {
      evidence: Array(500).fill('x'.repeat(5_000)),
      hint: 'y'.repeat(5_000),
    }),
  );
  expect(JSON.stringify(problem).length).toBeLessThan(60_000);
  expect(problem.message.isWellFormed()).toBe(true);
  expect(problem.message.endsWith('…')).toBe(true);
});

test('a written report is read again as it was', () => {
  expect(parseReport(renderJson(REPORTS.mixed))).toEqual(REPORTS.mixed);
});

test('a report of a newer version is refused, not guessed at', async () => {
  const newer = JSON.stringify({ ...REPORTS.passed, version: 2 });
  expect(await messageFrom(() => parseReport(newer))).toMatchInlineSnapshot(`
    "report.json was made by a newer version of agent-replay (report 2, this one reads 1). (INPUT_INVALID)
      at report.json
      -> Update agent-replay."
  `);
});

test('a report with mistakes is refused with the first of them', async () => {
  const { version, evidence } = REPORTS.passed;
  const text = JSON.stringify({ version, evidence, results: { status: 'green' } });
  expect(await messageFrom(() => parseReport(text))).toMatchInlineSnapshot(`
    "report.json is not a report of agent-replay. (INPUT_INVALID)
      at report.json
      results.status: expected one of "passed", "failed", "error" or "interrupted", found "green"
      results.title: expected a text, found nothing
      results.message: expected a text, found nothing
      results.runs: expected a number, found nothing
      results.strictness: expected a text, found nothing
      -> Give the report.json that a run has written, unchanged."
  `);
});

test.each([['{'], ['[]'], ['null'], ['{"version":1}'], ['']])(
  'a text that is no report (%j) is refused with what is wrong',
  (text) => {
    expect(() => parseReport(text, 'some.json')).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining('some.json') }),
    );
  },
);
