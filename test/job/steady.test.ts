import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { steadySessions } from '../../src/job/judging/steady.ts';
import type { Pin } from '../../src/session/index.ts';

const CONFIG = parseConfig({ agent: { command: 'x', url: 'http://127.0.0.1:1/replay' } }, { folder: '/' });

const AT = { startTime: '2026-01-01T00:00:00.000Z', endTime: '2026-01-01T00:00:01.000Z' };

/** A session whose runs each gave one of these answers. */
function pinOf(id: string, answers: readonly string[]): Pin {
  const recordingOf = (output: string) => ({
    output,
    observations: [{ id: 'r', parentId: null, type: 'agent' as const, name: 'turn', ...AT, output }],
  });
  const baselines = answers.map((answer, index) => ({
    ...recordingOf(answer),
    made: { at: '2026-01-01T00:00:00.000Z', run: index + 1, models: [] },
  }));
  const turn = { request: { input: 'hi' }, recorded: recordingOf('It costs 5 EUR.'), baselines };
  return {
    path: `replays/${id}.session.json`,
    session: { version: 1, stepsVersion: 1, id, turns: [turn] },
    turns: [{ ok: true }],
    locate: () => undefined,
  };
}

const alike = (id: string, made = 5) => pinOf(id, Array(made).fill('It costs 5 EUR.'));
const varying = (id: string, odd = 'It costs 7 EUR.') => pinOf(id, [...Array(4).fill('It costs 5 EUR.'), odd]);
const many = (count: number) => Array.from({ length: count }, (_, index) => alike(`alike-${index}`));

test('an agent is steady while the recordings of at least nine of ten of its sessions are alike', () => {
  expect(steadySessions(many(3), CONFIG)).toEqual(new Set(['alike-0', 'alike-1', 'alike-2']));
  const nine = steadySessions([varying('one'), ...many(9)], CONFIG);
  expect([nine.size, nine.has('one')]).toEqual([9, false]);
  expect(steadySessions([varying('one'), ...many(8)], CONFIG).size).toBe(0);
  expect(steadySessions([...many(18), varying('one'), varying('two'), varying('three')], CONFIG).size).toBe(0);
});

test('a session with fewer than five recordings made by runs tells nothing about it', () => {
  expect(steadySessions([alike('few', 4)], CONFIG).size).toBe(0);
  expect(steadySessions([pinOf('few', ['It costs 5 EUR.', 'It costs 7 EUR.']), ...many(1)], CONFIG)).toEqual(
    new Set(['alike-0']),
  );
});

test('recordings that answer in other words are not alike', () => {
  expect(steadySessions([varying('one', 'The price is 5 EUR.')], CONFIG).size).toBe(0);
});
