import { expect, test } from 'vitest';
import { type Report, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import { causesOf } from '../../src/report/words/pages.ts';
import { growth, LINEAR } from '../growth.ts';
import { REPORTS } from './fixtures/reports.ts';
import { renderHtml, renderJson, renderJunit } from './rendered.ts';

const RUNS_OF_EACH = 20;

/** A report of so many times the sessions, and runs. */
function times(size: number): Report {
  const { mixed } = REPORTS;
  const all = <T>(values: readonly T[], named: (value: T, index: number) => T): T[] =>
    Array.from({ length: size }, (_, index) => values.map((value) => named(value, index))).flat();
  const sessions = all(mixed.results.sessions, (each, index) => ({ ...each, id: `${each.id}-${index}` }));
  const runs = sessions.flatMap(({ id: session }) =>
    Array.from({ length: RUNS_OF_EACH }, (_, index) => ({
      session,
      turn: 1,
      run: index + 1,
      replayRunId: `${session}.${index}`,
      attempts: 1,
      outcome: 'replayed' as const,
    })),
  );
  return { ...mixed, results: { ...mixed.results, sessions }, evidence: { ...mixed.evidence, runs } };
}

test.each([
  ['JSON', renderJson],
  ['JUnit', renderJunit],
  ['Markdown', renderMarkdown],
  ['the table', (report: Report) => renderTerminal(report)],
  ['the start of the HTML report', ({ results }: Report) => causesOf(results.sessions)],
] as const)('fault 104: of thousands of sessions %s is made in linear time', (_, render) => {
  expect(growth(40, times, render)).toBeLessThan(LINEAR);
});

test('fault 104: the HTML report holds all of them', async () => {
  expect((await renderHtml(times(200))).length).toBeGreaterThan(100_000);
});
