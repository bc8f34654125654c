import { expect, test } from 'vitest';
import { type Judged, judged, scoreOf } from './judged.ts';
import { readPairs } from './pairs.ts';

/** Verdicts that are wrong, and known to be: what is not judged by its meaning, and cannot be told by its words. */
const KNOWN: ReadonlySet<string> = new Set([
  'fig-tau-48-layout',
  'other-echo-prose',
  'para-refund-at-no-cost',
  'para-tau-22-not-found',
  'para-tau-0-confirm-price',
  'para-tau-48-options',
  'para-tau-16-general',
  'arg-handoff-summary-reworded',
  'arg-handoff-summary-reworded-48',
  'real-42-summary-reworded',
  'refuse-reworded',
  'unit-million-digits',
  'unit-phone-format',
]);

const development = readPairs('development').map(judged);

function isWrong({ outcome }: Judged): boolean {
  return outcome !== 'right' && outcome !== 'open';
}

test('no pair but those that are known has a wrong verdict', () => {
  const wrong = development.filter(isWrong);
  const told = wrong.map(({ pair, outcome, divergence }) => `${pair.id}: ${outcome}; ${divergence?.sentence ?? ''}`);
  expect(told.filter((line) => !KNOWN.has(line.split(':', 1)[0] ?? ''))).toEqual([]);
});

test('the first divergence is told where it is, with its kind and its cause', () => {
  const otherwise = development.filter(({ otherwise }) => otherwise?.length);
  expect(otherwise.map(({ pair, otherwise }) => `${pair.id}: ${otherwise}`)).toEqual([]);
});

test('of what is judged, recall and precision are .95 at least', () => {
  const { recall, precision } = scoreOf(development);
  expect(recall).toBeGreaterThanOrEqual(0.95);
  expect(precision).toBeGreaterThanOrEqual(0.95);
});

test('no changed meaning passes as recorded, and what is not judged is bounded', () => {
  const { meaning } = scoreOf(development);
  expect(meaning.silent).toBe(0);
  expect(meaning.openShare).toBeLessThanOrEqual(1 / 3);
});
