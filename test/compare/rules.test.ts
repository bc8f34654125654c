import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import {
  type Agent,
  agent,
  callsOf,
  compare,
  firstOf,
  PLAIN,
  PLANTS,
  plant,
  RUNS,
  record,
  rendering,
  sequentialAgent,
  stepOfCall,
} from './agents.ts';

const many = { numRuns: RUNS };
const uuid = fc.uuid({ version: 4 });

/** An agent that creates two things and then uses them, or others. */
function creator(created: readonly [string, string], used: readonly [string, string]): Agent {
  return {
    request: { messages: [{ role: 'user', content: 'two of them' }] },
    acts: [
      { thought: '', calls: [{ tool: 'create', args: { no: 1 }, result: { id: created[0] } }] },
      { thought: '', calls: [{ tool: 'create', args: { no: 2 }, result: { id: `/things/${created[1]}` } }] },
      {
        thought: '',
        calls: [{ tool: 'open', args: { ids: [...used] }, result: { text: `opened ${used[0]} and ${used[1]}` } }],
      },
    ],
    answer: `I made ${used[0]}.`,
  };
}

test('ids that tools generated are equal when they are renamed consistently, and only then', () => {
  fc.assert(
    fc.property(uuid, uuid, uuid, uuid, rendering, rendering, (a, b, x, y, one, other) => {
      fc.pre(new Set([a, b, x, y]).size === 4);
      const recorded = record(creator([a, b], [a, b]), one);
      const replayed = (used: [string, string]) => record(creator([x, y], used), { ...other, shape: one.shape });
      expect(compare(recorded, replayed([x, y]), { strictness: 'wording' }).verdict).toBe(outcomes.asRecorded);
      expect(compare(recorded, replayed([y, x])).divergence).toMatchObject({ kind: 'argument', pointer: '/ids/0' });
      expect(compare(recorded, replayed([x, x])).divergence).toMatchObject({ kind: 'argument', pointer: '/ids/1' });
      expect(compare(recorded, replayed([a, y])).divergence).toMatchObject({ kind: 'argument', pointer: '/ids/0' });
      expect(compare(recorded, replayed([x, y]), { identities: 'literal' }).verdict).toBe(outcomes.changed);
    }),
    many,
  );
});

const WRITTEN = fc.oneof(
  uuid,
  uuid.map((id) => `user_${id}`),
  uuid.map((id) => id.replaceAll('-', '')),
);

function writer(id: string, question = 'go on'): Agent {
  return {
    request: { messages: [{ role: 'user', content: question }] },
    acts: [{ thought: '', calls: [{ tool: 'find', args: { id }, result: { id, found: true } }] }],
    answer: 'Found.',
  };
}

test('what the model wrote first is never renamed, even when a tool repeats it', () => {
  fc.assert(
    fc.property(WRITTEN, WRITTEN, rendering, (a, b, how) => {
      fc.pre(a !== b);
      const { divergence } = compare(record(writer(a), how), record(writer(b), how));
      expect(divergence).toMatchObject({ kind: 'argument', pointer: '/id', change: 'value' });
    }),
    many,
  );
});

test('ids in the request are never renamed, wherever they stand in it', () => {
  fc.assert(
    fc.property(
      WRITTEN,
      WRITTEN,
      fc.constantFrom('', 'Order:\n', '"', '<', '\\', 'id='),
      rendering,
      (id, other, before, how) => {
        fc.pre(id !== other);
        const run = (result: string): Agent => ({
          request: { messages: [{ role: 'user', content: [{ type: 'text', text: `${before}${id}` }] }] },
          acts: [{ thought: '', calls: [{ tool: 'current', args: {}, result: { id: result } }] }],
          answer: 'Found.',
        });
        const { request } = run(id);
        const { divergence } = compare(record(run(id), how), record(run(other), how), {}, request);
        expect(divergence).toMatchObject({ kind: 'result', pointer: '/id' });
      },
    ),
    many,
  );
});

test('a date without a time, and a time outside of the run, are no clock readings', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('2024-05-20', '2024-05-20T10:00:00Z', '20 May 2024', 1_716_192_000),
      rendering,
      (date, how) => {
        const run = (on: Json): Recording =>
          record(
            { ...writer('x'), acts: [{ thought: '', calls: [{ tool: 'flight', args: {}, result: { on } }] }] },
            how,
          );
        const other = typeof date === 'string' ? date.replace(/20(?!24)/, '21') : date + 86_400;
        expect(compare(run(date), run(other)).divergence).toMatchObject({ kind: 'result', pointer: '/on' });
      },
    ),
    many,
  );
});

