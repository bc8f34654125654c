import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { appendHistory, readHistory } from '../../src/job/index.ts';
import type { Report } from '../../src/report/index.ts';
import { RunHistory } from '../../src/report/index.ts';
import { Results } from '../../src/ui/results.ts';
import { outcomes } from '../outcomes.ts';
import { report, session, turn } from '../report/fixtures/reports.ts';

/** A run of a live agent, which is as far from its recordings as given. */
function night(day: number, away: number): Report {
  const place = (of: number): [number, number] => [of, 0];
  const marks = [{ id: 'id-refund 1', key: 'k', recorded: [90, 95, 92].map(place), replayed: [away, away].map(place) }];
  const evidence = { startedAt: new Date(Date.UTC(2026, 10, day, 2)).toISOString() };
  const shift = { varying: 1, recordings: 5, reach: null, suites: [], marks };
  const made = session('refund', { gate: 'shift', turns: [turn({ verdict: outcomes.asRecorded, clusters: [5] })] });
  return report([made], { shift, evidence });
}

test('what is tried out on the page is in the history, and is no night: the nights of runs go on behind it', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'results-'));
  const file = path.join(folder.path, '.agent-replay', 'history.ndjson');
  for (const day of [1, 2, 3]) {
    const before = await readHistory(file).catch(() => new RunHistory());
    await appendHistory(file, before.entryOf(night(day, 93)));
  }
  const results = new Results(folder.path);
  await results.keep('id-refund', results.newId(), night(4, 700));
  const history = await readHistory(file);
  expect(history.entries).toHaveLength(4);
  const evidenceOf = ({ results: { drift } }: Report) => drift?.map(({ nights, evidence }) => ({ nights, evidence }));
  const without = new RunHistory({ entries: history.entries.slice(0, 3), unreadable: 0 });
  expect(evidenceOf(history.judged(night(5, 93)))).toMatchObject([{ nights: 4 }]);
  expect(evidenceOf(history.judged(night(5, 93)))).toEqual(evidenceOf(without.judged(night(5, 93))));
});
