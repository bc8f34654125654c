import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { divergenceWords, gatePolicy, renderTerminal } from '../../src/report/index.ts';
import { levelOf } from '../../src/report/policy.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { report, session } from '../report/fixtures/reports.ts';
import { type Act, type Call, compare, firstOf, PLAIN, RUNS, record, rendering } from './agents.ts';

const call = (tool: string, args: JsonObject, result: Json): Act => ({
  thought: '',
  calls: [{ tool, args, result } satisfies Call],
});
const run = (acts: Act[], answer: Json = 'Done, and thank you for your patience with all of this today.'): Recording =>
  record({ request: { messages: [{ role: 'user', content: 'go on' }] }, acts, answer }, PLAIN);

const withPrompt = (recording: Recording, system: string): Recording => ({
  ...recording,
  observations: recording.observations.map((each) =>
    each.type === 'generation'
      ? { ...each, input: JSON.parse(JSON.stringify(each.input).replace('Be kind.', system)) as Json }
      : each,
  ),
});

const lookup = (result: Json) => call('lookup', { id: 7 }, result);
const LENIENT = gatePolicy.parse({ failOn: { cause: { environment: 'warn' } } });

test('a slower tool, an edited prompt and another tool called: the tool counts by itself, fails and is told', () => {
  const recorded = run([lookup({ revision: 12 }), call('create_ticket', { user: 'u' }, 'ok')]);
  const replayed = withPrompt(
    run([lookup({ revision: 13 }), call('delete_account', { user: 'u' }, 'ok')]),
    'Be quick.',
  );
  const comparison = compare(recorded, replayed);
  expect(firstOf(comparison)).toMatchObject({
    kind: 'result',
    cause: { kind: 'environment' },
    others: [{ kind: 'call-name', replayed: 'delete_account', cause: { kind: 'agent', changed: ['system prompt'] } }],
  });
  expect(comparison.divergence).toMatchObject({ kind: 'call-name', replayed: 'delete_account' });
  expect(divergenceWords(comparison)).toContain('delete_account instead of create_ticket');
  const made = report([session('s', { turns: [{ turn: 1, comparison, failures: [] }] })], {}, LENIENT);
  expect(made.results.status).toBe('failed');
  expect(renderTerminal(made)).toContain('delete_account');
});

test('another tool after another result counts by itself although nothing of the agent was edited', () => {
  const recorded = run([lookup({ revision: 12 }), call('create_ticket', { user: 'u' }, 'ok')]);
  const replayed = run([lookup({ revision: 13 }), call('delete_account', { user: 'u' }, 'ok')]);
  const comparison = compare(recorded, replayed);
  expect(firstOf(comparison)?.others).toMatchObject([{ kind: 'call-name', replayed: 'delete_account' }]);
  expect(firstOf(comparison)?.others[0]?.cause.kind).not.toBe('environment');
  expect(levelOf({ comparison }, LENIENT)).toBe('error');
});

/** A result that differs, an argument or an answer that does: whether the one explains the other. */
const FOLLOWING: [string, recorded: [Json, Json], replayed: [Json, Json], follows: boolean][] = [
  ['the value itself', [{ id: 'A-11' }, 'A-11'], [{ id: 'B-22' }, 'B-22'], true],
  ['the value in a text', [{ id: 'A-11' }, 'ship A-11 now'], [{ id: 'B-22' }, 'ship B-22 now'], true],
  ['a number of one digit in the place of another', [{ left: 3 }, 3], [{ left: 2 }, 2], true],
  ['three times the price', [{ price: 100 }, 300], [{ price: 110 }, 330], false],
  [
    'two numbers in another order',
    [{ high: 9, rain: 14 }, '14 mm, 9 high'],
    [{ high: 12, rain: 2 }, '2 mm, 12 high'],
    true,
  ],
  [
    'the same day in words',
    [{ at: '2026-03-10T09:20' }, 'Tuesday, 10 March at 9:20'],
    [{ at: '2026-03-12T11:00' }, 'Thursday, 12 March at 11:00'],
    true,
  ],
  [
    'another day than that',
    [{ at: '2026-03-10T09:20' }, 'Tuesday, 10 March'],
    [{ at: '2026-03-12T11:00' }, 'Friday, 13 March'],
    false,
  ],
  ['a number with a comma', [{ price: 1250 }, 'pay 1,250'], [{ price: 1375 }, 'pay 1,375'], true],
  ['another value', [{ revision: 12 }, 'A-11'], [{ revision: 13 }, 'B-22'], false],
  ['the value, and another one', [{ id: 'A-11' }, 'A-11 by post'], [{ id: 'B-22' }, 'B-22 by car'], false],
  ['one more, and so is another number', [{ revision: 12 }, 1], [{ revision: 13 }, 2], false],
  ['a value of the tool where there was none of it', [{ id: 'A-11' }, 'none'], [{ id: 'B-22' }, 'B-22'], false],
  ['the value of the other side', [{ id: 'A-11' }, 'B-22'], [{ id: 'B-22' }, 'A-11'], false],
  ['the same words in another order', [{ a: 'x' }, 'from Rome to Oslo'], [{ a: 'y' }, 'from Oslo to Rome'], false],
];

test.each(FOLLOWING)('an argument that differs by %s after another result: follows or counts', (_, a, b, follows) => {
  const of = ([result, value]: [Json, Json]) => run([lookup(result), call('pay', { value }, 'ok')]);
  const comparison = compare(of(a), of(b));
  expect(firstOf(comparison)).toMatchObject({ kind: 'result', tool: 'lookup' });
  expect(firstOf(comparison)?.others.map(({ tool }) => tool)).toEqual(follows ? [] : ['pay']);
  expect(levelOf({ comparison }, LENIENT)).toBe(follows ? 'warn' : 'error');
});

