import { expect, test, vi } from 'vitest';
import type { Json, JsonObject } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import {
  type Act,
  type Agent,
  type Call,
  compare,
  PLAIN,
  type Rendering,
  RUNS,
  record,
  rendering,
  rules,
} from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const many = { numRuns: RUNS };
const OTHER_IDS = { ...PLAIN, seed: 2 };

function agentThat(...acts: Act[]): Agent {
  return { request: { messages: [{ role: 'user', content: 'all of it' }] }, acts, answer: 'Done.' };
}

function act(...calls: Call[]): Act {
  return { thought: '', calls };
}

function call(tool: string, args: JsonObject, result: Json): Call {
  return { tool, args, result };
}

const create = (no: number, id: number) => call('create', { no }, { id: `{id:${id}}` });
const open = (...ids: number[]) => call('open', { ids: ids.map((id) => `{id:${id}}`) }, 'open');

test('an argument changed in one of parallel calls that generate ids is told alone, wherever it sorts', () => {
  const run = (first: number, how: Rendering): Recording =>
    record(agentThat(act(create(first, 0), create(2, 1), create(3, 2)), act(open(0, 1, 2))), how);
  for (const other of [0, 2.5, 9]) {
    const { clusters } = compare(run(1, PLAIN), run(other, OTHER_IDS), { strictness: 'exact' });
    expect(clusters[1]?.differences).toMatchObject([{ kind: 'argument', pointer: '/no', recordedStep: 1 }]);
  }
});

test('a call of a tool that generates ids, missing or put in: none of the other ids is another', () => {
  const run = (numbers: readonly number[], how: Rendering): Recording =>
    record(agentThat(...numbers.map((no) => act(create(no, no))), act(open(1)), act(open(3))), how);
  const [whole, less] = [run([1, 2, 3], PLAIN), run([1, 3], OTHER_IDS)];
  const missing = compare(whole, less, { strictness: 'exact' });
  expect(missing.clusters[1]?.differences).toMatchObject([{ kind: 'call-missing', recordedStep: 3 }]);
  const extra = compare(less, whole, { strictness: 'exact' });
  expect(extra.clusters[1]?.differences).toMatchObject([{ kind: 'call-extra', replayedStep: 3 }]);
});

test('a call is left out whose id parallel calls use: they stay beside theirs', () => {
  const failed = (tool: string, no: number): Call => ({ ...call(tool, { no, of: '{id:0}' }, null), failed: true });
  const both = act(failed('list', 2), failed('get', 3));
  const rest = [both, act(failed('list', 4))];
  const { clusters } = compare(record(agentThat(act(create(1, 0)), ...rest), PLAIN), record(agentThat(...rest), PLAIN));
  expect(clusters[1]?.differences.map(({ kind, tool, pointer }) => [kind, tool, pointer])).toEqual([
    ['call-missing', 'create', undefined],
    ['argument', 'get', '/of'],
    ['argument', 'list', '/of'],
    ['argument', 'list', '/of'],
  ]);
});

test('calls that generate ids, in another order: each keeps its id', () => {
  const run = (numbers: readonly number[], how: Rendering): Recording =>
    record(agentThat(...numbers.map((no) => act(create(no, no))), act(open(1, 2))), how);
  const { clusters } = compare(run([1, 2], PLAIN), run([2, 1], OTHER_IDS), { strictness: 'exact' });
  expect(new Set(clusters[1]?.differences.map(({ kind }) => kind))).toEqual(new Set(['call-order']));
});

test('a search that is repeated and answers with ids is a retry and nothing else', () => {
  const search = (id: number) => act(call('search', { q: 'tent' }, { request: `{id:${id}}`, hits: 3 }));
  const rest = (id: number) => act(call('search', { q: 'boots' }, { request: `{id:${id}}`, hits: 1 }));
  const recorded = record(agentThat(search(0), rest(1)), PLAIN);
  const replayed = record(agentThat(search(0), search(5), rest(1)), OTHER_IDS);
  // Its results hold something new each time, so that nobody knows but who declares it that it only reads.
  expect(compare(recorded, replayed).clusters[1]?.differences).toMatchObject([{ kind: 'call-retry' }]);
  const { verdict, clusters } = compare(recorded, replayed, { tools: { search: { readOnly: true } } });
  expect(verdict).toBe(outcomes.asRecorded);
  expect(clusters[0]?.differences).toMatchObject([{ kind: 'call-retry', severity: 'minor' }]);
});

