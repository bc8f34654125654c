import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { AgentReplayError } from '../../src/errors.ts';
import type { Finding } from '../../src/job/judging/finding.ts';
import { Ledger } from '../../src/job/judging/ledger.ts';
import type { RunScope } from '../../src/job/judging/run-scope.ts';
import { settingsOf } from '../../src/job/judging/run-settings.ts';
import { aboutRun } from '../../src/job/running/about.ts';
import type { Report } from '../../src/report/index.ts';
import type { Recording } from '../../src/trace/index.ts';

/** What a run of a turn did: one of several ways, 0 as recorded; or nothing that can be compared. */
type Way = number | 'lost';

interface Played {
  /** By turn, by run. */
  readonly session: readonly (readonly Way[])[];
  readonly failOn: object;
  readonly minAgreement: number | undefined;
  /** Ways that were recorded. */
  readonly recorded: number;
}

const way = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Way>(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.constant<Way>('lost') },
);
const level = fc.constantFrom('error', 'warn', 'off');
const played: fc.Arbitrary<Played> = fc.record({
  session: fc
    .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 2 }))
    .chain(([runs, turns]) =>
      fc.array(fc.array(way, { minLength: runs, maxLength: runs }), { minLength: turns, maxLength: turns }),
    ),
  failOn: fc.record({
    changed: level,
    unsettled: level,
    flaky: level,
    inconclusive: fc.constantFrom('error', 'warn'),
  }),
  minAgreement: fc.option(fc.constantFrom(0.25, 0.5, 0.75, 1), { nil: undefined }),
  recorded: fc.constantFrom(1, 2),
});

/** The report on a session of which all replays come, in an order of `shuffled`. */
function reportOn(of: Played, stopEarly: 'status' | 'verdict' | undefined, shuffled?: readonly number[]): Report {
  const runs = of.session[0]?.length ?? 0;
  const { failOn, minAgreement } = of;
  const config = parseConfig(
    { runs, tracing: 'none', stopEarly, failOn, minAgreement, agent: { url: 'http://127.0.0.1:1/replay' } },
    { folder: '/' },
  );
  const ledger = new Ledger(settingsOf(config), scopeOf(of, runs));
  const findings = of.session.flatMap((turn, index) =>
    turn.map((each, run) => findingOf({ turn: index + 1, run: run + 1, way: each })),
  );
  const order = findings.map((finding, index) => ({ finding, place: shuffled?.[index] ?? finding.run }));
  for (const { finding } of order.sort((a, b) => a.place - b.place)) {
    if (!ledger.isOver(finding.session)) ledger.take(finding);
  }
  ledger.close();
  return ledger.report({ about: aboutRun({ agents: [] }), durationMs: 1 });
}

function scopeOf({ session, recorded }: Played, runs: number): RunScope {
  const [original, ...baselines] = Array.from({ length: recorded }, (_, number) => recordingOf(number));
  const turns = session.map(() => ({ request: { input: 'hello' }, recorded: original as Recording, baselines }));
  const pin = { session: { version: 1 as const, stepsVersion: 1, id: 's', turns }, path: 'replays/s.session.json' };
  const numbers = Array.from({ length: runs }, (_, index) => index + 1);
  const scoped = { pin, turns: turns.map((_, index) => index + 1), runs: numbers, problems: [] };
  return { sessions: [scoped], runs: numbers, problems: [] };
}

function recordingOf(number: number): Recording {
  return { output: { way: number }, observations: [] };
}

function findingOf({ turn, run, way: each }: { turn: number; run: number; way: Way }): Finding {
  const outcome: Finding['outcome'] =
    each === 'lost'
      ? { kind: 'inconclusive', error: new AgentReplayError('CALL_FAILED', 'gone') }
      : { kind: 'replayed', recording: recordingOf(each) };
  return { session: 's', turn, run, outcome, replayRunId: `x.t${turn}.r${run}`, attempts: 1, callMs: 1 };
}

test('a run that is stopped early comes to the status of the full run, whatever came first, and shows no rate', () => {
  const orders = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 14, maxLength: 14 });
  fc.assert(
    fc.property(played, orders, fc.constantFrom('status', 'verdict'), (of, order, mode) => {
      const full = reportOn(of, undefined);
      const stopped = reportOn(of, mode);
      expect(stopped.results.status).toBe(full.results.status);
      expect(stopped.results.title).toBe(full.results.title);
      expect(reportOn(of, mode, order).results).toEqual(stopped.results);
      const [session] = stopped.results.sessions;
      if (mode === 'verdict') expect(session?.verdict).toBe(full.results.sessions[0]?.verdict);
      for (const { comparison } of session?.turns ?? []) {
        if (comparison.stopped === null) continue;
        const { agreement, tarAtK, passHatK, interval, survival } = comparison.figures;
        expect([agreement, tarAtK, passHatK, interval, survival]).toEqual([null, [], [], null, []]);
        expect(comparison.divergence?.sentence ?? '').not.toContain('%');
        expect(stopped.evidence.usage.calls).toBeLessThan(full.evidence.usage.calls);
      }
    }),
    { numRuns: 1_000 },
  );
});
