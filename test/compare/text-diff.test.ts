import { expect, test } from 'vitest';
import { type DiffPart, wordDiff } from '../../src/compare/text/text-diff.ts';
import fc from '../fast-check.ts';
import { growth, LINEAR } from '../growth.ts';

const join = (parts: readonly DiffPart[], without: DiffPart['kind']): string =>
  parts
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');
const brief = (a: string, b: string): string =>
  wordDiff(a, b)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'removed' ? '[-' : '[+'}${text}]`))
    .join('');

test.each([
  ['', '', ''],
  ['one two', 'one two', 'one two'],
  ['', 'new', '[+new]'],
  ['old', '', '[-old]'],
  ['refund of 10 EUR, done', 'refund of 20 EUR, done', 'refund of [-10 ][+20 ]EUR, done'],
  ['it is sent', 'it is not sent', 'it is [+not ]sent'],
  ['a b c d', 'a c d e', 'a [-b ]c [-d][+d e]'],
  ['see <refund.hex#1>.', 'see <ticket.hex#1>.', 'see [-<refund.hex#1>][+<ticket.hex#1>].'],
  ['really?', 'really.', 'really[-?][+.]'],
  ['one\ntwo', 'one two', '[-one\n][+one ]two'],
  ['您可以取消', '您不可以取消', '您[+不]可以取消'],
  ['👍🏽 done', '👎🏽 done', '[-👍][+👎]🏽 done'],
])('%j against %j', (a, b, expected) => {
  expect(brief(a, b)).toBe(expected);
});

const word = fc.oneof(fc.constantFrom('a', 'b', 'c', ' ', ', ', '\n', 'ä', '取', '👍'), fc.string({ unit: 'binary' }));
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(''));

test('both sides can be put together again to the letter, and no two neighbours are of one kind', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const parts = wordDiff(a, b);
      expect([join(parts, 'added'), join(parts, 'removed')]).toEqual([a, b]);
      for (const [index, part] of parts.entries()) {
        expect(part.text).not.toBe('');
        expect(part.kind).not.toBe(parts[index - 1]?.kind);
        expect([part.kind, parts[index + 1]?.kind]).not.toEqual(['added', 'removed']);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('equal texts are one part, and only those have nothing removed or added', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(wordDiff(a, a)).toEqual(a === '' ? [] : [{ kind: 'same', text: a }]);
      expect(wordDiff(a, b).every(({ kind }) => kind === 'same')).toBe(a === b);
    }),
    { numRuns: 1_000 },
  );
});

const words = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(' ');

test('what both begin and end with is kept apart where too much differs', () => {
  const [a, b] = [`at first ${words(1_000, 'x')} at last`, `at first ${words(1_000, 'y')} at last`];
  expect(wordDiff(a, b).map(({ kind, text }) => [kind, text.slice(0, 9)])).toEqual([
    ['same', 'at first '],
    ['removed', 'x0 x1 x2 '],
    ['added', 'y0 y1 y2 '],
    ['same', 'at last'],
  ]);
});

test.each([
  ['nothing in common', (n: number) => [words(n, 'x'), words(n, 'y')]],
  ['the same words in another order', (n: number) => [words(n, 'x'), words(n, 'x').split(' ').reverse().join(' ')]],
  ['a change at both ends', (n: number) => [`a ${words(n, 'x')} b`, `b ${words(n, 'x')} a`]],
  ['one word again and again', (n: number) => ['a '.repeat(n), `b ${'a '.repeat(n)}b`]],
] as const)('time is linear in texts with %s', (_, pair) => {
  const diff = ([a = '', b = '']: readonly string[]) => wordDiff(a, b);
  const [a = '', b = ''] = pair(4_000);
  const parts = wordDiff(a, b);
  expect([join(parts, 'added') === a, join(parts, 'removed') === b]).toEqual([true, true]);
  expect(growth(1_000, pair, diff)).toBeLessThan(LINEAR);
});
