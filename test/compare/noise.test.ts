import { expect, test } from 'vitest';
import { compareTurn } from '../../src/compare/index.ts';
import type { Json, Recording } from '../../src/contract/index.ts';
import { rules } from './agents.ts';

function found(result: Json): Recording {
  const at = '2026-01-01T00:00:00.000Z';
  const root = { id: 'root', parentId: null, type: 'agent', name: 'turn', startTime: at, endTime: at } as const;
  const call = { ...root, id: 'call', parentId: 'root', type: 'tool', name: 'account', input: {}, output: result };
  return { observations: [root, call], output: 'Done.' } as Recording;
}

test('a number that differs in every run is unstable, and never proposed as generated', () => {
  const replays = [101, 102, 103].map((balance, index) => ({ run: index + 1, recording: found({ balance }) }));
  const { noise } = compareTurn([found({ balance: 100 })], replays, rules());
  expect(noise).toMatchObject([{ path: 'tool:account/result/balance', kind: 'unstable', runs: 3 }]);
});
