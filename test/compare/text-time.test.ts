import { expect, test } from 'vitest';
import { growth, LINEAR } from '../growth.ts';
import { compareLarge, textOf } from './large-texts.ts';

test.each(['Your cat cannot pay 5,000.50 before May 20, 2024 to HAT136. ', '1.0…01'])(
  'texts are compared in time that grows as they do: %j',
  (piece) => {
    expect(
      growth(
        2 ** 15,
        (size) => textOf(piece, size),
        (text) => compareLarge(text),
      ),
    ).toBeLessThan(LINEAR);
  },
);
