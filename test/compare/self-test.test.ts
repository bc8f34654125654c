import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareRules, selfTest } from '../../src/compare/index.ts';
import type { Trial } from '../../src/compare/self-test/self-test.ts';
import { compareTurn } from '../../src/compare/turn.ts';
import type { Json } from '../../src/json/index.ts';
import type { PinnedTurn } from '../../src/session/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';

const PINS = path.join(import.meta.dirname, '../../examples/support-agent/replays');

/** The recorded turns of the example agent. */
function recordedTurns(): PinnedTurn[] {
  return readdirSync(PINS).flatMap((file) => JSON.parse(readFileSync(path.join(PINS, file), 'utf8')).turns);
}

const RULES = compareRules.parse({});

function wrong(trials: readonly Trial[]): Trial[] {
  return trials.filter(({ isRight }) => !isRight);
}

test('on real pins every change that matters is caught, and no harmless one is flagged, at every strictness', () => {
  for (const strictness of ['exact', 'behaviour', 'outcome'] as const) {
    const trials = recordedTurns().flatMap(({ recorded, request }) =>
      selfTest(recorded, { ...RULES, strictness }, { request }),
    );
    expect(wrong(trials)).toEqual([]);
    expect(new Set(trials.map(({ mutation }) => mutation)).size).toBeGreaterThan(12);
  }
});

/** A generation that asks for calls, and the tools behind it. */
interface Asked {
  readonly text: string;
  readonly calls: readonly { tool: string; args: Record<string, Json>; result: Json; isFailed: boolean }[];
}

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.uuid(),
  fc.constantFrom('2026-01-01T00:00:00.001Z', 1_767_225_600_001, 'café', '[not json'),
);
const fields = fc.dictionary(fc.string({ maxLength: 4 }), leaf, { maxKeys: 3, noNullPrototype: true });
const asked: fc.Arbitrary<Asked> = fc.record({
  text: fc.string({ maxLength: 12 }),
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom('search', 'refund', 'get_user', 'notify'),
      args: fields,
      result: fc.oneof(leaf, fields, fc.array(fields, { maxLength: 2 })),
      isFailed: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});

/** As an SDK records it: generations and tools below one root. */
function recordingOf(turns: readonly Asked[], output: Json, hasIds: boolean): Recording {
  let time = Date.UTC(2026, 0, 1);
  const observations: Observation[] = [];
  const add = (rest: Partial<Observation> & Pick<Observation, 'type' | 'name'>) => {
    const at = new Date(time++).toISOString();
    observations.push({ id: `o${observations.length}`, parentId: 'o0', startTime: at, endTime: at, ...rest });
  };
  add({ type: 'agent', name: 'turn', parentId: null });
  for (const [index, { text, calls }] of turns.entries()) {
    const idOf = (place: number): { id?: string } => (hasIds ? { id: `call_Ab3dE${index}fGh${place}` } : {});
    add({
      type: 'generation',
      name: 'model',
      output: {
        role: 'assistant',
        content: text,
        tool_calls: calls.map(({ tool, args }, place) => ({
          ...(idOf(place) as { id: string }),
          function: { name: tool, arguments: JSON.stringify(args) },
        })),
      },
    });
    for (const [place, { tool, args, result, isFailed }] of calls.entries()) {
      const { id } = idOf(place);
      const callId = id === undefined ? {} : { callId: id };
      const failure = isFailed ? { level: 'ERROR' as const, statusMessage: 'out of order' } : {};
      add({ type: 'tool', name: tool, ...callId, input: args, output: result, ...failure });
    }
  }
  return { output, observations };
}

