import { expect, test } from 'vitest';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import { type Json, parseJson } from '../../src/json/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import { growth, LINEAR } from '../growth.ts';
import { outcomes } from '../outcomes.ts';
import { compare, rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

/** Tools and characters at which growth is measured, up to at least sixteen times as many. */
const [FEW, SHORT] = [125, 2 ** 12];

const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const ROOT: Observation = { id: 'root', parentId: null, type: 'agent', name: 'turn', startTime: at(0), endTime: null };

function tool(number: number, fields: Partial<Observation> = {}): Observation {
  const times = { startTime: at(number), endTime: at(number) };
  return {
    id: `t${number}`,
    parentId: 'root',
    type: 'tool',
    name: 'search',
    ...times,
    input: { q: number },
    output: 'ok',
    ...fields,
  };
}

function recorded(observations: readonly Observation[], output: Json = 'Done.'): Recording {
  return { output, observations: [ROOT, ...observations] };
}

function withResult(output: Json): Recording {
  return recorded([tool(1, { output })]);
}

type Pair = readonly [Recording, Recording];

/** Pairs that a careless program takes for equal. */
const DIFFERENT: Record<string, readonly [Json, Json]> = {
  'integers beyond 2^53': [parseJson('9007199254740993'), parseJson('9007199254740992')],
  'exponents beyond a double': [parseJson('1e999'), parseJson('1e998')],
  'an overflow and its sign': [parseJson('1e999'), parseJson('-1e999')],
  'an overflow and null': [parseJson('1e999'), null],
  'not a number and null': [Number.NaN, null],
  'not a number and its name': [Number.NaN, 'NaN'],
  'infinity and its name': [Number.POSITIVE_INFINITY, 'Infinity'],
  'a number and its text': [2, '2'],
  'null, and a key that is missing': [[{ a: null }], [{}]],
  'null and empty text': [null, ''],
  'other lone surrogates': ['\ud800', '\ud801'],
  'a lone surrogate and its replacement': ['\ud800', '\ufffd'],
  'keys named __proto__': [parseJson('{"__proto__":{"admin":true}}'), parseJson('{"__proto__":{"admin":false}}')],
  'a key named __proto__ and none': [parseJson('{"__proto__":{"admin":true}}'), {}],
  'keys named constructor': [{ constructor: 1 }, { constructor: 2 }],
  'the order of a list': [
    [1, 2],
    [2, 1],
  ],
  'text that nests too deep to be read': ['['.repeat(100_000), '['.repeat(100_001)],
  'nesting as deep as it may be': [nested(990, 1), nested(990, 2)],
};

function nested(depth: number, inner: Json): Json {
  let value = inner;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { value };
  return value;
}

test.each(Object.entries(DIFFERENT))('not equal by accident: %s', (_, [a, b]) => {
  for (const [x, y] of [
    [a, b],
    [b, a],
  ] as const) {
    expect(compare(withResult(x), withResult(y)).verdict).toBe(outcomes.changed);
    expect(compare(withResult(x), withResult(structuredCloneOf(x))).verdict).toBe(outcomes.asRecorded);
    expect(compare(recorded([tool(1, { input: x })]), recorded([tool(1, { input: y })])).verdict).toBe(
      outcomes.changed,
    );
    expect(compare(recorded([], x), recorded([], y), { strictness: 'exact' }).verdict).toBe(outcomes.changed);
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
});

/** The same value in other objects. */
function structuredCloneOf(value: Json): Json {
  return typeof value === 'object' && value !== null ? parseJson(JSON.stringify(value)) : value;
}

test('numbers are equal by value: 0 and -0, 1 and 1.0 and 1e0', () => {
  expect(compare(withResult([0, 1, 1]), withResult(parseJson('[-0, 1.0, 1e0]')), { strictness: 'exact' }).verdict).toBe(
    outcomes.asRecorded,
  );
});

test('a number that is kept as text can vary from run to run', () => {
  const withId = (digits: string): Recording => withResult({ id: parseJson(digits) });
  const examples = ['12345678901234567890', '12345678901234567891'];
  const replays = examples.map((digits, index) => ({ run: index + 1, recording: withId(digits) }));
  const { noise } = compareTurn([withId('12345678901234567892')], replays, rules());
  expect(noise).toEqual([{ path: 'tool:search/result/id', kind: 'unstable', runs: 2, examples }]);
});

test('cycles, orphans, two roots and observations that are their own parents are told once each', () => {
  const { steps } = trajectoryOf(
    recorded([
      tool(1, { parentId: 't2' }),
      tool(2, { parentId: 't1' }),
      tool(3, { parentId: 't3' }),
      tool(4, { parentId: 'never-came' }),
      tool(5, { parentId: null }),
    ]),
  );
  const calls = steps.filter(({ kind }) => kind === 'call').map(({ observationId }) => observationId);
  expect(calls.toSorted()).toEqual(['t1', 't2', 't3', 't4', 't5']);
});

test('of two reports of one observation the later one counts, whichever came first', () => {
  const early = tool(1, { output: 'early' });
  const late = tool(1, { output: 'late', endTime: at(9) });
  const other = tool(1, { output: 'other' });
  for (const pair of [
    [early, late],
    [early, other],
  ] as const) {
    expect(trajectoryOf(recorded(pair)).steps).toEqual(trajectoryOf(recorded(pair.toReversed())).steps);
  }
  expect(trajectoryOf(recorded([late, early])).steps[1]?.value).toBe('late');
});

test('more than fifty lesser differences hide no greater one', () => {
  const run = (thought: string, last: string): Recording => {
    const thoughts = Array.from({ length: 80 }, (_, i) =>
      tool(i, {
        id: `g${i}`,
        type: 'generation',
        name: 'chat',
        input: [],
        output: { role: 'assistant', content: `${thought} ${i}` },
      }),
    );
    return recorded([...thoughts, tool(100, { name: last })]);
  };
  const { divergence } = compare(run('hm', 'refund'), run('well', 'close'));
  expect(divergence).toMatchObject({ kind: 'call-name', recorded: 'refund', replayed: 'close' });
});

test('more than fifty tolerated numbers hide none that is not', () => {
  const numbers = (last: number): Recording =>
    withResult([...Array.from({ length: 80 }, (_, i) => i + last / 1_000), last]);
  const tolerance = { 'tool:search/result/*': 0.5 };
  expect(compare(numbers(1), numbers(2), { tolerance }).divergence?.pointer).toBe('/80');
});

type Many = (of: (number: number) => Observation | readonly Observation[]) => Recording;

const LARGE: Record<string, (many: Many, count: number) => Pair> = {
  'no two steps alike': (many) => [many(tool), many((i) => tool(i, { input: { q: -1 - i } }))],
  'all in one millisecond': (many, count) => [
    many((i) => tool(i, { startTime: at(1), endTime: at(1) })),
    many((i) => tool(count - i, { startTime: at(1), endTime: at(1) })),
  ],
  'in reverse': (many, count) => [many(tool), many((i) => tool(i, { input: { q: count - i } }))],
  'neighbours exchanged': (many) => [
    many((i) => tool(i, { name: `t${i % 7}` })),
    many((i) => tool(i, { input: { q: i ^ 1 }, name: `t${(i ^ 1) % 7}`, output: i === 0 ? 'no' : 'ok' })),
  ],
  'all at once': (many, count) => [
    many((i) => tool(i, { endTime: at(count) })),
    many((i) => tool(i, { endTime: at(count), output: 'no' })),
  ],
  'each below the one before': (many) => [
    many((i) => tool(i, { parentId: i === 0 ? 'root' : `t${i - 1}` })),
    many((i) => tool(i, { parentId: i === 0 ? 'root' : `t${i - 1}`, output: 'no' })),
  ],
  'failures that pass on each other': (many) => [
    many((i) =>
      tool(i, { type: 'span', level: 'ERROR', statusMessage: `e${i}`, parentId: i === 0 ? 'root' : `t${i - 1}` }),
    ),
    many((i) =>
      tool(i, { type: 'span', level: 'ERROR', statusMessage: `f${i}`, parentId: i === 0 ? 'root' : `t${i - 1}` }),
    ),
  ],
  'one id for all calls': (many) => [
    many((i) => tool(i, { callId: 'x' })),
    many((i) => tool(i, { callId: 'y', output: 'no' })),
  ],
  'more and more ids on one side': (many, count) => [
    many((i) => tool(i, { output: { id: idOf(i) } })),
    many((i) => tool(i, { output: { ids: [idOf(count + 2 * i), idOf(count + 2 * i + 1)] } })),
  ],
  'a model call in each of many sub-agents': (many) => [
    many((i) => [tool(i, { output: { found: 1 } }), thinking(i, 'hm')]),
    many((i) => [tool(i, { output: { found: 0 } }), thinking(i, 'hm')]),
  ],
  'all calls in one message': (_, count) => [recorded(askedAtOnce(count, 'ok')), recorded(askedAtOnce(count, 'no'))],
};

function idOf(number: number): string {
  return `a1b2c3d4-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function thinking(number: number, output: Json): Observation {
  return tool(number, {
    id: `g${number}`,
    parentId: `t${number}`,
    type: 'generation',
    name: 'chat',
    input: [],
    output,
  });
}

function askedAtOnce(count: number, output: string): Observation[] {
  const calls = Array.from({ length: count }, (_, i) => ({
    id: `c${i}`,
    type: 'tool_call',
    name: 'search',
    arguments: { q: i },
  }));
  const asked = tool(0, {
    id: 'g',
    type: 'generation',
    name: 'chat',
    input: [],
    output: [{ role: 'assistant', parts: calls }],
  });
  return [asked, ...calls.map((_, i) => tool(i, { startTime: at(i + 1), output }))];
}

test.each(Object.entries(LARGE))('the time grows as the tools do: %s', (_, pairOf) => {
  const pair = (count: number): Pair =>
    pairOf((of) => recorded(Array.from({ length: count }, (_, number) => of(number)).flat()), count);
  const judge = ([a, b]: Pair) => {
    expect(compare(a, structuredClone(a)).verdict).toBe(outcomes.asRecorded);
    expect(compare(a, b).verdict).toBe(outcomes.changed);
  };
  expect(growth(FEW, pair, judge)).toBeLessThan(LINEAR);
});

const TEXTS = ['a1b2c3d4e5f60718 ', 'a1', 'a1-', '`\n', '```a', ' \n', '<a', '2026-01-01T00:00:00Z', '-', '12:', '"a'];

test.each(TEXTS)('the time to read much of %j grows as it does', (piece) => {
  let made = 0;
  const judge = (text: string) => {
    made++;
    // Of a text that was read lately, the parts are kept.
    const [a, b] = ['x', 'y']
      .map((end) => `${text}${end}${made}`)
      .map((each) => recorded([tool(1, { input: { q: each }, output: each })], each)) as [Recording, Recording];
    expect(compare(a, b).verdict).toBe(outcomes.changed);
  };
  expect(growth(SHORT, (size) => piece.repeat(size / piece.length), judge)).toBeLessThan(LINEAR);
});

test('the time to explain behaviours of a hundred steps grows as they do', () => {
  const run = (number: number): Recording =>
    recorded(
      Array.from({ length: 50 }, (_, i) => tool(i, { name: `t${(i * number) % 11}`, input: { q: i * number } })),
    );
  const behaviours = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ run: index + 1, recording: run(index + 2) }));
  const explain = (replays: ReturnType<typeof behaviours>) => {
    const { clusters } = compareTurn([run(1)], replays, rules());
    expect(clusters).toHaveLength(replays.length + 1);
  };
  expect(growth(8, behaviours, explain)).toBeLessThan(LINEAR);
});

const cyclic: { [key: string]: Json } = { a: 1 };
cyclic.content = cyclic;

test.each([
  ['nested 100,000 deep', nested(100_000, 1)],
  ['that holds itself', cyclic],
])('a value %s, which only a program can hand in, is refused by name', (_, value) => {
  const plain = recorded([tool(1)]);
  const model: Partial<Observation> = { id: 'g', type: 'generation', name: 'chat', input: [] };
  const places: Recording[] = [
    withResult(value),
    recorded([tool(1, { input: value })]),
    recorded([tool(1, { level: 'ERROR', output: value })]),
    recorded([], value),
    recorded([tool(1, { ...model, output: value }), tool(2)]),
    recorded([tool(1), tool(1, { output: value })]),
  ];
  // What a model was given is looked at only to find a cause, and only as far as it takes.
  for (const given of [{ input: { tools: value } as Json }, { modelParameters: { deep: value } }]) {
    expect(compare(recorded([tool(1, { ...model, ...given, output: 'hm' })]), plain).verdict).toBe(outcomes.changed);
  }
  for (const run of places) {
    expect(() => compare(run, plain)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    expect(() => compare(plain, run)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  }
  const asked = { messages: [{ role: 'user', content: [value] }] };
  expect(() => compare(plain, plain, {}, asked)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
});
