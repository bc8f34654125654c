import { expect, test } from 'vitest';
import { type Config, loadConfig } from '../../src/config/index.ts';
import { planRun } from '../../src/job/index.ts';
import type { PinnedTurn, Session } from '../../src/session/index.ts';
import { habitsOf } from '../../src/tracing/index.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';

test('how an agent traces is known from all pins: no verdict depends on how a run is divided, or on --grep and --turn', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  const pinned = (id: string) => {
    const pin = pinOf(id, ['hello']) as Session;
    const [turn] = pin.turns as [PinnedTurn];
    // Of d alone, the topmost span is not exported.
    const observations = turn.recorded.observations.map((each) => (id === 'd' ? { ...each, parentId: 'web' } : each));
    return { ...pin, turns: [{ ...turn, recorded: { ...turn.recorded, observations } }] };
  };
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: 'http://127.0.0.1:1/replay' } }),
    ...Object.fromEntries(ids.map((id) => [`replays/${id}.session.json`, JSON.stringify(pinned(id))])),
  });
  const config = await loadConfig({ cwd: folder.path });
  const found = async (of: Config, selection?: object) => {
    const { agents } = await planRun(of, selection);
    return agents.map(({ sessions, habits, pins = [] }) => [
      sessions.length,
      (habits ?? habitsOf(pins.flatMap(({ session }) => session.turns.map(({ recorded }) => recorded)))).hidesTop,
    ]);
  };
  for (const index of [1, 2]) expect(await found({ ...config, shard: { index, count: 2 } })).toEqual([[2, true]]);
  expect(await found(config, { grep: 'b' })).toEqual([[1, true]]);
  expect(await found(config, { turn: 1 })).toEqual([[4, true]]);
});

const planned = (id: string, seconds: number) => {
  const pin = pinOf(id, ['hello']) as Session;
  const [turn] = pin.turns as [PinnedTurn];
  const observations = turn.recorded.observations.map((each, index) => ({
    ...each,
    startTime: '2026-01-01T10:00:00.000Z',
    endTime: new Date(Date.UTC(2026, 0, 1, 10, 0, index === 0 ? seconds : 0)).toISOString(),
  }));
  return { ...pin, turns: [{ ...turn, recorded: { ...turn.recorded, observations } }] };
};

test('shards take about as long as each other, by what the recordings took: a long session stands alone', async () => {
  const seconds = { a: 60, b: 20, c: 15, d: 10, e: 10, f: 1 };
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: 'http://127.0.0.1:1/replay' } }),
    ...Object.fromEntries(
      Object.entries(seconds).map(([id, took]) => [`replays/${id}.session.json`, JSON.stringify(planned(id, took))]),
    ),
  });
  const config = await loadConfig({ cwd: folder.path });
  const shares = [1, 2].map(async (index) => {
    const { sessions, notes } = await planRun({ ...config, shard: { index, count: 2 } });
    return [sessions.map(({ pin }) => pin.session.id).join(''), notes[0]?.split(',')[0]];
  });
  expect(await Promise.all(shares)).toEqual([
    ['a', 'shard 1/2: 1 of 6 sessions'],
    ['bcdef', 'shard 2/2: 5 of 6 sessions'],
  ]);
});

test('maxCalls and maxCost are of all shards together: each says its part, by its calls and by what its recordings took', async () => {
  const seconds = { a: 60, b: 30, c: 10 };
  const priced = Object.entries(seconds).map(([id, took]) => {
    const pin = planned(id, took);
    const [turn] = pin.turns as [PinnedTurn];
    const usage = [{ model: 'm', calls: 1, cost: 0.1 }];
    return [
      `replays/${id}.session.json`,
      { ...pin, turns: [{ ...turn, recorded: { ...turn.recorded, usage } }] },
    ] as const;
  });
  const settings = { agent: { url: 'http://127.0.0.1:1/replay' }, runs: 5, maxCalls: 20, maxCost: 3, workers: 6 };
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify(settings),
    ...Object.fromEntries(priced.map(([file, pin]) => [file, JSON.stringify(pin)])),
  });
  const config = await loadConfig({ cwd: folder.path });
  const plans = [1, 2].map((index) => planRun({ ...config, shard: { index, count: 2 } }));
  const [long, rest] = await Promise.all(plans);
  expect([long?.part?.budget, rest?.part?.budget]).toEqual([
    { maxCalls: 6, maxCost: 1.8 },
    { maxCalls: 13, maxCost: 1.2 },
  ]);
  expect(long?.notes[0]).toMatch(/of outputs, 6 calls at once, 6 of 20 calls of maxCalls, \$1\.80 of \$3 of maxCost$/);
  const { part } = await planRun({ ...config, maxCalls: undefined, maxCost: undefined, shard: { index: 1, count: 2 } });
  expect(part?.budget).toEqual({});
});

test('a shard of no sessions has no part of a budget', async () => {
  const settings = { agent: { url: 'http://127.0.0.1:1/replay' }, allowEmpty: true, maxCalls: 20 };
  await using folder = await folderWith({ 'agent-replay.config.json': JSON.stringify(settings) });
  const config = await loadConfig({ cwd: folder.path });
  const { notes } = await planRun({ ...config, shard: { index: 1, count: 2 } });
  expect(notes[0]).toMatch(/0 of 20 calls of maxCalls$/);
});
