import { expect, test } from 'vitest';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import type { JsonObject } from '../../src/json/index.ts';
import { inCausalOrder, isKnownBefore, type Observation } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { growth, LINEAR } from '../growth.ts';

const at = (ms: number) => new Date(Date.UTC(2026, 0, 5, 10) + ms).toISOString();

function anObservation(id: string, changes: Partial<Observation> = {}): Observation {
  return { id, parentId: 'root', type: 'span', name: id, startTime: at(0), endTime: at(0), ...changes };
}

interface Shape {
  /** How many tools the model asks for, by round; after the last one it answers. */
  readonly rounds: readonly number[];
  /** Whether a model call is given all that was said before, or only what came since its last one. */
  readonly accumulates: boolean;
  /** Whether model calls and tools are each inside a span of their own, as graphs of nodes are. */
  readonly areWrapped: boolean;
  /** Whether calls and results carry the id of the call. */
  readonly hasCallIds: boolean;
  /** Whether each round uses the ids of the one before again, as models that tests stand in for often do. */
  readonly areIdsReused: boolean;
  /** Where random ids sort. */
  readonly salt: number;
}

/** A turn as its agent took it, one act a tick. */
function turn({ rounds, accumulates, areWrapped, hasCallIds, areIdsReused, salt }: Shape): {
  observations: Observation[];
  ticks: number[];
} {
  const observations: Observation[] = [anObservation('root', { parentId: null, type: 'agent' })];
  const ticks = [0];
  let tick = 0;
  const act = (changes: Partial<Observation>, node: string): void => {
    const id = `${(salt * (observations.length + 7)) % 9973}-${observations.length}`;
    tick++;
    if (areWrapped) {
      observations.push(anObservation(`in-${id}`, { name: node }));
      ticks.push(tick);
    }
    observations.push(anObservation(id, { ...changes, parentId: areWrapped ? `in-${id}` : 'root' }));
    ticks.push(tick);
  };
  let messages: JsonObject[] = [{ role: 'user', content: 'Plan a day.' }];
  for (const [round, tools] of [...rounds, 0].entries()) {
    const ids = Array.from({ length: tools }, (_, index) => `call-${areIdsReused ? 0 : round}-${index}`);
    const queryOf = (id: string) => `${salt % 7} ${round} ${id}`;
    const said: JsonObject = {
      role: 'assistant',
      content: tools === 0 ? 'Done.' : null,
      tool_calls: ids.map((id) => ({
        ...(hasCallIds && { id }),
        function: { name: 'search', arguments: JSON.stringify({ q: queryOf(id) }) },
      })),
    };
    act({ type: 'generation', name: 'chat', input: { messages }, output: said }, 'model');
    const results: JsonObject[] = [];
    for (const id of ids) {
      act(
        {
          type: 'tool',
          name: 'search',
          ...(hasCallIds && { callId: id }),
          input: { q: queryOf(id) },
          output: `found ${queryOf(id)}`,
        },
        'tools',
      );
      results.push({ role: 'tool', ...(hasCallIds && { tool_call_id: id }), content: `found ${queryOf(id)}` });
    }
    messages = accumulates ? [...messages, said, ...results] : results;
  }
  return { observations, ticks };
}

/** Turns that tell of their order by what is fixed here, and as their observations arrived. */
function turns(fixed: Partial<Shape>) {
  const shape = fc.record({
    rounds: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 5 }),
    accumulates: fc.boolean(),
    areWrapped: fc.boolean(),
    hasCallIds: fc.boolean(),
    areIdsReused: fc.boolean(),
    salt: fc.integer({ min: 1, max: 9972 }),
  });
  return shape.chain((drawn) => {
    const { observations, ticks } = turn({ ...drawn, ...fixed });
    const arrived = fc.shuffledSubarray(observations, { minLength: observations.length });
    return fc.record({ observations: fc.constant(observations), ticks: fc.constant(ticks), arrived });
  });
}

const ORDERED_BY = [
  ['ids of calls', { hasCallIds: true, areIdsReused: false }],
  ['messages that accumulate', { accumulates: true }],
] as const;

