import { expect, test } from 'vitest';
import { compareRules } from '../../src/compare/index.ts';
import { type Report, renderTerminal } from '../../src/report/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { report, session } from './fixtures/reports.ts';

const answer = (output: string): Recording => ({ output, observations: [] });

/** Sessions whose replays all answer something else than their recordings. */
function reportOf(sessions: number, { recordings, replays }: { recordings: number; replays: number }): Report {
  const comparison = compareTurn(
    Array.from({ length: recordings }, () => answer('yes')),
    Array.from({ length: replays }, (_, index) => ({ run: index + 1, recording: answer('no') })),
    compareRules.parse({}),
  );
  const names = Array.from({ length: sessions }, (_, index) => `s${index + 1}`);
  return report(names.map((name) => session(name, { turns: [{ turn: 1, comparison, failures: [] }] })));
}

test('with several recordings of a turn p is told, and what is left of it among several tests', () => {
  // 5 of 10 runs can be taken in 252 ways, two of which part them so.
  expect(renderTerminal(reportOf(1, { recordings: 5, replays: 5 }), { isVerbose: true })).toMatch(
    /s1, turn 1: p = 0\.00793651: 5 recordings/,
  );
  const text = renderTerminal(reportOf(3, { recordings: 5, replays: 5 }), { columns: 200, isVerbose: true });
  expect(text).toContain('p = 0.00793651, 0.0238095 among 3 tests (Holm): 5 recordings against 5 replays');
  expect(text).not.toContain('that takes');
});

test('tests that cannot show anything say how many recordings it would take', () => {
  const text = renderTerminal(reportOf(3, { recordings: 2, replays: 5 }), { columns: 200, isVerbose: true });
  expect(text).toContain('no test can reach p = 0.05: with 5 replays that takes 4 recordings of a turn');
});

test('one recording is no test, and nothing is told', () => {
  expect(renderTerminal(reportOf(1, { recordings: 1, replays: 5 }), { isVerbose: true })).not.toContain('p = ');
});
