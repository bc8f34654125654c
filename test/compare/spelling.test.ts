import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { outcomes } from '../outcomes.ts';
import { type Act, compare, type Rendering, record } from './agents.ts';

const AS_SEEN: Rendering = { shape: 'chat', seed: 1, startMs: 0, tickMs: 1, shuffle: 0, spelling: 'plain' };

type Made = readonly [tool: string, args: JsonObject, result?: Json];

function verdict(recorded: readonly Made[], replayed: readonly Made[], answers = ['Done.', 'Done.']): string {
  const [a, b] = [recorded, replayed].map((calls, side) => {
    const acts = calls.map(([tool, args, result = 'ok']): Act => ({ thought: '', calls: [{ tool, args, result }] }));
    return record({ request: { input: 'Please do it for Q-7.' }, acts, answer: answers[side] as string }, AS_SEEN);
  }) as [ReturnType<typeof record>, ReturnType<typeof record>];
  return compare(a, b).verdict;
}

test.each<[string, Made, Made]>([
  ['null for an absent option', ['book', { id: 7, note: null }], ['book', { id: 7 }]],
  ['an empty text for one that is null', ['book', { id: 7, note: '' }], ['book', { id: 7, note: null }]],
  ['an empty list for an absent option', ['book', { id: 7, extras: [] }], ['book', { id: 7 }]],
  ['addressees in another order', ['send', { to: 'a@x.org, b@x.org' }], ['send', { to: 'b@X.org,a@x.org' }]],
  ['a path with ./', ['delete_file', { path: './tmp/a.log' }], ['delete_file', { path: 'tmp/a.log' }]],
  ['seconds of zero', ['book', { at: '2026-03-05T10:00' }], ['book', { at: '2026-03-05T10:00:00' }]],
  ['a zone', ['book', { at: '2026-03-05T10:00:00Z' }], ['book', { at: '2026-03-05T12:00:00+02:00' }]],
  ['a telephone number', ['send', { to: '+44 (20) 7946-0000' }], ['send', { to: '+442079460000' }]],
  ['layout of a shell', ['bash', { command: "rm  -r './a'" }], ['bash', { command: 'rm -r "./a"' }]],
  ['./ in a shell', ['bash', { command: 'rm ./a --force' }], ['bash', { command: 'rm a --force' }]],
  [
    'layout of SQL',
    ['run_sql', { sql: 'DELETE FROM orders WHERE no = 5;' }],
    ['run_sql', { sql: 'delete\nfrom orders where no=5' }],
  ],
  ['a list as text', ['book', { id: 7, sizes: [60, 30] }], ['book', { id: 7, sizes: '[60, 30]' }]],
  ['an object as text', ['book', { room: '{"b": 1, "a": 2}' }], ['book', { room: { a: 2, b: 1 } }]],
  ['a list as text below', ['book', { at: { sizes: '[60]' } }], ['book', { at: { sizes: [60] } }]],
  [
    'addressees as text, in another order',
    ['send', { to: '["b@x.org", "a@x.org"]' }],
    ['send', { to: ['a@x.org', 'b@x.org'] }],
  ],
  ['a statement as text', ['bash', { command: '["rm", "-r", "a"]' }], ['bash', { command: ['rm', '-r', 'a'] }]],
  ['a result as text', ['find', { id: 7 }, '{"n": 1, "of": [2]}'], ['find', { id: 7 }, { of: [2], n: 1 }]],
  ['how long it took', ['find', { id: 7 }, { n: 1, elapsed_ms: 12 }], ['find', { id: 7 }, { n: 1, elapsed_ms: 80 }]],
])('the same in two spellings: %s', (_, recorded, replayed) => {
  expect(verdict([recorded], [replayed])).toBe(outcomes.asRecorded);
});

