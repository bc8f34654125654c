import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ReadStep } from '../../src/compare/index.ts';
import { gatesCounted } from '../../src/job/judging/gates.ts';
import { byShift } from '../../src/job/judging/shift-gate.ts';
import type { Report } from '../../src/report/index.ts';
import { blame } from '../../src/report/schema.ts';
import { gateLines, shiftStory } from '../../src/report/words/shift-words.ts';
import {
  forbiddenIn,
  type RunShift,
  ShiftUnit,
  shiftEvent,
  type TurnShift,
  turnEvents,
  turnShift,
} from '../../src/shift/index.ts';
import { suiteShift } from '../../src/shift/shift-result.ts';
import { outcomes } from '../outcomes.ts';
import { report, session, turn, VARIES } from './fixtures/reports.ts';

/** The sentences of each rule of the list, in which `…` is anything. */
function rules(): RegExp[][] {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/gate.md'), 'utf8');
  const [, section = ''] = page.split('## What an output says, and the rule behind it\n');
  const items = (section.split('\n## ')[0] ?? '').split(/^- (?=`)/m).slice(1);
  return items.map((item) => {
    const [said = ''] = item.replaceAll(/\s+/g, ' ').split(/(?<=`): /);
    return [...said.matchAll(/`([^`]+)`/g)].map(([, sentence = '']) => {
      const literal = sentence.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
      // An alarm has a rule of its own, whatever its sentence.
      return new RegExp(`^${literal.replace(/^…/, '(?!alarm: ).*').replaceAll('…', '.*')}$`, 's');
    });
  });
}

/** What the note of a turn says in each state of its test. */
function notes(): string[] {
  const each = <T, U>(values: readonly T[], say: (value: T) => readonly U[]): U[] =>
    values.flatMap((value) => say(value));
  return each(turnShift.shape.state.options, (state) =>
    each([true, false], (isOdd) =>
      each([1, 4, 10], (recordings) =>
        each([0, 3, 5], (asRecorded) =>
          each([5, 3], (conclusive) => {
            const told: TurnShift = {
              state,
              recordings,
              recordingsVary: isOdd,
              p: 0.001,
              adjusted: 0.02,
              speaks: 'tools',
              separation: ['no replay calls look, and all recordings do'],
              ...(isOdd && { against: 'base' }),
            };
            const clusters = [asRecorded, conclusive - asRecorded];
            const spec = { verdict: outcomes.varies, clusters, requested: 5 };
            const unit = new ShiftUnit({ id: 'one', recordings: [], requested: 5 });
            const ways = [1, 2].map(() => ({ behaviours: asRecorded === conclusive ? 1 : 2, asRecorded }));
            const turns = isOdd ? [1, 2] : [1];
            const judged = byShift(turn(spec), told, { session: 'x', unit, turns, ways, isOdd });
            return judged.comparison.note?.split('; ') ?? [];
          }),
        ),
      ),
    ),
  );
}

const step = (kind: ReadStep['kind'], name: string | undefined, value: string): ReadStep => ({
  kind,
  value,
  isCompared: true,
  ...(name !== undefined && { name }),
});
const call = (name: string) => step('call', name, 'a');

/** What events say, of a tool that is critical and of one that only changes something, and what the user forbids. */
function events(): string[] {
  const recorded = [[call('pay')], [call('pay')]];
  const cases: [before: ReadStep[][], now: ReadStep[]][] = [
    [recorded, [call('pay'), call('pay')]],
    [recorded, [call('look')]],
    [[[call('look')]], [call('pay')]],
    [[[call('look')]], [step('error', 'look', 'refused')]],
    [[[call('look')]], [step('end', undefined, 'cut off')]],
  ];
  const kinds = new Set<string>(['forbidden']);
  const said = cases.flatMap(([recordings, replay]) =>
    [{ critical: true }, { mutating: true }].flatMap((declared) =>
      [1, 3].flatMap((count) => {
        const replays = new Map(Array.from({ length: count }, (_, run) => [run + 1, replay] as const));
        const forbidden = new Map([[1, forbiddenIn([call('wipe')], ['wipe'])]]);
        const rules = { tools: { pay: declared } };
        const found = turnEvents({ recordings, replays, forbidden, ...rules, asked: count, isLast: false });
        for (const { kind } of found) kinds.add(kind);
        return shiftStory({ ...report([VARIES]).results.sessions[0]!.turns[0]!, shift: undefined, events: found });
      }),
    ),
  );
  expect([...kinds].sort()).toEqual([...shiftEvent.shape.kind.options].sort());
  return said;
}

const SUITE = { p: 0.002, shift: 0.1, speaks: 'calls', turns: 4, varying: 3 } as const;
const NOTHING: RunShift = { varying: 4, recordings: 5, reach: null, suites: [] };

/** What the first lines say of a run, in each state of its parts. */
function lines(): string[] {
  const suites = suiteShift.shape.state.options.flatMap((state) => [
    { ...SUITE, state },
    { ...SUITE, state, agentId: 'desk', against: 'base' as const },
    { ...SUITE, state, turns: 1 },
  ]);
  const shifts: RunShift[] = [
    { ...NOTHING, suites },
    { ...NOTHING, reach: { least: 0.02, needed: 0.001, recordings: 6 } },
    { ...NOTHING, reach: { least: 0.02, needed: 0.001 } },
    { ...NOTHING, wouldSee: { share: 0.6, found: 17, of: 20 } },
    { ...NOTHING, isPart: true },
    { ...NOTHING, bySession: true },
  ];
  const cost = (spent: readonly [before: number, now: number], asked = 1) => {
    const [recordings = [], replays = []] = spent.map((tokens) => [{ calls: 1, tokens, price: tokens }]);
    const other = { unit: 'tokens' as const, recordings, replays: recordings, asked: 1 };
    const turns = [turn({ verdict: outcomes.asRecorded })];
    return report([
      session('a', { turns, spent: { unit: 'tokens', recordings, replays, asked } }),
      session('b', { turns, agentId: 'desk', spent: other }),
    ]);
  };
  const drifted = (evidence: number): Report => {
    const made = report([VARIES], { shift: NOTHING });
    const drift = { nights: 9, evidence, since: '2026-11-12T00:00:00.000Z', isAlarm: evidence > 100, fails: false };
    return { ...made, results: { ...made.results, drift: [{ ...drift, channel: 'calls' as const, sessions: ['a'] }] } };
  };
  const based = [...blame.options, null].map((who) =>
    report([VARIES], {
      base: {
        ref: 'main',
        commit: 'c0ffee',
        blame: who,
        sessions: 1,
        drifted: [{ id: 'a', what: 'no replay calls look, and all 10 recordings do' }],
        ...{
          driftedSuites: [{ ...SUITE, state: 'shifted' }],
          without: [{ agentId: 'desk', reason: 'it did not start' }],
        },
      },
    }),
  );
  const own = { own: { gate: 'shift' as const } };
  const judged = (byShift: number, steady: number, others: number) => [
    own,
    ...Array(byShift).fill({ gate: 'shift' }),
    ...Array(steady).fill({ gate: 'every-run' }),
    ...Array(others).fill({}),
  ];
  const original = { pin: { path: 'a.json' }, turns: [] } as never;
  const gates = [
    ...[0, 3].flatMap((byShift) => [0, 3].map((steady) => gatesCounted(judged(byShift, steady, steady + 1), {}))),
    gatesCounted(judged(0, 0, 2), { gate: 'every-run' }),
    gatesCounted(judged(2, 0, 0), { gate: 'shift' }, ({ note }) => note?.([original]) ?? ''),
  ].flatMap((told) => (told === undefined ? [] : report([VARIES], { gates: told })));
  const varying = report(
    ['a', 'b'].map((name) => session(name, { turns: [turn({ verdict: outcomes.varies, clusters: [3, 2] })] })),
  );
  const reports = [
    ...shifts.map((shift) => report([VARIES], { shift, gates: '1 session by shift.' })),
    ...[cost([57, 570]), cost([570, 57]), cost([57, 570], 9), drifted(0.5), drifted(34), drifted(900)],
    ...[...based, ...gates, varying],
  ];
  return reports.flatMap(gateLines);
}

test('every sentence that a verdict tells has exactly one rule in the list of the gate, and every rule a sentence', () => {
  const list = rules();
  const said = [...new Set([...notes(), ...events(), ...lines()])];
  const rulesOf = (sentence: string) =>
    list.flatMap((sentences, at) => (sentences.some((each) => each.test(sentence)) ? at : []));
  expect(said.length).toBeGreaterThan(60);
  expect(said.filter((sentence) => rulesOf(sentence).length !== 1)).toEqual([]);
  const unsaid = list.filter((_, at) => !said.some((sentence) => rulesOf(sentence).includes(at)));
  expect(unsaid.map((sentences) => sentences.map(String))).toEqual([]);
});
