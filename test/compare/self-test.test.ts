import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compareRules, type Difference, selfTest } from '../../src/compare/index.ts';
import type { Step } from '../../src/compare/shapes/step.ts';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import { compareTurn } from '../../src/compare/turn.ts';
import { isJsonObject, type Json } from '../../src/json/index.ts';
import type { PinnedTurn } from '../../src/session/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { EVERY, sampler } from '../sample.ts';

const PINS = path.join(import.meta.dirname, '../../examples/support-agent/replays');

/** The recorded turns of the example agent. */
function recordedTurns(): PinnedTurn[] {
  return readdirSync(PINS).flatMap((file) => JSON.parse(readFileSync(path.join(PINS, file), 'utf8')).turns);
}

const RULES = compareRules.parse({});

type Trial = ReturnType<typeof selfTest>[number];

function wrong(trials: readonly Trial[]): Trial[] {
  return trials.filter(({ isRight }) => !isRight);
}

test('on real pins every change that matters is caught, and no harmless one is flagged, at every strictness', () => {
  for (const strictness of ['exact', 'behaviour', 'outcome'] as const) {
    const turns = recordedTurns().filter(sampler());
    const trials = turns.flatMap(({ recorded, request }) =>
      selfTest([recorded], { ...RULES, strictness }, { request }),
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

test('in a turn of any shape every change is caught, and no harmless one is flagged', () => {
  const turn = fc.record({
    turns: fc.array(asked, { maxLength: 4 }),
    output: fc.oneof(fc.string(), fields, fc.constant('You get 25 dollars back, in 3 days.')),
    hasIds: fc.boolean(),
  });
  fc.assert(
    fc.property(turn, ({ turns, output, hasIds }) => {
      expect(wrong(selfTest([recordingOf(turns, output, hasIds)], RULES))).toEqual([]);
    }),
    { numRuns: Math.ceil(60 / EVERY) },
  );
});

const ONE_CALL = recordingOf(
  [{ text: '', calls: [{ tool: 'search', args: { query: 'tea', page: 1 }, result: { hits: 2 }, isFailed: false }] }],
  'There are 2 hits.',
  true,
);

/** A comparison whose steps are first spoilt on both sides. */
function spoilt(change: (step: Step) => Step): typeof compareTurn {
  return (recordings, runs, rules, options) => {
    const read: typeof trajectoryOf = (recording, traits) => {
      const trajectory = (options?.read ?? trajectoryOf)(recording, traits);
      return { ...trajectory, steps: trajectory.steps.map(change) };
    };
    return compareTurn(recordings, runs, rules, { ...options, read });
  };
}

function spoiltTexts(change: (text: string) => string): typeof compareTurn {
  return spoilt((step) =>
    typeof step.value === 'string' && step.kind === 'final' ? { ...step, value: change(step.value) } : step,
  );
}

function spoiltValues(change: (item: Json, depth: number) => Json | undefined): typeof compareTurn {
  const through = (value: Json, depth: number): Json | undefined => {
    const own = change(value, depth);
    if (Array.isArray(own)) return own.flatMap((item) => through(item, depth + 1) ?? []);
    if (!isJsonObject(own)) return own;
    const entries = Object.entries(own).map(([key, item]) => [key, through(item, depth + 1)] as const);
    return Object.fromEntries(entries.flatMap(([key, item]) => (item === undefined ? [] : [[key, item]])));
  };
  return spoilt((step) => ({ ...step, value: step.value === undefined ? undefined : through(step.value, 0) }));
}

/** A comparison that overlooks a kind of difference. */
function overlooking(isOverlooked: (difference: Difference) => boolean): typeof compareTurn {
  return (...given) => {
    const found = compareTurn(...given);
    const isOnly = found.clusters.flatMap(({ differences }) => differences).every(isOverlooked);
    if (!isOnly) return found;
    const clusters = found.clusters.map((each) => ({ ...each, differences: [], divergence: null }));
    return { ...found, verdict: outcomes.asRecorded, clusters, divergence: null };
  };
}

const SABOTAGES: Readonly<Record<string, typeof compareTurn>> = {
  'values deeper than two levels are ignored': spoiltValues((value, depth) => (depth > 2 ? undefined : value)),
  'only the first three items of a list are compared': spoiltValues((value) =>
    Array.isArray(value) ? value.slice(0, 3) : value,
  ),
  'texts are cut at 4,000 characters': spoiltValues((value) =>
    typeof value === 'string' ? value.slice(0, 4_000) : value,
  ),
  'case is ignored': spoiltValues((value) => (typeof value === 'string' ? value.toLowerCase() : value)),
  'numbers are compared without their labels': spoiltTexts((text) => {
    const figures = text.match(/\d+(?:[.,:/-]\d+)*/g) ?? [];
    return `${text.replace(/\d+(?:[.,:/-]\d+)*/g, '')} ${figures.sort().join(' ')}`;
  }),
  'a "not" is ignored': spoiltTexts((text) => text.replace(/\s?\bnot\b|n't\b/g, '')),
  'a zero more or less is ignored': spoiltTexts((text) => text.replace(/(?<=\d)0+\b/g, '')),
  'days of dates are ignored': spoiltTexts((text) => text.replace(/\b(\d{4})-\d\d-\d\d/g, '$1')),
  'numbers never differ': spoiltValues((value) => (typeof value === 'number' ? 1 : value)),
  'names of arguments are ignored': spoilt((step) =>
    step.kind === 'call' && isJsonObject(step.value) ? { ...step, value: Object.values(step.value) } : step,
  ),
  'the order of calls is ignored': overlooking(({ kind }) => kind === 'call-order'),
  'writes are compared as reads': overlooking(({ aspect }) => aspect === 'did'),
  'extra calls are ignored': overlooking(({ kind }) => kind === 'call-extra' || kind === 'call-retry'),
  'missing arguments are ignored': overlooking(({ change }) => change === 'removed'),
  'errors are results': spoilt((step) =>
    step.kind === 'error'
      ? { ...step, kind: 'result', value: 'ok' }
      : step.kind === 'result'
        ? { ...step, value: 'ok' }
        : step,
  ),
  'the last of two differences is told': (...given) => {
    const found = compareTurn(...given);
    const clusters = found.clusters.map((each) => {
      const last =
        each.divergence?.others.at(-1) ?? each.differences.findLast(({ severity }) => severity === 'behaviour');
      return each.divergence === null || last === undefined
        ? each
        : { ...each, divergence: { ...each.divergence, ...last } };
    });
    return { ...found, clusters };
  },
};

test.each(Object.entries(SABOTAGES))('on the example pins a comparison in which %s is noticed', (_, compare) => {
  const isNoticed = recordedTurns().some(({ recorded, request }) => {
    return wrong(selfTest([recorded], RULES, { request, compare })).length > 0;
  });
  expect(isNoticed).toBe(true);
});

test('so is one in which AM is PM, where an answer tells half a day', () => {
  const recording = { ...ONE_CALL, output: 'Your order comes at 7 pm today, please be at home.' };
  const compare = spoiltTexts((text) => text.replace(/(?<=\d\s?)[ap](?=\.?m\b)/gi, ''));
  expect(wrong(selfTest([recording], RULES))).toEqual([]);
  const missed = wrong(selfTest([recording], RULES, { compare })).map(({ mutation }) => mutation);
  expect(missed).toContain('another half of the day');
});

test('a comparison in which nothing can diverge is caught, although it lists what differs', () => {
  const lenient: typeof compareTurn = (...given) => ({
    ...compareTurn(...given),
    verdict: outcomes.asRecorded,
    divergence: null,
  });
  const trials = selfTest([ONE_CALL], RULES, { compare: lenient });
  expect(trials.filter(({ outcome }) => outcome === 'red')).toEqual([]);
  expect(wrong(trials).length).toBeGreaterThan(10);
});

test('a comparison that is too strict is caught', () => {
  const rules = { ...RULES, strictness: 'exact' as const };
  const strict: typeof compareTurn = (a, b, _, options) => compareTurn(a, b, rules, options);
  const flagged = wrong(selfTest([ONE_CALL], RULES, { compare: strict }));
  expect(flagged).toMatchObject([
    { mutation: 'other whitespace', harmless: true, instead: { kind: expect.any(String) } },
  ]);
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
  const trials = selfTest([recordingOf(turns, 'The order has been refunded.', true)], RULES);
  const outcomes = (name: string) =>
    trials.filter(({ mutation }) => mutation === name).map(({ place, outcome }) => [place, outcome]);
  expect(wrong(trials)).toEqual([]);
  expect(outcomes('call made twice')).toContainEqual(['tool:refund_order', 'red']);
  expect(outcomes('call left out')).toContainEqual(['tool:check_policy', 'red']);
});

test('what a gate lets pass is told, and is not red', () => {
  const trials = selfTest([ONE_CALL], RULES, { isRed: () => false });
  const planted = trials.filter(({ harmless }) => !harmless);
  expect(planted.length).toBeGreaterThan(8);
  expect(new Set(planted.map(({ outcome }) => outcome))).toEqual(new Set(['told']));
});

const answered = (output: Json, compare = compareTurn) => selfTest([{ output, observations: [] }], RULES, { compare });

test('answers are turned around in their own language, and nothing that they quote in code', () => {
  const opposites = (answer: string) => {
    const seen: Json[] = [];
    answered(answer, (recordings, runs, rules, options) => {
      const [{ recording }] = runs as [(typeof runs)[number]];
      seen.push(options?.read?.(recording).steps.find(({ kind }) => kind === 'final')?.value ?? null);
      return compareTurn(recordings, runs, rules, options);
    });
    return seen;
  };
  expect(opposites('The order cannot be changed.')).toContain('The order can be changed.');
  expect(opposites('It isn’t here.')).toContain('It is here.');
  expect(opposites('Your flight is booked.')).toContain('Your flight is not booked.');
  expect(opposites('Der Flug ist nicht gebucht.')).toContain('Der Flug ist gebucht.');
  expect(opposites('We close at 5 pm.')).toContain('We close at 5 am.');
  expect(opposites('You owe 10 of 30.')).toEqual(expect.arrayContaining(['You owe 100 of 30.', 'You owe 30 of 10.']));
});

test('what numbers the items of a list is no number of the answer', () => {
  const answer = '1. The red one\n2. The blue one';
  expect(answered(answer).map(({ mutation }) => mutation)).not.toContain('another number');
  expect(answered(`${answer}, for 30 dollars`).find(({ mutation }) => mutation === 'another number')?.outcome).toBe(
    'red',
  );
});

test('what the rules ignore, tolerate or do not include is not compared, and named by its path', () => {
  const placesNotCompared = (rules: object) => {
    const trials = selfTest([ONE_CALL], compareRules.parse(rules));
    expect(wrong(trials)).toEqual([]);
    return trials.filter(({ outcome }) => outcome === 'not compared').map(({ place }) => place);
  };
  expect(placesNotCompared({})).toEqual([]);
  const ignored = placesNotCompared({ ignore: ['tool:search/args/page', 'output'] });
  expect(new Set(ignored)).toEqual(new Set(['tool:search/args/page', 'output']));
  expect(placesNotCompared({ include: ['call'] })).toContain('tool:search/result/hits');
  expect(placesNotCompared({ tolerance: { 'tool:search/args/page': 1_000 } })).not.toContain('tool:search/args/query');
});

test('what another recording of the turn does is not red, and not called missed', () => {
  const other = structuredClone(ONE_CALL);
  other.output = 'There are 3 hits.';
  const trials = selfTest([ONE_CALL, other], RULES);
  expect(wrong(trials)).toEqual([]);
  const outcomes = trials.filter(({ mutation }) => mutation === 'another number').map(({ outcome }) => outcome);
  expect(outcomes).toContain('told');
});

test('a turn without calls, and one without a trace, are tried as far as they go', () => {
  const spoken = recordingOf([{ text: 'Nothing to do.', calls: [] }], 'You have 3 orders.', false);
  expect(wrong(selfTest([spoken], RULES))).toEqual([]);
  const untraced = answered('You have 3 orders.');
  expect(wrong(untraced)).toEqual([]);
  expect(new Set(untraced.map(({ touches }) => touches))).toEqual(new Set(['nothing', 'final']));
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
  const trials = selfTest([{ output: 'Done, 3 tools.', observations }], RULES);
  expect(wrong(trials)).toEqual([]);
  expect(trials.map(({ mutation }) => mutation)).toContain('parallel calls in another order');
});