test('a turn of any shape can be rendered, and every change to it is caught', () => {
  const turn = fc.record({
    turns: fc.array(asked, { maxLength: 4 }),
    output: fc.oneof(fc.string(), fields, fc.constant('You get 25 dollars back, in 3 days.')),
    hasIds: fc.boolean(),
  });
  fc.assert(
    fc.property(turn, ({ turns, output, hasIds }) => {
      expect(wrong(selfTest(recordingOf(turns, output, hasIds), RULES))).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

const ONE_CALL = recordingOf(
  [{ text: '', calls: [{ tool: 'search', args: { query: 'tea', page: 1 }, result: { hits: 2 }, isFailed: false }] }],
  'There are 2 hits.',
  true,
);

test('a comparison that is blind to something is caught', () => {
  const blind: typeof compareTurn = (...given) => {
    const comparison = compareTurn(...given);
    const clusters = comparison.clusters.map((each) => ({
      ...each,
      differences: each.differences.filter(({ change }) => change !== 'removed'),
    }));
    return { ...comparison, clusters };
  };
  const mutations = wrong(selfTest(ONE_CALL, RULES, { compare: blind })).map(({ mutation }) => mutation);
  expect(new Set(mutations)).toEqual(new Set(['argument removed']));
});

test('a comparison in which nothing can diverge is caught, although it lists what differs', () => {
  const lenient: typeof compareTurn = (...given) => ({
    ...compareTurn(...given),
    verdict: 'reproduced',
    divergence: null,
  });
  const [pin] = recordedTurns();
  const { recorded, request } = pin as PinnedTurn;
  const trials = selfTest(recorded, RULES, { request, compare: lenient });
  const missed = new Set(wrong(trials).map(({ mutation }) => mutation));
  expect(missed).toEqual(
    new Set([
      'another tool',
      'argument added',
      'argument of another type',
      'argument removed',
      'call failed',
      'call put in',
      'result changed',
      'number in the answer changed',
      'answer of opposite meaning',
      'answer on another topic',
    ]),
  );
  expect(trials.filter(({ outcome }) => outcome === 'red')).toEqual([]);
});

test('a write that is made twice, and the check before one that is left out, are red', () => {
  const call = (tool: string, result: Json) => [
    { text: '', calls: [{ tool, args: { order: 'A-1' }, result, isFailed: false }] },
  ];
  const turns = [
    ...call('get_order', { total: 20 }),
    ...call('check_policy', { ok: true }),
    ...call('refund_order', 'done'),
  ];
  const trials = selfTest(recordingOf(turns.flat(), 'The order has been refunded.', true), RULES);
  const outcomes = (name: string) =>
    trials.filter(({ mutation }) => mutation === name).map(({ step, outcome }) => [step, outcome]);
  expect(wrong(trials)).toEqual([]);
  expect(outcomes('call made twice')).toContainEqual([null, 'red']);
  expect(outcomes('check before a write left out')).toEqual([[3, 'red']]);
});

test('what a gate lets pass is told, and is not red', () => {
  const trials = selfTest(ONE_CALL, RULES, { isRed: () => false });
  const harmful = trials.filter(({ harmless }) => !harmless);
  expect(harmful.length).toBeGreaterThan(8);
  expect(new Set(harmful.map(({ outcome }) => outcome))).toEqual(new Set(['told']));
});

test('answers are turned around in English alone, and nothing that they quote', () => {
  const opposites = (answer: string) => {
    const seen: Json[] = [];
    const watching: typeof compareTurn = (a, b, ...rest) => {
      seen.push(b[0]?.recording.output ?? null);
      return compareTurn(a, b, ...rest);
    };
    const trials = selfTest({ output: answer, observations: [] }, RULES, { compare: watching });
    return trials.some(({ mutation }) => mutation === 'answer of opposite meaning') ? seen : [];
  };
  expect(opposites('The order cannot be changed.')).toContain('The order can be changed.');
  expect(opposites('It isn’t here.')).toContain('It is here.');
  expect(opposites('Your flight is booked.')).toContain('Your flight is not booked.');
  expect(opposites('Ihr Flug steht bereit.')).toEqual([]);
  expect(opposites('Run `what is it` twice.')).toEqual([]);
});

test('what numbers the items of a list is no number of the answer', () => {
  const answer = '1. The red one\n2. The blue one';
  const trials = selfTest({ output: answer, observations: [] }, RULES);
  expect(trials.map(({ mutation }) => mutation)).not.toContain('number in the answer changed');
  const priced = selfTest({ output: `${answer}, for 30 dollars`, observations: [] }, RULES);
  expect(priced.find(({ mutation }) => mutation === 'number in the answer changed')?.outcome).toBe('red');
});

test('a comparison that is too strict is caught', () => {
  const rules = { ...RULES, strictness: 'exact' as const };
  const strict: typeof compareTurn = (a, b, _, options) => compareTurn(a, b, rules, options);
  const flagged = wrong(selfTest(ONE_CALL, RULES, { compare: strict }));
  expect(flagged).toMatchObject([{ mutation: 'other whitespace', harmless: true, instead: expect.any(String) }]);
});

test('what the rules ignore, or do not include, is not planted', () => {
  const ignoring = { ...RULES, ignore: ['tool:search/args/page', 'output'] };
  const trials = selfTest(ONE_CALL, ignoring);
  expect(wrong(trials)).toEqual([]);
  expect(trials.map(({ pointer }) => pointer)).not.toContain('/page');
  expect(trials.map(({ mutation }) => mutation)).not.toContain('number in the answer changed');
  const calls = selfTest(ONE_CALL, { ...RULES, include: ['call'] });
  expect(wrong(calls)).toEqual([]);
  expect(calls.map(({ mutation }) => mutation)).not.toContain('result changed');
});

test('a number within what is tolerated is not what is planted', () => {
  const trials = selfTest(ONE_CALL, { ...RULES, tolerance: { 'tool:search/args/page': 1_000 } });
  expect(wrong(trials)).toEqual([]);
});

test('a turn without calls, and one without a trace, are tried as far as they go', () => {
  const spoken = recordingOf([{ text: 'Nothing to do.', calls: [] }], 'You have 3 orders.', false);
  expect(wrong(selfTest(spoken, RULES))).toEqual([]);
  const untraced = selfTest({ output: 'You have 3 orders.', observations: [] }, RULES);
  expect(wrong(untraced)).toEqual([]);
  expect(untraced.filter(({ harmless }) => !harmless).map(({ mutation }) => mutation)).toEqual([
    'number in the answer changed',
    'answer of opposite meaning',
  ]);
});

test('tools that overlap without a generation are tried as parallel ones', () => {
  const tool = (id: string, name: string, from: number, to: number): Observation => ({
    id,
    parentId: 'root',
    type: 'tool',
    name,
    startTime: new Date(from).toISOString(),
    endTime: new Date(to).toISOString(),
    input: { of: id },
    output: id,
  });
  const observations = [
    { ...tool('root', 'turn', 0, 100), parentId: null, type: 'span' as const, input: {}, output: {} },
    tool('a', 'weather', 10, 50),
    tool('b', 'news', 20, 40),
    tool('c', 'save', 60, 70),
  ];
  const trials = selfTest({ output: 'Done, 3 tools.', observations }, RULES);
  expect(wrong(trials)).toEqual([]);
  expect(trials.map(({ mutation }) => mutation)).toContain('parallel calls in another order');
});
