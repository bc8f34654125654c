import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { linesOf, runJob } from '../../src/job/index.ts';
import { GATES } from '../../src/job/judging/gates.ts';
import type { Gate } from '../../src/job/records/extension-points.ts';
import { parseReport } from '../../src/report/index.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';
import { startAgent } from './answering-agent.ts';

/** Two further runs where the first ones do not agree; then most of them decide. */
const vote: Gate = {
  name: 'vote',
  how: 'by vote',
  why: () => ' (most of five runs decide)',
  units: ({ pin, turns }) =>
    pin.session.id === 'voted' ? turns.map((turn) => ({ id: `vote ${turn}`, turns: [turn], more: 2 })) : undefined,
  looks: (sessions) =>
    sessions.flatMap(({ outcome, head, looks }) => {
      const first = head?.requested ?? 0;
      const split = outcome.turns.filter(({ comparison: { figures } }) => figures.asRecorded < first);
      if (looks.length > 0 || split.length === 0) return [];
      return {
        session: outcome.id,
        turns: split.map(({ turn }) => turn),
        from: first + 1,
        to: first + 2,
        why: 'its runs differ',
      };
    }),
  verdict: (sessions) => ({
    sessions: sessions.map(({ outcome }) => ({
      ...outcome,
      gate: 'vote',
      turns: outcome.turns.map((turn) => {
        const { figures, conclusive } = turn.comparison;
        const verdict = 2 * figures.asRecorded > conclusive ? outcomes.asRecorded : outcomes.changed;
        return { ...turn, comparison: { ...turn.comparison, verdict } };
      }),
    })),
  }),
};

/** Its agent answers so, but in its second run. */
const pin = (id: string) => JSON.stringify(pinOf(id, ['other'])).replaceAll('answer to other', 'answer to a');

test('a gate is added in one place: it plans its runs, looks again, and judges its sessions; others keep their own', async () => {
  await using agent = await startAgent();
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: agent.url }, tracing: 'none', runs: 3 }),
    'replays/1.session.json': pin('voted'),
    'replays/2.session.json': pin('each'),
  });
  const config = await loadConfig({ cwd: folder.path });
  GATES.unshift(vote);
  onTestFinished(() => void GATES.shift());
  const seen: unknown[] = [];
  const report = await runJob(config, {
    on: (event) => {
      if (event.kind === 'planned') seen.push([event.plan.calls, event.plan.moreCalls]);
      if (event.kind === 'look') seen.push(linesOf(event));
    },
  });
  const { results, evidence } = report;
  expect(seen).toEqual([[6, 2], ['looking again at 1 session with 2 more replays, because its runs differ']]);
  expect(results.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['voted', outcomes.asRecorded],
    ['each', outcomes.varies],
  ]);
  expect(results.gates).toBe('1 session by vote (most of five runs decide), 1 run by run (fewer than 5).');
  expect(parseReport(JSON.stringify(report))).toMatchObject({ results: { sessions: [{ gate: 'vote' }, {}] } });
  expect(evidence.runs.filter(({ session }) => session === 'voted')).toHaveLength(5);
});
