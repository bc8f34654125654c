import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { outcomes } from '../outcomes.ts';
import { EVERY, sampler } from '../sample.ts';
import { type Judged, judged, scoreOf } from './judged.ts';
import { type PairSet, readPairs } from './pairs.ts';
import { figure, tableOf } from './table.ts';

/** Verdicts that are wrong, and known to be: what is not judged by its meaning, and cannot be told by its words. */
const KNOWN = ['arg-handoff-summary-reworded-48', 'other-echo-prose'];

const judgedOf = (set: PairSet) => readPairs(set).filter(sampler()).map(judged);
const development = judgedOf('development');
const heldOut = judgedOf('held-out');

function isWrong({ outcome }: Judged): boolean {
  return outcome !== 'right' && outcome !== 'open';
}

test('no pair but those that are known has a wrong verdict', () => {
  expect(
    development
      .filter(isWrong)
      .map(({ pair }) => pair.id)
      .sort(),
  ).toEqual(KNOWN.filter((id) => development.some(({ pair }) => pair.id === id)));
});

test('the first divergence is told where it is, with its kind and its cause', () => {
  const otherwise = development.filter(({ otherwise }) => otherwise?.length);
  expect(otherwise.map(({ pair, otherwise }) => `${pair.id}: ${otherwise}`)).toEqual([]);
});

describe.each([
  ['the pairs that the comparison was made with', development],
  ['the pairs that nobody looked at while it was made', heldOut],
])('of %s', (_, all) => {
  const { recall, precision, meaning, short } = scoreOf(all);

  test('what is judged is judged with a recall and a precision of .95 at least', () => {
    expect(recall).toBeGreaterThanOrEqual(0.95);
    expect(precision).toBeGreaterThanOrEqual(0.95);
  });

  test('none whose meaning changed passes as recorded', () => {
    expect(meaning.silent).toBe(0);
  });

  test('a third at most of those whose meaning changed are not judged, a tenth of those with short answers', () => {
    expect(meaning.openShare).toBeLessThanOrEqual(1 / 3);
    expect(short.openShare).toBeLessThanOrEqual(0.1);
  });
});

describe('of pairs of other domains and languages, labelled before anything was compared', () => {
  const seen = judgedOf('others-seen');

  test('none that changed passes as recorded', () => {
    const red = seen.filter(({ pair: { label } }) => label === 'changed' || label === 'meaning-changed');
    expect(red.filter(({ verdict }) => verdict === outcomes.asRecorded).map(({ pair }) => pair.id)).toEqual([]);
  });

  test.runIf(EVERY === 1)('what is told of them in docs/comparison.md is what is measured', () => {
    const page = readFileSync(new URL('../../docs/comparison.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
    const { recall, precision } = scoreOf(seen);
    expect(page).toContain(`recall ${figure(recall)} and precision ${figure(precision)}`);
  });
});

test.runIf(EVERY === 1)('README.md has the figures of `npm run verdicts -- --all`', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  expect(page).toContain(tableOf([...development, ...heldOut]));
});
