import { expect, test } from 'vitest';
import { command } from './command.ts';
import { projectWith } from './project.ts';

const OVERRIDES = [
  { sessions: 'replays/often.session.json', runs: 3 },
  { sessions: 'replays/{often,calm}.session.json', failOn: { did: [], said: [], path: [] } },
  { sessions: 'replays/calm*', gate: 'every-run' as const },
  { sessions: 'replays/gone-*', runs: 9 },
];

test('sessions are replayed and judged by what is their own, and a pattern that means no pin is told', async () => {
  await using project = await projectWith({
    sessions: { often: 'a', calm: 'b', plain: 'c' },
    config: { overrides: OVERRIDES },
  });
  const cwd = project.path;
  const dry = await command(['run', '--dry-run'], { cwd });
  expect(dry.stdout).toContain(
    'replays/often.session.json: often, 1 turn, 3 replays; its own: runs 3, fails on could not tell',
  );
  expect(dry.stdout).toContain('replays/plain.session.json: plain, 1 turn, 2 replays\n');
  expect(dry.stdout).toContain('note: no pin matches replays/gone-* of overrides');
  expect(dry.stdout).toContain('gate: 1 run by run (a gate of their own).');
  expect(dry.stdout).toContain('3 sessions, 3 turns, 7 replays; nothing was sent');

  const changed = await command(
    ['run', '--quiet', '--set', 'agent.env.PREFIX=new ', '--set', `agent.env.PORT=${project.port}`],
    { cwd },
  );
  expect(changed.code).toBe(1);
  expect(changed.stderr).toContain('note: no pin matches replays/gone-*');
  expect(changed.stdout).toContain('Own settings: runs 3, fails on could not tell: often.');
  const { results, evidence } = await project.report();
  expect(results.sessions.map(({ id, level, turns }) => [id, level, turns[0]?.comparison.requested])).toEqual([
    ['calm', 'warn', 2],
    ['often', 'warn', 3],
    ['plain', 'error', 2],
  ]);
  expect(evidence.usage.calls).toBe(7);

  const byHand = await command(['run', '--dry-run', '--runs', '1', 'replays/often.session.json'], { cwd });
  expect(byHand.stdout).toContain('1 session, 1 turn, 1 replay; nothing was sent');
  expect(byHand.stdout).not.toContain('no pin matches');
});