test('a change at an ignored pointer is nothing, and one at its sibling something', () => {
  const change = (of: Agent, nth: number, key: string): Agent => {
    let number = 0;
    const calls = of.acts.map((act) => ({
      ...act,
      calls: act.calls.map((call) =>
        number++ === nth
          ? { ...call, args: { ...call.args, [key]: 'x' }, result: { ...(call.result as object), [key]: 'x' } }
          : call,
      ),
    }));
    return { ...of, acts: calls };
  };
  fc.assert(
    fc.property(
      sequentialAgent,
      fc.nat(1_000),
      fc.constantFrom('here', 'a/b', 'm~n', '__proto__', 'é'),
      rendering,
      (of, at, key, how) => {
        const nth = at % callsOf(of).length;
        const tool = callsOf(of)[nth]?.tool;
        const pointer = key.replaceAll('~', '~0').replaceAll('/', '~1');
        const ignore = [`tool:${tool}/args/${pointer}`, `tool:*/result/${pointer}`];
        const recorded = record(of, how);
        expect(compare(recorded, record(change(of, nth, key), how), { ignore, strictness: 'exact' }).verdict).toBe(
          outcomes.asRecorded,
        );
        expect(compare(recorded, record(change(of, nth, `${key}x`), how), { ignore }).divergence).toMatchObject({
          kind: 'argument',
          change: 'added',
          recordedStep: stepOfCall(of, nth),
          pointer: `/${pointer}x`,
        });
      },
    ),
    many,
  );
});

test('an ignored item of a list is nothing, whether it changes, comes or goes; its siblings keep their places', () => {
  const run = (items: Json[]): Recording =>
    record({ ...writer('x'), acts: [{ thought: '', calls: [{ tool: 'list', args: {}, result: items }] }] }, PLAIN);
  const ignore = ['tool:list/result/1'];
  expect(compare(run([1, 2, 3]), run([1, 9, 3]), { ignore }).verdict).toBe(outcomes.asRecorded);
  expect(compare(run([1, 2]), run([1]), { ignore }).verdict).toBe(outcomes.asRecorded);
  expect(compare(run([1, 2, 3]), run([1, 2, 4]), { ignore }).divergence?.pointer).toBe('/2');
  expect(compare(run([1, 2]), run([]), { ignore: ['tool:list/result/*'] }).verdict).toBe(outcomes.asRecorded);
  expect(compare(run([{ a: 1 }]), run([{ a: 1 }, { a: 2 }]), { ignore: ['tool:list/result/*/a'] }).verdict).toBe(
    outcomes.changed,
  );
});

test('of two planted changes the earlier one is the first divergence', () => {
  const twice = fc
    .tuple(sequentialAgent, fc.nat(1_000), fc.nat(1_000), fc.constantFrom(...PLANTS), fc.constantFrom(...PLANTS))
    .filter(([of]) => callsOf(of).length > 1)
    .map(([of, a, b, first, second]) => {
      const calls = callsOf(of).length;
      const early = a % (calls - 1);
      const late = early + 1 + (b % (calls - early - 1));
      // From the end, so that the numbers of the calls before it stay.
      const last = plant(second, of, late).agent;
      return { of, mutation: plant(first === 'another answer' ? 'another value' : first, last, early) };
    });
  fc.assert(
    fc.property(twice, rendering, ({ of, mutation }, how) => {
      const divergence = firstOf(compare(record(of, how), record(mutation.agent, how), { strictness: 'steps' }));
      const step = stepOfCall(of, mutation.call) + (mutation.kind === 'result' ? 1 : 0);
      expect(divergence?.recordedStep ?? divergence?.replayedStep).toBe(step);
    }),
    many,
  );
});

