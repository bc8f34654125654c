import { expect, test } from 'vitest';
import type { CompareRules } from '../../src/compare/index.ts';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { type Act, PLAIN, RUNS, record, rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const WALLETS = ['51aa0c7be23f4d18', '77c0d1e9a4b25f36', '9b3e5f7a1c2d4e68', 'a0b1c2d3e4f56789'] as const;

/** A turn that reads something, uses it, and answers. */
function turnOf(
  value: string,
  { tool = 'get_wallet', answer = 'All of it has been paid, and nothing is left to do.' } = {},
): Recording {
  const call = (name: string, args: Record<string, Json>, result: Json): Act => ({
    thought: '',
    calls: [{ tool: name, args, result }],
  });
  return record(
    {
      request: { messages: [{ role: 'user', content: 'pay' }] },
      acts: [call(tool, { of: 7 }, { wallet: value }), call('xfer', { to: value }, { paid: true })],
      answer,
    },
    PLAIN,
  );
}

function compared(
  recordings: readonly string[],
  replays: readonly string[],
  given: Partial<CompareRules> & { tool?: string } = {},
) {
  const { tool = 'get_wallet', ...rest } = given;
  const turn = (value: string) => turnOf(value, { tool });
  return compareTurn(
    recordings.map(turn),
    replays.map((value, index) => ({ run: index + 1, recording: turn(value) })),
    rules(rest),
  );
}

const [A, B, C, D] = WALLETS;

test('what a read gives out alike in all recordings and in all replays, and another one, is no new id: it counts', () => {
  for (const [recordings, replays] of [
    [[A], [B, B]],
    [[A], [B, B, B, B, B]],
    [[A, A], [B]],
    [
      [A, A, A],
      [B, B],
    ],
  ] as const) {
    const { verdict, divergence } = compared(recordings, replays);
    expect(verdict).toBe(outcomes.changed);
    expect(divergence).toMatchObject({
      kind: 'result',
      tool: 'get_wallet',
      pointer: '/wallet',
      recorded: A,
      replayed: B,
      cause: { kind: 'environment' },
      others: [],
    });
  }
});

test('what differs from run to run is a new id, and one run of each side cannot tell', () => {
  for (const [recordings, replays] of [
    [[A], [B]],
    [[A], [B, C]],
    [[A], [B, B, C]],
    [
      [A, B],
      [C, C],
    ],
    [
      [A, A],
      [B, C],
    ],
    [[A], [A, A]],
    [[A, A], [A]],
  ] as const) {
    expect([recordings, replays, compared(recordings, replays).verdict]).toEqual([
      recordings,
      replays,
      outcomes.asRecorded,
    ]);
  }
});

test('what a tool gives out that may change something is a new id, alike or not', () => {
  expect(compared([A], [B, B], { tool: 'create_wallet' }).verdict).toBe(outcomes.asRecorded);
  expect(compared([A], [B, B], { tools: { get_wallet: { mutating: true } } }).verdict).toBe(outcomes.asRecorded);
  expect(compared([A], [B, B], { tool: 'create_wallet', tools: { create_wallet: { readOnly: true } } }).verdict).toBe(
    outcomes.changed,
  );
});

test('a value that is no id is one in every run, in whatever order they come', () => {
  const values = fc.array(fc.constantFrom(A, B, C, D), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(values, values, fc.nat(), (recordings, replays, seed) => {
      const shuffled = replays
        .map((value, index) => ({ run: index + 1, recording: turnOf(value), key: Math.imul(seed + index, 0x9e3779b1) }))
        .sort((a, b) => a.key - b.key);
      const comparison = compareTurn(
        recordings.map((value) => turnOf(value)),
        shuffled,
        rules(),
      );
      expect(JSON.stringify(comparison)).toBe(JSON.stringify(compared(recordings, replays)));
      const isAlike = [recordings, replays].every((side) => new Set(side).size === 1);
      const isKnown = Math.max(recordings.length, replays.length) > 1;
      expect(comparison.verdict).toBe(
        isAlike && isKnown && recordings[0] !== replays[0] ? outcomes.changed : outcomes.asRecorded,
      );
    }),
    { numRuns: Math.min(RUNS, 200) },
  );
});