test('what starts in one millisecond comes out in the order of its causes, whatever the order it came in', () => {
  fc.assert(
    fc.property(turns({ hasCallIds: true, areIdsReused: false }), ({ observations, arrived }) => {
      const ordered = inCausalOrder(arrived);
      expect(ordered).toEqual(inCausalOrder(observations));
      const models = ({ type }: Observation) => type === 'generation';
      expect(ordered.filter(models)).toEqual(observations.filter(models));
      // The tools of a round ran at once: between the model that asked for them and the next one.
      const rounds = (all: readonly Observation[]) =>
        all.flatMap(({ type, callId }) =>
          type === 'generation' ? ['model'] : callId === undefined ? [] : [callId.replace(/-\d$/, '')],
        );
      expect(rounds(ordered)).toEqual(rounds(observations));
    }),
  );
});

test.each(ORDERED_BY)('by %s a turn within one millisecond has the steps of the same turn taken slowly', (_, shape) => {
  fc.assert(
    fc.property(turns(shape), ({ observations, ticks, arrived }) => {
      const slow = observations.map((each, index) => ({
        ...each,
        startTime: at((ticks[index] as number) * 10),
        endTime: at((ticks[index] as number) * 10 + 5),
      }));
      const stepsOf = (all: readonly Observation[]) => trajectoryOf({ output: 'Done.', observations: [...all] }).steps;
      expect(stepsOf(arrived)).toEqual(stepsOf(slow));
    }),
  );
});

test('causes that lead in a circle, ids used twice and parents in a loop change nothing about that', () => {
  const ids = fc.constantFrom('a', 'b', 'c');
  const anything = fc.record({
    type: fc.constantFrom('generation' as const, 'tool' as const, 'span' as const),
    parentId: fc.nat({ max: 8 }).map(String),
    name: fc.constant('same'),
    input: fc.array(ids.map((id) => ({ role: 'tool', tool_call_id: id }))),
    output: fc.record({ tool_calls: fc.array(ids.map((id) => ({ id, name: 'search' }))) }),
    callId: fc.option(ids, { nil: undefined }),
  });
  const arrivals = fc.array(anything, { minLength: 2, maxLength: 8 }).chain((drawn) => {
    const all = drawn.map((changes, index) => anObservation(String(index), changes));
    return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
  });
  fc.assert(
    fc.property(arrivals, ([all, arrived]) => {
      expect(inCausalOrder(arrived)).toEqual(inCausalOrder(all));
      expect(inCausalOrder(arrived)).toHaveLength(all.length);
    }),
  );
});

test('without any call id what ended within the millisecond comes before what went on', () => {
  const tools = ['b', 'a'].map((name, index) =>
    anObservation(name, { type: 'tool', startTime: at(5), endTime: at(5 + index) }),
  );
  expect(inCausalOrder(tools.toReversed()).map(({ name }) => name)).toEqual(['b', 'a']);
});

test('acts within one millisecond are ordered in time linear in their number', () => {
  const acts = (rounds: number) =>
    turn({
      rounds: Array(rounds).fill(2),
      accumulates: false,
      areWrapped: true,
      hasCallIds: true,
      areIdsReused: false,
      salt: 31,
    }).observations.toReversed();
  expect(inCausalOrder(acts(3_000)).filter(({ callId }) => callId)).toHaveLength(6_000);
  expect(growth(50, acts, inCausalOrder)).toBeLessThan(LINEAR);
});

test('which of two model calls came first is known by a call or by messages that go on, and else by nothing', () => {
  const user = { role: 'user', content: 'hi' };
  const asking = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'search' } }] };
  const answer = { role: 'tool', tool_call_id: 'c1', content: 'found' };
  const chat = (input: JsonObject[], output: JsonObject) => anObservation('g', { type: 'generation', input, output });
  const first = chat([user], asking);
  expect(isKnownBefore(first, chat([user, asking, answer], asking))).toBe(true);
  expect(isKnownBefore(chat([user, asking, answer], asking), first)).toBe(false);
  expect(isKnownBefore(first, chat([answer], user))).toBe(true);
  expect(isKnownBefore(chat([user], user), chat([user, user], user))).toBe(true);
  expect(isKnownBefore(chat([user], user), chat([user], asking))).toBe(false);
  expect(isKnownBefore(chat([user], user), chat([{ role: 'user', content: 'Is this spam?' }, user], user))).toBe(false);
});