test('another of two generated ids is a difference, also where a call more gave them other numbers', () => {
  const run = (used: number, how: Rendering, ...more: Act[]): Recording =>
    record(agentThat(...more, act(create(1, 0)), act(create(2, 1)), act(open(used))), how);
  const { clusters } = compare(run(0, PLAIN), run(1, OTHER_IDS, act(create(7, 7))), { strictness: 'exact' });
  expect(clusters[1]?.differences).toMatchObject([
    { kind: 'call-extra', replayedStep: 1 },
    { kind: 'argument', pointer: '/ids/0', recordedStep: 5, replayedStep: 7 },
  ]);
});

test('times that the model wrote in parallel calls are compared as they are, in whatever order the calls came', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(200_000), { minLength: 2, maxLength: 4 }), rendering, (offsets, how) => {
      const at = (add: number) => offsets.map((offset, index) => how.startMs + offset + (index === 0 ? add : 0));
      const run = (times: readonly number[], shuffle: number): Recording =>
        record(
          agentThat(
            act(
              ...times.flatMap((time) => [
                call('remind', { at: time }, { ok: true, at: time }),
                call('note', { on: new Date(time).toISOString() }, 'noted'),
              ]),
            ),
          ),
          { ...how, shuffle },
        );
      const recorded = run(at(0), 0);
      expect(compare(recorded, run(at(0), how.shuffle), { strictness: 'exact' }).verdict).toBe(outcomes.asRecorded);
      expect(compare(recorded, run(at(300_000), how.shuffle)).divergence).toMatchObject({ kind: 'argument' });
    }),
    many,
  );
});

test('an id that the user named is not a generated one: another in its place is another result', () => {
  const named = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const request = { messages: [{ role: 'user', content: `Where is parcel ${named}?` }] };
  const found = (id: string) => ({ request, acts: [act(call('track', {}, { parcel: id }))], answer: 'Done.' });
  const other = '1b4e28ba-2fa1-4d2a-883f-0016d3cca427';
  expect(compare(record(found(named), PLAIN), record(found(named), PLAIN), {}, request).verdict).toBe(
    outcomes.asRecorded,
  );
  expect(compare(record(found(named), PLAIN), record(found(other), PLAIN), {}, request).verdict).toBe(outcomes.changed);
});

test('the second in which a run writes something down is its own clock, in an argument, too; another time is another', () => {
  const noted = (at: string) => agentThat(act(call('log_activity', { text: 'Reserved 4 tents.', at }, { ok: true })));
  const stamp = (startMs: number, after: number) => new Date(startMs + after).toISOString();
  const later = { ...PLAIN, startMs: PLAIN.startMs + 86_400_000 };
  const recorded = record(noted(stamp(PLAIN.startMs, 2_000)), PLAIN);
  const replayed = (after: number) => record(noted(stamp(later.startMs, after)), later);
  expect(compare(recorded, replayed(9_000)).verdict).toBe(outcomes.asRecorded);
  expect(compare(recorded, replayed(86_400_000)).divergence).toMatchObject({ kind: 'argument', pointer: '/at' });
});

test('a time in the request is no clock reading, also as a number', () => {
  const asked = PLAIN.startMs + 60_000;
  const booked = agentThat(act(call('booking', {}, { at: asked })));
  const request = { messages: [{ role: 'user', content: [{ type: 'data', at: asked }] }] };
  const later = { ...PLAIN, startMs: PLAIN.startMs + 86_400_000 };
  expect(compare(record(booked, PLAIN), record(booked, later), {}, request).verdict).toBe(outcomes.asRecorded);
});