test('an answer that states what a tool answered otherwise follows; one that states anything else counts', () => {
  const of = (price: number, answer: string) => run([lookup({ price, note: 'as agreed' })], answer);
  const said = (price: number, by: string) =>
    `Your order is on its way, and the price that we agreed on last week is ${price} euros, sent by ${by} to your home.`;
  expect(compare(of(120, said(120, 'DHL')), of(135, said(135, 'DHL'))).divergence?.others).toEqual([]);
  const other = compare(of(120, said(120, 'DHL')), of(135, said(99, 'DHL'))).divergence;
  expect(other?.others).toMatchObject([{ kind: 'final-text' }]);
  const asWell = compare(of(120, said(120, 'DHL')), of(135, said(135, 'UPS'))).divergence;
  expect(asWell?.others).toMatchObject([{ kind: 'final-text' }]);
});

test('what one tool answered otherwise is followed through the next call and its answer', () => {
  const of = (id: string, mail: string) =>
    run([lookup({ id }), call('get_customer', { id }, { mail }), call('send_mail', { to: mail }, 'sent')], {
      sent: mail,
    });
  const { divergence } = compare(of('C-100', 'ann@example.org'), of('C-200', 'bob@example.org'));
  expect(divergence).toMatchObject({ kind: 'result', tool: 'lookup', others: [] });
});

test('a look at what a tool listed anew follows from it; a call that may change something never does', () => {
  const listed = (items: string[], ...more: Act[]) => run([call('list_items', {}, items), ...more]);
  const look = (id: string) => call('get_item', { id }, { id, of: 'stock' });
  const recorded = listed(['ab-1', 'ab-2'], look('ab-1'), look('ab-2'));
  const more = listed(['ab-1', 'ab-2', 'ab-3'], look('ab-1'), look('ab-2'), look('ab-3'));
  expect(firstOf(compare(recorded, more))?.others).toEqual([]);
  const removing = listed(['ab-1', 'ab-2', 'ab-3'], look('ab-1'), look('ab-2'), call('remove_item', { id: 'ab-3' }, 1));
  expect(firstOf(compare(recorded, removing))?.others).toMatchObject([{ kind: 'call-extra', tool: 'remove_item' }]);
});

test('nothing follows from a result where prompt, tools, model or parameters differ as well', () => {
  const of = (id: string) => run([lookup({ id }), call('pay', { id }, 'ok')]);
  const divergence = firstOf(compare(of('A-11'), withPrompt(of('B-22'), 'Be quick.')));
  expect(divergence?.others).toMatchObject([{ kind: 'argument', tool: 'pay', cause: { kind: 'agent' } }]);
});

/** The same agent on some day, with that day in its prompt. */
function onDay(day: string, acts: Act[]): Recording {
  const agent = { request: { messages: [{ role: 'user', content: 'go on' }] }, acts, answer: { done: true } };
  const recording = record(agent, { ...PLAIN, startMs: Date.parse(`${day}T10:00:00Z`), seed: day.length });
  return withPrompt(recording, `Be kind. Today is ${day}.`);
}

test('the day in a prompt excuses a date that moved with it, and no other tool or value', () => {
  const [then, now] = ['2026-01-05', '2026-02-10'];
  const report = (on: string, to = 'ann@example.org') => [call('send_report', { on, to }, 'sent')];
  const dated = compare(onDay(then, report(then)), onDay(now, report(now)));
  expect(dated.divergence).toMatchObject({ pointer: '/on', cause: { kind: 'environment' } });
  expect(levelOf({ comparison: dated }, LENIENT)).toBe('warn');
  for (const replayed of [
    [call('delete_account', { on: now, to: 'ann@example.org' }, 'sent')],
    report(now, 'eve@example.org'),
    report('2026-03-01'),
    [...report(now), call('delete_account', {}, 'done')],
  ]) {
    const comparison = compare(onDay(then, report(then)), onDay(now, replayed));
    expect([comparison.divergence, levelOf({ comparison }, LENIENT)]).toMatchObject([{ of: 1 }, 'error']);
  }
});

test('where results are not compared, an answer that follows from one is of the environment', () => {
  const of = (price: number) => run([lookup({ price })], { price });
  const comparison = compare(of(120), of(135), { strictness: 'outcome' });
  expect(comparison.divergence).toMatchObject({ kind: 'final-structure', cause: { kind: 'environment' } });
  expect(levelOf({ comparison }, LENIENT)).toBe('warn');
});

test('whatever a tool answered otherwise, another tool called behind it counts by itself', () => {
  const values = fc.oneof(fc.integer(), fc.string({ maxLength: 12 }), fc.boolean());
  fc.assert(
    fc.property(values, values, rendering, (one, other, how) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      const of = (value: Json, tool: string): Recording =>
        record(
          {
            request: { messages: [{ role: 'user', content: 'go on' }] },
            acts: [lookup({ value, no: 1 }), call(tool, { no: 2 }, { no: 2 })],
            answer: 'Done.',
          },
          how,
        );
      const comparison = compare(of(one, 'create_ticket'), of(other, 'delete_account'));
      expect(comparison.divergence?.others.some(({ kind }) => kind === 'call-name') || isFirst(comparison)).toBe(true);
      expect(levelOf({ comparison }, LENIENT)).toBe('error');
    }),
    { numRuns: RUNS },
  );
  function isFirst({ divergence }: ReturnType<typeof compare>): boolean {
    return divergence?.kind === 'call-name';
  }
});
