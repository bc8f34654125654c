import { expect, test } from 'vitest';
import { divergenceWords, renderTerminal } from '../../src/report/index.ts';
import { percent } from '../../src/text/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { rules } from '../compare/agents.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import fc from '../fast-check.ts';
import { report, session } from './fixtures/reports.ts';
import { renderJunit } from './rendered.ts';

function answering(answer: string): Recording {
  return { output: answer, observations: [] };
}

/** The report of a session whose replays are as many of each behaviour as the sizes say. */
function reportOf(sizes: readonly number[]) {
  const answers = sizes.flatMap((size, place) => Array.from({ length: size }, () => `The total is ${place + 1} EUR.`));
  const replays = answers.map((answer, index) => ({ run: index + 1, recording: answering(answer) }));
  const comparison = compareTurn([answering('The total is 80 EUR.')], replays, rules());
  return { comparison, report: report([session('totals', { turns: [{ turn: 1, comparison, failures: [] }] })]) };
}

/** Every share that is said to be the agreement. */
function agreementsIn(text: string): string[] {
  return [...text.matchAll(/agree (?:with each other )?(\d+ %)/g)].map(([, share]) => share as string);
}

test('the agreement is the same figure in every output', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 6 }), (sizes) => {
      const { comparison, report } = reportOf(sizes);
      const figure = percent(comparison.figures.agreement);
      const outputs = [renderTerminal(report, { isVerbose: true }), renderJunit(report)];
      for (const text of outputs) expect(new Set(agreementsIn(text.replace(/\s+/g, ' ')))).toEqual(new Set([figure]));
    }),
    { numRuns: 50 },
  );
});

test('two of 21 pairs are 10 %, wherever they stand', () => {
  expect(divergenceWords(reportOf([2, 2, 1, 1, 1]).comparison)).toContain('agree with each other 10 %.');
});

test('only all is 100 % and only none is 0 %', () => {
  expect([0, 0.001, 0.085, 0.5, 0.995, 0.9999, 1, null].map(percent)).toEqual([
    '0 %',
    '1 %',
    '9 %',
    '50 %',
    '99 %',
    '99 %',
    '100 %',
    '–',
  ]);
});
