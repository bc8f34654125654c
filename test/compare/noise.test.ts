import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { rules } from './agents.ts';
import { recordingOf } from './causes/run.ts';
import { compareTurn } from './compare-turn.ts';

function found(result: Json, tool = 'account'): Recording {
  const at = '2026-01-01T00:00:00.000Z';
  const root = { id: 'root', parentId: null, type: 'agent', name: 'turn', startTime: at, endTime: at } as const;
  const call = { ...root, id: 'call', parentId: 'root', type: 'tool', name: tool, input: {}, output: result };
  return { observations: [root, call], output: 'Done.' } as Recording;
}

test('a number that differs in every run is unstable, and never proposed as generated', () => {
  const replays = [101, 102, 103].map((balance, index) => ({ run: index + 1, recording: found({ balance }) }));
  const { noise } = compareTurn([found({ balance: 100 })], replays, rules());
  expect(noise).toMatchObject([{ path: 'tool:account/result/balance', kind: 'unstable', runs: 3 }]);
});

test('the time of the run in what a tool answers is proposed, but not of a tool that may change something', () => {
  const noiseOf = (tool: string) => {
    const answering = (second: number) => found({ at: `Thu, 01 Jan 2026 00:00:0${second} GMT` }, tool);
    const replays = [2, 3].map((second, index) => ({ run: index + 1, recording: answering(second) }));
    return compareTurn([answering(1)], replays, rules()).noise;
  };
  expect(noiseOf('find_account')).toMatchObject([{ path: 'tool:find_account/result/at', kind: 'volatile' }]);
  expect(noiseOf('create_refund')).toEqual([]);
});

test('a path that names every item of a list counts each run once', () => {
  const listing = (at: number) =>
    recordingOf({
      acts: [{ calls: [{ tool: 'list_rooms', args: {}, result: [1, 2, 3].map((room) => ({ price: room * at })) }] }],
      answer: 'Three rooms.',
    });
  const replays = [2, 3, 4].map((at, index) => ({ run: index + 1, recording: listing(at) }));
  const { noise } = compareTurn([listing(1)], replays, rules());
  expect(noise.map(({ runs }) => runs).every((runs) => runs <= 3)).toBe(true);
  expect(noise.length).toBeGreaterThan(0);
});
