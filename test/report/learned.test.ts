import { expect, test } from 'vitest';
import { type CompareRules, compareRules } from '../../src/compare/index.ts';
import type { Json } from '../../src/json/index.ts';
import { learnedIn, learnedRules } from '../../src/report/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { report, session } from './fixtures/reports.ts';

const TIME = new Date(0).toISOString();

/** A turn with one call of a tool that answers with a value under a key. */
function turnOf(value: Json, { name = 'lookup', key = 'trace', output = 'Found.' } = {}): Recording {
  const times = { startTime: TIME, endTime: TIME };
  return {
    output,
    observations: [{ id: 't', parentId: null, type: 'tool', name, ...times, input: {}, output: { [key]: value } }],
  };
}

function learned(
  recorded: Recording,
  replays: readonly Recording[],
  { requested = replays.length, identities = 'renamed' as CompareRules['identities'] } = {},
): string[] {
  const runs = replays.map((recording, index) => ({ run: index + 1, recording }));
  const comparison = compareTurn([recorded], runs, compareRules.parse({ identities }), { requested });
  const outcome = session('one', { turns: [{ turn: 1, comparison, failures: [] }] });
  return learnedRules(report([outcome])).map(({ path }) => path);
}

const VALUES = ['9f86d081', '7f83b165', 'ef2d127d'];

test('a place where every replay has another generated value is learned', () => {
  expect(
    learned(
      turnOf('2c26b46b'),
      VALUES.map((value) => turnOf(value)),
    ),
  ).toEqual(['tool:lookup/result/trace']);
});

test('nothing is learned of a turn that lost a run, or where something else that counts differs', () => {
  const replays = VALUES.map((value) => turnOf(value));
  expect(learned(turnOf('2c26b46b'), replays, { requested: 4 })).toEqual([]);
  expect(learned(turnOf('2c26b46b', { output: 'Refused.' }), replays)).toEqual([]);
});

test('where somebody is asked, a number that is another one in every run and that nothing uses is proposed, too', () => {
  // Far from the clock of these runs, which stands at 0.
  const key = { key: 'weight' };
  const proposed = (replays: readonly Recording[]) => {
    const runs = replays.map((recording, index) => ({ run: index + 1, recording }));
    const comparison = compareTurn([turnOf(505_000, key)], runs, compareRules.parse({}), { requested: replays.length });
    return learnedIn([{ place: 'one', comparison }], { areAsked: true }).map(({ path }) => path);
  };
  expect(proposed([470_001, 912_000, 999_000, 831_000, 973_000].map((taken) => turnOf(taken, key)))).toEqual([
    'tool:lookup/result/weight',
  ]);
  expect(proposed([505_000, 912_000, 999_000, 831_000, 973_000].map((taken) => turnOf(taken, key)))).toEqual([]);
  expect(
    proposed(
      [470_001, 912_000, 999_000, 831_000, 973_000].map((price) =>
        turnOf(price, { ...key, output: `It costs ${price}.` }),
      ),
    ),
  ).toEqual([]);
});

test('a place at which a value repeats is not learned', () => {
  const repeated = [VALUES[0], VALUES[0], VALUES[1]].map((value) => turnOf(value as string));
  expect(learned(turnOf('2c26b46b'), repeated)).toEqual([]);
});

test.each<[string, [Json, Json, Json], boolean]>([
  ['uuids', [1, 2, 3].map((n) => `${n}b9a7c52-3f51-4f0e-9a55-0123456789ab`) as [string, string, string], true],
  ['ulids', ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01BX5ZZKBKACTAV9WEVGEMMVRZ', '01CX5ZZKBKACTAV9WEVGEMMVS1'], true],
  ['hashes', ['sha256:9f86d081884c', 'sha256:7f83b1657ff1', 'sha256:ef2d127de37b'], true],
  ['tokens', ['V1StGXR8Z5jd', 'kQ7bX2m9LpR4', 'a8Zk3Lm0QwE2'], true],
  ['times of the run', [1, 2, 3].map((n) => new Date(n * 1_000).toUTCString()) as [string, string, string], true],
  ['times of another day', ['3 Mar 2026 10:00:00 GMT', '4 Mar 2026 10:00:00 GMT', '5 Mar 2026 10:00:00 GMT'], false],
  ['amounts', ['120.50', '80.00', '99.90'], false],
  ['numbers', [120, 80, 99], false],
  ['dates', ['2026-03-04', '2026-03-05', '2026-03-06'], false],
  ['customers', ['CUS-104829', 'CUS-204830', 'CUS-304831'], false],
  ['orders', ['ORD-2026-0012', 'ORD-2026-0013', 'ORD-2026-0014'], false],
  ['booking codes', ['4WQ150', 'HATHAT', '8XK2P1'], false],
  ['names', ['Ann Smith', 'Bob Miller', 'Cyd Young'], false],
  ['words', ['green', 'blue', 'grey'], false],
])('of %s that vary from run to run in what a tool answers: learned, or told and not', (_, values, isLearned) => {
  const [recorded, ...replays] = values.map((value) => turnOf(value)) as [Recording, ...Recording[]];
  expect(learned(recorded, replays, { identities: 'literal' })).toEqual(isLearned ? ['tool:lookup/result/trace'] : []);
});

test('nothing is learned of an answer, of arguments, nor of a tool that may change something', () => {
  const replays = (odd: Parameters<typeof turnOf>[1]) => VALUES.map((value) => turnOf(value, odd));
  expect(learned(turnOf('2c26b46b', { name: 'book' }), replays({ name: 'book' }))).toEqual([]);
  const answers = VALUES.map((value) => ({ ...turnOf('same'), output: JSON.stringify({ token: value }) }));
  expect(learned({ ...turnOf('same'), output: '{"token":"2c26b46b"}' }, answers)).toEqual([]);
  const asked = (value: string): Recording => ({
    output: 'Found.',
    observations: turnOf('same').observations.map((each) => ({ ...each, input: { token: value } })),
  });
  expect(learned(asked('2c26b46b'), VALUES.map(asked))).toEqual([]);
});

test('names of tools and keys cannot make a rule wider, nor two of one', () => {
  for (const odd of [{ name: '*' }, { name: 'a/result' }, { key: '*' }, { key: 'x\noutput' }, { key: 'x\u202e' }]) {
    expect(
      learned(
        turnOf('2c26b46b', odd),
        VALUES.map((value) => turnOf(value, odd)),
      ),
    ).toEqual([]);
  }
});
