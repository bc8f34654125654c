import { expect, test } from 'vitest';
import { byName } from '../../src/json/index.ts';
import fc from '../fast-check.ts';

test('names are in the order in which people count', () => {
  const names = [
    'order-10',
    'order-2',
    'order',
    'order-1',
    'a/10.session.json',
    'a/9.session.json',
    'order-2b',
    'order-02',
  ];
  expect(names.sort(byName)).toEqual([
    'a/9.session.json',
    'a/10.session.json',
    'order',
    'order-1',
    'order-02',
    'order-2',
    'order-2b',
    'order-10',
  ]);
});

test('it is one order of all names, whatever they hold', () => {
  const name = fc.stringMatching(/^[a0-2.-]{0,8}$/);
  fc.assert(
    fc.property(name, name, name, (a, b, c) => {
      expect(Math.sign(byName(a, b))).toBe(-Math.sign(byName(b, a)) + 0);
      expect(byName(a, b) === 0).toBe(a === b);
      if (byName(a, b) < 0 && byName(b, c) < 0) expect(byName(a, c)).toBeLessThan(0);
    }),
  );
});