test.each<[string, Made, Made]>([
  ['a field that may be cleared', ['update_user', { id: 7, phone: null }], ['update_user', { id: 7 }]],
  ['an option with a value', ['book', { id: 7 }], ['book', { id: 7, note: 'late' }]],
  ['an addressee for two', ['send', { to: 'a@x.org, b@x.org' }], ['send', { to: 'a@x.org' }]],
  ['another list as text', ['book', { sizes: [60, 30] }], ['book', { sizes: '[60, 31]' }]],
  ['another addressee as text', ['send', { to: '["a@x.org"]' }], ['send', { to: ['b@x.org'] }]],
  ['another statement as text', ['bash', { command: '["rm", "b"]' }], ['bash', { command: ['rm', 'a'] }]],
  ['texts in a list for numbers', ['book', { sizes: [60] }], ['book', { sizes: '["60"]' }]],
  ['a number as text', ['book', { size: 60 }], ['book', { size: '60' }]],
  ['a list of one', ['send', { to: 'a@x.org' }], ['send', { to: ['a@x.org'] }]],
  ['a telephone number of its own', ['send', { to: '+44 20 7946 0000' }], ['send', { to: '+44 20 7946 0001' }]],
  ['a route in another order', ['plan', { stops: ['Ulm', 'Bonn'] }], ['plan', { stops: ['Bonn', 'Ulm'] }]],
  ['an item for another', ['book', { tags: ['a', 'b'] }], ['book', { tags: ['b', 'c'] }]],
  ['a zone that moves', ['book', { at: '2026-03-05T10:00:00Z' }], ['book', { at: '2026-03-05T10:00:00+02:00' }]],
  ['a program here and elsewhere', ['bash', { command: './deploy' }], ['bash', { command: 'deploy' }]],
  ['a name in quotes', ['bash', { command: "mkdir 'a b'" }], ['bash', { command: 'mkdir a b' }]],
  [
    'another table',
    ['run_sql', { sql: 'DELETE FROM orders o WHERE o.no = 5' }],
    ['run_sql', { sql: 'DELETE FROM items o WHERE o.no = 5' }],
  ],
  [
    'a value in SQL',
    ['run_sql', { sql: "DELETE FROM a WHERE b = 'X'" }],
    ['run_sql', { sql: "DELETE FROM a WHERE b = 'x'" }],
  ],
  [
    'a number beside the time it took',
    ['find', { id: 7 }, { n: 5_000_000, took: 5 }],
    ['find', { id: 7 }, { n: 6_000_000, took: 9 }],
  ],
])('not the same: %s', (_, recorded, replayed) => {
  expect(verdict([recorded], [replayed])).toBe(outcomes.changed);
});

const quoted = (made: string, used: string): Made[] => [
  ['create_quote', { for: 'Mia' }, { quote_number: made, total: 80 }],
  ['send_quote', { quote: used }],
];

test('the number of what a tool has just made is another one in every run, wherever it is said', () => {
  const told = (no: string) => `I have sent quote ${no} to Mia.`;
  expect(verdict(quoted('Q-10412', 'Q-10412'), quoted('Q-10415', 'Q-10415'), [told('Q-10412'), told('Q-10415')])).toBe(
    outcomes.asRecorded,
  );
});

test.each<[string, Made[], Made[]]>([
  ['the number of another run is used', quoted('Q-10412', 'Q-10412'), quoted('Q-10415', 'Q-10412')],
  [
    'a tool that reads has another number',
    [['get_quote', { n: 1 }, { quote_number: 'Q-10412' }]],
    [['get_quote', { n: 1 }, { quote_number: 'Q-10415' }]],
  ],
  ['a number that the user named', quoted('Q-7', 'Q-7'), quoted('Q-8', 'Q-8')],
  ['a key is used twice', keyed('k-81a', 'k-81a'), keyed('k-02c', 'k-77f')],
])('a number that was not made anew counts: %s', (_, recorded, replayed) => {
  expect(verdict(recorded, replayed)).toBe(outcomes.changed);
});

function keyed(...keys: string[]): Made[] {
  return keys.map((idempotency_key) => ['charge', { amount: 40, idempotency_key }]);
}

test('the key of a request, a tag, a nanoid and a temporary folder are made anew in every run', () => {
  const run = (key: string, tag: string, id: string, folder: string): Made[] => [
    ...keyed(key),
    ['save_draft', { n: 1 }, { etag: tag }],
    ['publish_draft', { if_match: tag }],
    ['create_link', { n: 1 }, { link: id }],
    ['open_link', { link: id }],
    ['export', { n: 1 }, { path: `/tmp/${folder}/out.csv` }],
    ['upload', { path: `/tmp/${folder}/out.csv` }],
  ];
  expect(
    verdict(
      run('k-81a', 'W/"33a64df5"', 'V1StGXR8_Z5jdHi6B-myT', 'tmpx8k2p1qz'),
      run('k-02c', 'W/"7bd19c02"', 'fK9xQw2_LmZ8sTn4R-abC', 'tmpa71mm0wd'),
    ),
  ).toBe(outcomes.asRecorded);
});

test('whether a list of texts in another order means the same cannot be told', () => {
  const [recorded, replayed]: Made[] = [
    ['send_cars', { cars: ['LF-2', 'DLK-1'] }],
    ['send_cars', { cars: ['DLK-1', 'LF-2'] }],
  ];
  expect(verdict([recorded as Made], [replayed as Made])).toBe(outcomes.couldNotTell);
});

test.each([
  ['is another call', ['D-8', 'D-7'], ['A-1', 'A-2'], outcomes.changed],
  ['cannot be told if both moved alike', ['D-8', 'D-7'], ['A-2', 'A-1'], outcomes.couldNotTell],
])('one of two lists of the same length in another order %s', (_, toItems, items, expected) => {
  const recorded: Made = ['exchange', { items: ['A-1', 'A-2'], toItems: ['D-7', 'D-8'] }];
  expect(verdict([recorded], [['exchange', { items, toItems }]])).toBe(expected);
});
