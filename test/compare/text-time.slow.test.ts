import { expect, test } from 'vitest';
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
  expect(growth(2 ** 16, (size) => textOf(piece, size), compareLarge)).toBeLessThan(LINEAR);
});

test('so are texts of up to 4 MB', () => {
  const prose = 'Your cat cannot pay 5,000.50 before May 20, 2024 to HAT136. ';
  expect(growth(2 ** 20, (size) => textOf(prose, size), compareLarge)).toBeLessThan(LINEAR);
});
