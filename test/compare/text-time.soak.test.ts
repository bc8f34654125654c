import { expect, test } from 'vitest';
import { growth, LINEAR } from '../growth.ts';
import { compareLarge, textOf } from './large-texts.ts';

test('texts of up to 4 MB are compared in time that grows as they do', () => {
  const prose = 'Your cat cannot pay 5,000.50 before May 20, 2024 to HAT136. ';
  expect(
    growth(
      2 ** 20,
      (size) => textOf(prose, size),
      (text) => compareLarge(text),
    ),
  ).toBeLessThan(LINEAR);
});
