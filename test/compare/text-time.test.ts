import { expect, test } from 'vitest';
import { compareTexts } from '../../src/compare/text/rewording.ts';
import { Text } from '../../src/compare/text/text.ts';
import { wordDiff } from '../../src/compare/text/text-diff.ts';
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

test.each(['a', '1', 'https://a', '`a', "a'"])('a text of megabytes without a blank is compared: %j', (piece) => {
  const text = textOf(piece, 2 ** 22);
  expect(compareTexts(new Text(text), new Text(`${text} `))).toBe('same');
  expect(compareTexts(new Text(`${text} 1`), new Text(`${text} 2`))).toMatchObject({ because: 'form' });
  expect(wordDiff(`${text} 1`, `${text} 2`).at(-1)).toEqual({ kind: 'added', text: '2' });
});