test('a run that differs by a minor edit from the second of two recordings is as recorded', () => {
  const look = (q: string) =>
    act(call('find', { q }, { found: 'a tent' }), call('find', { q: `${q} x` }, { found: q }));
  const act1 = (tool: string) => act(call(tool, {}, { ok: 1 }));
  const readOnly = { tools: { find: { readOnly: true } } };
  const same = (q: string) => act(call('find', { q }, { found: 'a tent' }));
  const recordings = [
    record(agentThat(act1('first')), PLAIN),
    record(agentThat(act1('second'), same('a tent for two')), PLAIN),
  ];
  const replays = [
    record(agentThat(act1('second'), same('one tent for two')), PLAIN),
    record(agentThat(act1('second'), same('a tent for two')), PLAIN),
    record(agentThat(act1('first')), PLAIN),
  ].map((recording, index) => ({ run: index + 1, recording }));
  const { verdict, figures, clusters, divergence } = compareTurn(recordings, replays, rules(readOnly));
  expect({ verdict, asRecorded: figures.asRecorded }).toEqual({ verdict: outcomes.asRecorded, asRecorded: 3 });
  expect(clusters.map(({ runs, recorded }) => ({ runs, recorded }))).toEqual([
    { runs: [3], recorded: true },
    { runs: [1, 2], recorded: true },
  ]);
  expect(divergence).toBeNull();
  const changed = { run: 4, recording: record(agentThat(act1('second'), look('a house')), PLAIN) };
  expect(compareTurn(recordings, [changed], rules(readOnly)).verdict).toBe(outcomes.changed);
});

test('what tools of both runs said to the letter is one id, also when it moves in a list or came by another way', () => {
  const [one, other] = ['0b9a7c52-3f51-4f0e-9a55-0123456789ab', '1c9a7c52-3f51-4f0e-9a55-0123456789ab'];
  const list = (ids: Json) => act(call('list', {}, { ids }));
  const take = (id: string) => act(call('take', { id }, 'taken'));
  const moved = compare(
    record(agentThat(list([one, other]), take(one)), PLAIN),
    record(agentThat(list([other, one]), take(one)), OTHER_IDS),
  );
  expect(moved.clusters[1]?.differences.map(({ kind, pointer }) => [kind, pointer])).toEqual([
    ['result', '/ids/0'],
    ['result', '/ids/1'],
  ]);
  const known = act(call('look', { id: one }, 'seen'));
  const { clusters } = compare(
    record(agentThat(known, list([one]), take(one)), PLAIN),
    record(agentThat(list([one]), take(one)), OTHER_IDS),
  );
  expect(clusters[1]?.differences).toMatchObject([{ kind: 'call-missing', recordedStep: 1 }]);
});

test('a value that two results tell is the same value where one of the two calls is gone: the call is told, and nothing else', () => {
  const mail = call('send_mail', { no: 1 }, { got: { a: [{ a: 'FO-1011' }] }, no: 1 });
  const search = call('search', { no: 2 }, { got: { a: 'FO-1011' }, no: 2 });
  const [both, alone] = [record(agentThat(act(mail, search)), PLAIN), record(agentThat(act(mail)), OTHER_IDS)];
  const missing = compare(both, alone, { strictness: 'steps' });
  expect(missing.clusters[1]?.differences).toMatchObject([{ kind: 'call-missing', tool: 'search' }]);
  const extra = compare(alone, both, { strictness: 'steps' });
  expect(extra.clusters[1]?.differences).toMatchObject([{ kind: 'call-extra', tool: 'search' }]);
});

test('another tool that generates an id in the place of the first one: the id is not told as another one later', () => {
  const run = (tool: string, how: Rendering) =>
    record(agentThat(act(call(tool, { no: 1 }, { id: '{id:0}' })), act(open(0))), how);
  const { clusters } = compare(run('create', PLAIN), run('make', OTHER_IDS), { strictness: 'exact' });
  expect(clusters[1]?.differences).toMatchObject([{ kind: 'call-name', recordedStep: 1 }]);
});

test.each(['UTC', 'Asia/Kolkata', 'America/Los_Angeles'])(
  'a clock that tells UTC without saying so is the clock of the run, also where the machine is in %s',
  (zone) => {
    vi.stubEnv('TZ', zone);
    const told = (startMs: number) => {
      const at = new Date(startMs + 2_000).toISOString().slice(0, 19);
      return record(agentThat(act(call('clock', {}, { at, text: at.replace('T', ' ') }))), { ...PLAIN, startMs });
    };
    const midnight = Date.UTC(2026, 1, 1) - 2_000;
    expect(compare(told(PLAIN.startMs), told(midnight)).verdict).toBe(outcomes.asRecorded);
    vi.unstubAllEnvs();
  },
);
