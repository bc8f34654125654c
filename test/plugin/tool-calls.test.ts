import { expect, test } from 'vitest';
import { callsOf, isTrajectory, type ToolCall, type TrajectoryMode } from '../../plugin/tool-calls.ts';
import fc from '../fast-check.ts';

const call = (name: string, args: unknown = {}): ToolCall => ({ name, args });
const equals = (a: unknown, b: unknown) =>
  (typeof b === 'object' &&
    b !== null &&
    'asymmetricMatch' in b &&
    (b as { asymmetricMatch: (x: unknown) => boolean }).asymmetricMatch(a)) ||
  JSON.stringify(a) === JSON.stringify(b);

const calls = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), args: fc.constantFrom(1, 2) }), {
  maxLength: 6,
});
const matches = (actual: ToolCall[], expected: ToolCall[], mode: TrajectoryMode) =>
  isTrajectory(actual, expected, mode, equals);

test('calls match themselves in every mode', () => {
  fc.assert(
    fc.property(calls, fc.constantFrom('strict', 'unordered', 'subset', 'superset'), (some, mode) =>
      matches(some, [...some], mode),
    ),
  );
});

test('unordered looks at the calls, not at their order', () => {
  fc.assert(
    fc.property(calls, fc.infiniteStream(fc.nat()), (some, order) => {
      const keys = some.map(() => order.next().value ?? 0);
      const shuffled = some.map((each, index) => ({ each, key: keys[index] ?? 0 })).sort((a, b) => a.key - b.key);
      return matches(
        some,
        shuffled.map(({ each }) => each),
        'unordered',
      );
    }),
  );
});

test('with further calls it is a superset and no subset, and the other way round', () => {
  fc.assert(
    fc.property(calls, calls, (some, others) => {
      fc.pre(others.length > 0);
      const all = [...others, ...some];
      expect(matches(all, some, 'superset')).toBe(true);
      expect(matches(some, all, 'subset')).toBe(true);
      expect(matches(all, some, 'unordered')).toBe(false);
      expect(matches(some, all, 'superset')).toBe(false);
      expect(matches(all, some, 'subset')).toBe(false);
    }),
  );
});

test('a call that fits several expectations takes the one that leaves a place for the others', () => {
  const actual = [call('search', 'kettle'), call('search', 'tent')];
  const expected = [
    { name: 'search', args: expect.any(String) },
    { name: 'search', args: 'kettle' },
  ];
  expect(isTrajectory(actual, expected, 'unordered', equals)).toBe(true);
  expect(isTrajectory(actual, expected, 'strict', equals)).toBe(false);
});

test('the calls of a trace are its steps of that kind', () => {
  const steps = [
    { kind: 'call', name: 'search', value: { q: 1 } },
    { kind: 'result', name: 'search', value: 'found' },
    { kind: 'final', value: 'search' },
  ] as const;
  expect(callsOf({ steps })).toEqual([call('search', { q: 1 })]);
});
