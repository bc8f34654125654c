import { expect, test } from 'vitest';
import { atomsOf } from '../../src/compare/explain/news.ts';
import { wordDiff } from '../../src/compare/index.ts';
import { compareTexts } from '../../src/compare/text/other-words.ts';
import { Text } from '../../src/compare/text/text.ts';
import { growth, LINEAR } from '../growth.ts';
import { compareLarge, textOf } from './large-texts.ts';

test.each([
  'Your cat cannot pay 5,000.50 before May 20, 2024 to HAT136. ',
  '不可以取消订单',
  '1.0…01',
  'a@b -…x',
  '"a ',
  "'a ",
  '‘a’b',
  '«a',
  '`a\n',
  '```',
  '1,',
  '1. ',
  '1-a:',
  '1.000.',
  'a.',
  'a@',
  'A-',
  '5 of ',
  '$',
  '-',
  ' ',
  '\n',
  '<a',
  '≥',
  'https://',
  'É',
  '👍',
])('texts are compared in time that grows as they do: %j', (piece) => {
  expect(
    growth(
      2 ** 14,
      (size) => textOf(piece, size),
      (text) => compareLarge(text),
    ),
  ).toBeLessThan(LINEAR);
});

test('so are texts full of quotations that the other one does not have', () => {
  const quotes = (size: number) => Array.from({ length: size / 8 }, (_, index) => `"x ${index}"`).join(' ');
  expect(growth(2 ** 14, quotes, (text) => compareLarge(text.replaceAll('"', '`'), text))).toBeLessThan(LINEAR);
});

test.each(['a', '1', 'https://a', '`a', "a'"])('a text of megabytes without a blank is compared: %j', (piece) => {
  const text = textOf(piece, 2 ** 22);
  expect(compareTexts(new Text(text), new Text(`${text} `))).toBe('same');
  expect(compareTexts(new Text(`${text} 1`), new Text(`${text} 2`))).toMatchObject({ because: 'form' });
  expect(wordDiff(`${text} 1`, `${text} 2`).at(-1)).toEqual({ kind: 'added', text: '2' });
});

test.each(['1', '1.', '1,', 'a1'])('so are words and numbers that do not stand alone found: %j', (piece) => {
  const attached = (size: number) => `${textOf(piece, size)}-`;
  expect(growth(2 ** 16, attached, (text) => atomsOf(text))).toBeLessThan(LINEAR);
});
