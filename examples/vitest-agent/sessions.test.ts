import { session, withReplay } from 'agent-replay/vitest';
import { describe, expect, inject, test } from 'vitest';
import returns from './replays/returns.session.json' with { type: 'json' };

describe('a session', () => {
  test('does what was recorded', async () => {
    await expect(session('returns')).toReproduce();
    await expect(session('returns', { turn: 1 })).toReproduce({ runs: 5, strictness: 'steps' });
  });

  test('agrees with itself, whatever was recorded', async () => {
    await expect(session('returns')).toAgree({ runs: 4 });
  });

  test('may say another ticket id each time: generated ids are no difference', async () => {
    await expect(session('complaint')).toReproduce({ strictness: 'exact' });
  });
});

describe('a trace', () => {
  test('holds the calls of tools', async () => {
    const [trace] = await session('complaint').replay({ runs: 1 });
    expect(trace).toHaveCalledTool('create_ticket');
    expect(trace).toHaveCalledTool('create_ticket', expect.objectContaining({ priority: 'high' }));
    expect(trace).not.toHaveCalledTool('create_ticket', { subject: expect.stringContaining('refund') });
    expect(trace?.output).toMatch(/your ticket is tk_/);
  });

  test('is a trajectory', async () => {
    const [trace] = await session('returns').replay({ runs: 1 });
    expect(trace).toMatchTrajectory(['search_help_articles']);
    expect(trace).toMatchTrajectory([{ name: 'search_help_articles', args: { query: expect.any(String) } }], {
      mode: 'unordered',
    });
    expect(trace).toMatchTrajectory(['search_help_articles', 'create_ticket'], { mode: 'subset' });
    expect(trace).toMatchTrajectory([], { mode: 'superset' });
    expect(trace).not.toMatchTrajectory(['create_ticket'], { mode: 'strict' });
  });
});

test.extend(withReplay)('raw results say all there is, and fail nothing', async ({ replay }) => {
  const { result, traces, runs } = await replay('complaint', { turn: 1, runs: 2, strictness: 'wording' });
  expect(result.verdict).toBe('as-recorded');
  expect(traces).toHaveLength(1);
  expect(runs.map(({ outcome }) => outcome)).toEqual(['replayed', 'replayed']);
});

test('the agent that was started can be called directly, and a pin is its JSON', async () => {
  const [agent] = inject('agentReplay').agents;
  expect(agent?.id).toBe('night-desk');
  const [turn] = returns.turns;
  const answer = await fetch(agent?.url ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...agent?.headers },
    body: JSON.stringify({ ...turn?.request, is_replay: true }),
  });
  expect(answer.status).toBe(200);
});
