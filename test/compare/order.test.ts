import { expect, test } from 'vitest';
import { type Strictness, strictness } from '../../src/compare/shapes/rules.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { type Act, type Agent, type Call, compare, PLAIN, RUNS, record, rendering } from './agents.ts';

const call = (tool: string, no = 0): Call => ({ tool, args: { no }, result: { of: `${tool} ${no}` } });
const act = (...calls: Call[]): Act => ({ thought: '', calls });
const agentOf = (acts: Act[]): Agent => ({
  request: { messages: [{ role: 'user', content: 'go on' }] },
  acts,
  answer: { done: true },
});
const run = (...acts: Act[]): Recording => record(agentOf(acts), PLAIN);

/** Levels that see the order of calls: at `outcome` only that of tools declared mutating. */
const WITH_ORDER = strictness.options.filter((level) => level !== 'outcome');
const [weather, news] = [call('weather'), call('news')];

const ORDERS: [string, (first: Call, second: Call) => Recording][] = [
  ['in one message', (first, second) => run(act(first, second))],
  ['one after the other', (first, second) => run(act(first), act(second))],
  ['in one message, among others', (first, second) => run(act(call('a'), first, call('b'), second, call('c')))],
];

const CASES = ORDERS.flatMap(([name, order]) => WITH_ORDER.map((level) => [name, level, order] as const));

test.each(CASES)('orderMatters: calls in another order, %s, are a divergence at %s', (_, level, order) => {
  for (const tool of ['weather', 'news']) {
    const rules = { strictness: level, tools: { [tool]: { orderMatters: true } } };
    expect(compare(order(weather, news), order(news, weather), rules).divergence).toMatchObject({
      kind: 'call-order',
      severity: 'behaviour',
    });
    expect(compare(order(weather, news), order(weather, news), rules).verdict).toBe(outcomes.asRecorded);
  }
});

test('orderMatters: of two calls of one tool in one message, too', () => {
  const [first, second] = [call('step', 1), call('step', 2)];
  const rules = { tools: { step: { orderMatters: true } } };
  expect(compare(run(act(first, second)), run(act(second, first)), rules).divergence).toMatchObject({
    kind: 'call-order',
  });
  expect(compare(run(act(first, second)), run(act(second, first))).verdict).toBe(outcomes.asRecorded);
});

test('orderMatters at outcome counts among the calls that it looks at: of tools declared mutating', () => {
  const [, order] = ORDERS[0] as (typeof ORDERS)[number];
  const at = (...mutating: string[]) => {
    const tools = Object.fromEntries(mutating.map((tool) => [tool, { mutating: true, orderMatters: true }]));
    return compare(order(weather, news), order(news, weather), { strictness: 'outcome', tools }).verdict;
  };
  expect(at('weather', 'news')).toBe(outcomes.changed);
  expect(at('weather')).toBe(outcomes.asRecorded);
});

test('calls of one message have no order but to those whose order matters', () => {
  const names = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'first', 'last'], { minLength: 2 });
  fc.assert(
    fc.property(
      names,
      fc.nat(),
      rendering,
      rendering,
      fc.constantFrom(...WITH_ORDER),
      (tools, seed, one, other, level) => {
        const shuffled = tools
          .map((tool, index) => ({ tool, key: Math.imul(seed + index, 0x9e3779b1) }))
          .sort((a, b) => a.key - b.key)
          .map(({ tool }) => tool);
        const recordingOf = (order: string[], how: typeof one) =>
          record(agentOf([act(...order.map((tool) => call(tool)))]), { ...how, shuffle: 0, shape: one.shape });
        const rules = {
          strictness: (level === 'exact' ? 'wording' : level) as Strictness,
          tools: { first: { orderMatters: true }, last: { orderMatters: true } },
        };
        const { verdict } = compare(recordingOf(tools, one), recordingOf(shuffled, other), rules);
        // What stands before and behind the calls whose order matters, whatever its own order.
        const parts = (order: string[]) =>
          order
            .join(' ')
            .split(/(?=first|last)|(?<=first|last)/)
            .map((part) => part.trim().split(' ').sort().join(' '))
            .filter((part) => part !== '')
            .join(' | ');
        expect([tools, shuffled, verdict]).toEqual([
          tools,
          shuffled,
          parts(tools) === parts(shuffled) ? outcomes.asRecorded : outcomes.changed,
        ]);
      },
    ),
    { numRuns: RUNS },
  );
});

test('concurrency is the cause only of an order among calls of one message; an order of the model is its own', () => {
  const rules = { tools: { weather: { orderMatters: true } } };
  const causeOf = ([, order]: (typeof ORDERS)[number]) =>
    compare(order(weather, news), order(news, weather), rules).divergence?.cause.kind;
  expect(ORDERS.map(causeOf)).toEqual(['concurrency', 'model', 'concurrency']);
  const [inOne, oneByOne] = [run(act(weather, news)), run(act(news), act(weather))];
  expect(compare(inOne, oneByOne, rules).divergence?.cause.kind).toBe('model');
});

test('two reads of one thing have no order of their own; a read that uses what the other one found first does', () => {
  const search = (date: string): Act =>
    act({ tool: 'search', args: { from: 'JFK', date }, result: [{ from: 'JFK', flight: `F-${date}`, date }] });
  const [monday, tuesday] = [search('2024-05-20'), search('2024-05-21')];
  expect(compare(run(monday, tuesday), run(tuesday, monday)).verdict).toBe(outcomes.asRecorded);
  const look = act({ tool: 'details', args: { flight: 'F-2024-05-20' }, result: 'full' });
  expect(compare(run(monday, look), run(look, monday)).divergence).toMatchObject({ kind: 'call-order' });
  const told = act({ tool: 'ask', args: {}, result: 'Take F-2024-05-20, it is half empty.' });
  expect(compare(run(told, look), run(look, told)).divergence).toMatchObject({ kind: 'call-order' });
});

test('calls of two sub-agents that ran at once differ in order by concurrency, and of two in turn by the model', () => {
  const at = (ms: number) => new Date(PLAIN.startMs + ms).toISOString();
  const observed = (id: string, parentId: string | null, type: Observation['type'], from: number, to: number) => ({
    id,
    parentId,
    type,
    name: id,
    startTime: at(from),
    endTime: at(to),
    ...(type === 'tool' ? { input: {}, output: id } : {}),
  });
  const agents = (order: readonly string[], together: boolean): Recording => ({
    output: 'Done.',
    observations: [
      observed('turn', null, 'agent', 0, 100),
      observed('route', 'turn', 'generation', 1, 2),
      ...order.flatMap((name, index) => {
        const [from, to] = together ? [10 + index, 50] : [10 + 20 * index, 20 + 20 * index];
        return [
          observed(`agent of ${name}`, 'turn', 'agent', from, to),
          observed(name, `agent of ${name}`, 'tool', from + 3 * index, from + 3 * index + 1),
        ];
      }),
    ],
  });
  const rules = { tools: { book_hotel: { mutating: true } } };
  const causeOf = (together: boolean) =>
    compare(agents(['book_hotel', 'book_flight'], together), agents(['book_flight', 'book_hotel'], together), rules)
      .divergence;
  expect(causeOf(true)).toMatchObject({ kind: 'call-order', cause: { kind: 'concurrency' } });
  expect(causeOf(false)).toMatchObject({ kind: 'call-order' });
  expect(causeOf(false)?.cause.kind).not.toBe('concurrency');
});
