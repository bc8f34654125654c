import { expect, test } from 'vitest';
import type { CompareRules } from '../../src/compare/index.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { type Act, PLAIN, record, rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const call = (tool: string, args: JsonObject, result: Json = { ok: true }, failed = false): Act => ({
  thought: '',
  calls: [{ tool, args, result, failed }],
});

const ANSWER = 'Your order A-7 has been refunded, 20 euros.';
const REQUEST = { messages: [{ role: 'user', content: 'refund it' }] };
const runOf = (acts: readonly Act[], answer: Json = ANSWER) => record({ request: REQUEST, acts, answer }, PLAIN);

/** Aspects of what a replay does otherwise, each once, in the order of the run. */
function aspectsOf(
  recorded: readonly Act[],
  replayed: readonly Act[],
  { answer, ...given }: Partial<CompareRules> & { answer?: Json } = {},
) {
  const comparison = compareTurn([runOf(recorded)], [{ run: 1, recording: runOf(replayed, answer) }], rules(given));
  const found = comparison.clusters.flatMap(({ differences, minor }) => [...differences, ...minor]);
  return [...new Set(found.map(({ aspect }) => aspect))];
}

const order = call('get_order', { id: 'A-7' }, { total: 20 });
const refund = call('refund', { id: 'A-7', amount: 20 });
const note = (text: string, over: JsonObject = {}) => call('create_ticket', { id: 'A-7', text, ...over });
const LONG = 'The customer wants to have the tent replaced';

test.each<[what: string, recorded: Act[], replayed: Act[], aspects: string[]]>([
  ['nothing', [order, refund], [order, refund], []],
  ['another amount', [order, refund], [order, call('refund', { id: 'A-7', amount: 25 })], ['did']],
  ['a write left out', [order, refund], [order], ['did']],
  ['a write done twice', [order, refund], [order, refund, refund], ['did']],
  ['another tool', [order, refund], [order, call('cancel_order', { id: 'A-7', amount: 20 })], ['did']],
  ['one read more', [refund], [order, refund], ['path']],
  ['a read of something else', [order, refund], [call('get_order', { id: 'A-8' }, { total: 20 }), refund], ['path']],
  ['another result of a read', [order, refund], [call('get_order', { id: 'A-7' }, { total: 21 }), refund], ['path']],
  ['a tool nobody knows', [order], [order, call('hand_over', {})], ['did']],
  ['prose in a ticket', [note(LONG)], [note('The customer asked for another tent instead')], ['said']],
  ['one word in a ticket', [note('replace')], [note('refund')], ['did']],
  ['an enum beside prose', [note(LONG, { reason: 'late' })], [note(LONG, { reason: 'broken' })], ['did']],
  [
    'code is no prose',
    [call('write_file', { content: LONG })],
    [call('write_file', { content: `${LONG} now` })],
    ['did'],
  ],
  [
    'a write that failed and was done again',
    [order, refund],
    [order, call('refund', { id: 'A-7', amount: 99 }, { error: 'too much' }), refund],
    ['path'],
  ],
  [
    'a write that failed, of a tool that no recording calls',
    [order, refund],
    [order, call('delete_account', { id: 'A-7' }, 'Error: blocked'), refund],
    ['did'],
  ],
  [
    'the same write, which fails',
    [order, refund],
    [order, call('refund', { id: 'A-7', amount: 20 }, 'no', true)],
    ['did'],
  ],
  [
    '{"error": null} is no failure',
    [order, call('refund', { id: 'A-7', amount: 20 }, { error: null })],
    [order, call('refund', { id: 'A-7', amount: 20 }, { error: null, at: 'x' })],
    ['path'],
  ],
])('%s', (_, recorded, replayed, aspects) => {
  expect(aspectsOf(recorded, replayed)).toEqual(aspects);
});

test('writes that share an id have an order, and others have none', () => {
  const [pay, ship, other] = [call('pay', { id: 'A-7' }), call('ship', { id: 'A-7' }), call('ship', { id: 'B-9' })];
  expect(aspectsOf([pay, ship], [ship, pay])).toEqual(['did']);
  expect(aspectsOf([pay, other], [other, pay])).toEqual(['path']);
});

test('the answer is said, and how the turn ended is done', () => {
  expect(aspectsOf([refund], [refund], { answer: 'Your order A-7 has been refunded, 25 euros.' })).toEqual(['said']);
  expect(aspectsOf([refund], [refund], { answer: '' })).toEqual(['did']);
});

test('prose can be declared the effect', () => {
  const other = note('The customer asked for another tent instead');
  expect(aspectsOf([note(LONG)], [other], { tools: { create_ticket: { prose: 'did' } } })).toEqual(['did']);
});

test('a write is in the report however many other differences come before it', () => {
  const many = (from: number): Json => Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`k${at}`, from + at]));
  const [recorded, replayed] = [0, 1000].map((from) => call('search_items', {}, many(from)));
  const comparison = compareTurn(
    [runOf([recorded!, recorded!, refund])],
    [{ run: 1, recording: runOf([replayed!, replayed!, call('refund', { id: 'A-7', amount: 25 })]) }],
    rules(),
  );
  const { differences } = comparison.clusters[1]!;
  expect(differences).toHaveLength(50);
  expect(differences.filter(({ aspect }) => aspect === 'did')).toMatchObject([{ tool: 'refund', pointer: '/amount' }]);
});

test('a write that failed behind a protocol, whose tool has a name of its own there, is path', () => {
  const failing = call('mcp__shop__refund', { id: 'A-7', amount: 99 }, null, true);
  const bare = (run: ReturnType<typeof runOf>) => ({
    ...run,
    observations: run.observations.map((each) => ({ ...each, name: each.name.replace('mcp__shop__', '') })),
  });
  const [recorded, replayed] = [bare(runOf([order, failing])), bare(runOf([order]))];
  const { aspects } = compareTurn([recorded], [{ run: 1, recording: replayed }], rules());
  expect([aspects.did.outcome, aspects.path.outcome]).toEqual(['as-recorded', 'changed']);
});
