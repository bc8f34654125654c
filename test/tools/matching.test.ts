import { expect, test } from 'vitest';
import { compareRules, RecordedTools } from '../../src/compare/index.ts';
import { type RecordedCall, recordedCalls } from '../../src/compare/steps/recorded-calls.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { agent, compare, PLAIN, RUNS, record, rendering } from '../compare/agents.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';

const rules = compareRules.parse({});

/** Calls of a made-up agent carry the number of the call, in their arguments and in their results. */
function numberOf(value: Json | undefined): Json | undefined {
  return isJsonObject(value) ? value.no : undefined;
}

function resultOf({ outcome }: RecordedCall): Json {
  return outcome !== undefined && 'result' in outcome ? outcome.result : null;
}

function asMade({ name, arguments: [first = null] }: RecordedCall): { name: string; arguments: Json } {
  return { name, arguments: first };
}

function following(...recordings: Recording[]): ReturnType<RecordedTools['follow']> {
  return new RecordedTools(recordings, rules).follow();
}

test('the same calls are found with other ids, in another spelling, and in whatever order they were made at once', () => {
  fc.assert(
    fc.property(agent, rendering, rendering, (made, first, second) => {
      const replay = following(record(made, first));
      for (const call of recordedCalls(record(made, second))) {
        const held = replay.next(asMade(call), false);
        expect(numberOf(held?.call.arguments[0])).toBe(numberOf(call.arguments[0]));
        held?.learn(resultOf(call));
      }
    }),
    { numRuns: RUNS },
  );
});

test('recorded results are given to recorded calls, in any order, each its own', () => {
  fc.assert(
    fc.property(agent, rendering, fc.infiniteStream(fc.nat()), (made, rendered, order) => {
      const recording = record(made, rendered);
      const replay = following(recording);
      const calls = recordedCalls(recording);
      const keys = new Map(calls.map((call) => [call, order.next().value as number]));
      for (const call of calls.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0))) {
        const held = replay.next(asMade(call), true);
        expect(held?.call.outcome).toEqual(call.outcome);
        if (call.outcome && 'result' in call.outcome)
          expect(numberOf(resultOf(call))).toBe(numberOf(call.arguments[0]));
      }
    }),
    { numRuns: RUNS },
  );
});

test('a changed argument is always missed, and nothing else is', () => {
  const change = fc.constantFrom<(args: JsonObject) => JsonObject>(
    (args) => ({ ...args, no: -1 }),
    (args) => ({ ...args, more: null }),
    ({ no: _, ...args }) => args,
    (args) => ({ ...args, no: String(args.no) }),
    (args) => ({ ...args, no: [args.no ?? null] }),
  );
  fc.assert(
    fc.property(agent, rendering, fc.nat(), change, (made, rendered, at, changed) => {
      const recording = record(made, rendered);
      const replay = following(recording);
      const calls = recordedCalls(recording);
      fc.pre(calls.length > 0);
      for (const [index, call] of calls.entries()) {
        const { name, arguments: args } = asMade(call);
        const isChanged = index === at % calls.length;
        const held = replay.next({ name, arguments: isChanged ? changed(args as JsonObject) : args }, true);
        if (isChanged) expect(held).toBeUndefined();
        else expect(held?.call.outcome).toEqual(call.outcome);
      }
    }),
    { numRuns: RUNS },
  );
});

test('equal calls are given what they came to one after another, and one more than recorded is missed', () => {
  const call = fc.record({ tool: fc.constantFrom('search', 'send'), args: fc.constantFrom({ q: 1 }, { q: 2 }) });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 12 }), rendering, (calls, rendered) => {
      const acts = calls.map(({ tool, args }, no) => ({ thought: '', calls: [{ tool, args, result: { no } }] }));
      const inOrder = { ...rendered, shuffle: 0, tickMs: 1 };
      const replay = following(record({ request: { input: 'go' }, acts, answer: 'done' }, inOrder));
      for (const [no, { tool, args }] of calls.entries()) {
        expect(resultOf(replay.next({ name: tool, arguments: args }, true)?.call as RecordedCall)).toEqual({ no });
      }
      for (const { tool, args } of calls) expect(replay.next({ name: tool, arguments: args }, true)).toBeUndefined();
    }),
    { numRuns: RUNS },
  );
});

test('of several recordings the one is served whose results the replay was given so far', () => {
  const way = (...calls: [tool: string, args: JsonObject, result: Json][]) =>
    record(
      {
        request: { input: 'go' },
        acts: calls.map(([tool, args, result]) => ({ thought: '', calls: [{ tool, args, result }] })),
        answer: 'done',
      },
      PLAIN,
    );
  const recordings = [
    way(['stock', { of: 'a' }, 0], ['order', { of: 'a' }, 'refused']),
    way(['stock', { of: 'b' }, 7], ['order', { of: 'a' }, 'sent'], ['mail', {}, 'ok']),
    way(['stock', { of: 'a' }, 5], ['mail', {}, 'never seen']),
  ];
  const second = following(...recordings);
  expect(second.next({ name: 'stock', arguments: { of: 'b' } }, true)?.call.outcome).toEqual({ result: 7 });
  expect(second.next({ name: 'order', arguments: { of: 'a' } }, true)?.call.outcome).toEqual({ result: 'sent' });
  const first = following(...recordings);
  expect(first.next({ name: 'stock', arguments: { of: 'a' } }, true)?.call.outcome).toEqual({ result: 0 });
  // Held by the recording that answers otherwise what has been asked already.
  expect(first.next({ name: 'mail', arguments: {} }, true)).toBeUndefined();
  expect(first.nearest({ name: 'order', arguments: { of: 'c' } })?.arguments).toEqual([{ of: 'a' }]);
});

test('recordings that were accepted beside an original of another world are served from their own: calls that they hold are found', () => {
  const way = (stock: number, amount: number) =>
    record(
      {
        request: { input: 'go' },
        acts: [
          { thought: '', calls: [{ tool: 'stock', args: {}, result: stock }] },
          { thought: '', calls: [{ tool: 'order', args: { amount }, result: 'sent' }] },
        ],
        answer: 'done',
      },
      PLAIN,
    );
  const replay = following(way(9, 50), way(5, 30), way(4, 30), way(5, 30));
  expect(replay.next({ name: 'stock', arguments: {} }, true)?.call.outcome).toEqual({ result: 5 });
  expect(replay.next({ name: 'order', arguments: { amount: 30 } }, true)?.call.outcome).toEqual({ result: 'sent' });
});

test('a text that tracing wrote as JSON is given to the agent as its tool returned it, and is no other result', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const root = { id: 'root', parentId: null, type: 'agent', name: 'turn', startTime: at, endTime: at } as const;
  const recorded = (output: string): Recording => ({
    output: 'Done.',
    observations: [root, { ...root, id: 'call', parentId: 'root', type: 'tool', name: 'search', input: {}, output }],
  });
  const text = 'Delivery takes "3 to 5" days.';
  const held = following(recorded(JSON.stringify(text))).next({ name: 'search', arguments: {} }, true);
  expect(held?.call.outcome).toEqual({ result: text });
  expect(compare(recorded(JSON.stringify(text)), recorded(text)).verdict).toBe(outcomes.asRecorded);
  expect(compare(recorded(JSON.stringify(text)), recorded('"Delivery')).verdict).toBe(outcomes.changed);
});