test('what is missing is never equal: a call, a result, an answer', () => {
  fc.assert(
    fc.property(agent, fc.nat(1_000), rendering, (of, at, how) => {
      const whole = record(of, how);
      const { observations } = whole;
      const answering = observations.findLast(
        ({ type, output }) => type === 'generation' && !JSON.stringify(output).includes('tool_'),
      );
      const tools = observations.filter(({ type }) => type === 'tool');
      const gone = tools[at % Math.max(1, tools.length)];
      const without: Recording[] = [
        { observations: observations.filter((each) => each !== answering) },
        ...(gone === undefined || how.shape === 'untold' || gone.level === 'ERROR'
          ? []
          : [
              {
                ...whole,
                observations: observations.map((each) => (each === gone ? { ...gone, output: null } : each)),
              },
            ]),
      ];
      for (const run of without) {
        expect(compare(whole, run, { strictness: 'steps' }).verdict).toBe(outcomes.changed);
        expect(compare(run, whole, { strictness: 'steps' }).verdict).toBe(outcomes.changed);
      }
    }),
    many,
  );
});

test('at the outcome only answers, errors, ends and calls that change the world count, in place of whatever they stand', () => {
  const run = (tool: string, thought = '') =>
    record({ ...writer('x'), acts: [{ thought, calls: [{ tool, args: {}, result: 1 }] }] }, PLAIN);
  const rules = { strictness: 'outcome', tools: { refund: { mutating: true } } } as const;
  expect(compare(run('look'), run('search', 'hm'), rules).verdict).toBe(outcomes.asRecorded);
  expect(compare(run('look'), run('refund'), rules).divergence).toMatchObject({
    kind: 'call-name',
    replayed: 'refund',
  });
  expect(compare(run('refund'), run('look'), rules).divergence).toMatchObject({
    kind: 'call-name',
    recorded: 'refund',
  });
});

test('a call that comes at another place keeps its result: another one is told of', () => {
  const call = (tool: string, result: number) => ({
    thought: '',
    calls: [{ tool, args: {}, result: { value: result } }],
  });
  const run = (...acts: Agent['acts']): Recording => record({ ...writer('x'), acts }, PLAIN);
  const recorded = run(call('get_weather', 1001), call('get_traffic', 1002), call('get_news', 1003));
  const moved = compare(recorded, run(call('get_traffic', 1002), call('get_weather', 1001), call('get_news', 1003)));
  expect(moved.verdict).toBe(outcomes.asRecorded);
  expect(moved.clusters[0]?.differences).toMatchObject([{ kind: 'call-order', severity: 'minor' }]);
  const other = compare(recorded, run(call('get_traffic', 1002), call('get_weather', 7), call('get_news', 1003)));
  expect(other.divergence).toMatchObject({ kind: 'result', tool: 'get_weather', recorded: 1001, replayed: 7 });
});

test('calls of one tool in another order are the same calls, and not other arguments', () => {
  const run = (...queries: string[]): Recording =>
    record(
      {
        ...writer('x'),
        acts: queries.map((q) => ({
          thought: '',
          calls: [{ tool: 'search', args: { q }, result: { hits: `of ${q}` } }],
        })),
      },
      PLAIN,
    );
  const { clusters } = compare(run('tents', 'stoves', 'boots'), run('stoves', 'tents', 'boots'), {
    strictness: 'exact',
  });
  expect(new Set(clusters[1]?.differences.map(({ kind }) => kind))).toEqual(new Set(['call-order']));
  const writes = ['send_mail', 'delete_user'].map((tool) => ({
    thought: '',
    calls: [{ tool, args: {}, result: null }],
  }));
  const inOrder = (acts: Agent['acts']) => record({ ...writer('x'), acts }, PLAIN);
  expect(compare(inOrder(writes), inOrder(writes.toReversed())).divergence).toMatchObject({
    kind: 'call-order',
    severity: 'behaviour',
  });
});

test('a read-only call more is minor when all after it is as recorded, whatever ids it brought along', () => {
  const look = (tool: string, id: number) => ({
    thought: '',
    calls: [{ tool, args: {}, result: { id: `{id:${id}}` } }],
  });
  const run = (seed: number, ...acts: Agent['acts']): Recording => record({ ...writer('x'), acts }, { ...PLAIN, seed });
  const recorded = run(1, look('search', 0), look('get', 1));
  const replayed = run(2, look('search', 0), look('peek', 2), look('get', 1));
  const { verdict, clusters } = compare(recorded, replayed, { tools: { peek: { readOnly: true } } });
  expect(verdict).toBe(outcomes.asRecorded);
  expect(clusters[0]?.differences).toMatchObject([{ kind: 'call-extra', severity: 'minor', tool: 'peek' }]);
});
