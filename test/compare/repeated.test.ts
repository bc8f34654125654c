import { expect, test } from 'vitest';
import { soundOf } from '../../src/compare/keys/writing.ts';
import type { Json } from '../../src/json/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { observationsOf, outputOf } from '../tau/conversation.ts';
import { readTrials } from '../tau/trials.ts';
import {
  type Act,
  type Agent,
  callsOf,
  compare,
  firstOf,
  PLAIN,
  plant,
  RUNS,
  record,
  rendering,
  sequentialAgent,
} from './agents.ts';

const ANSWER = 'All of it has been taken care of, and there is nothing more that you have to do about it today.';

const call = (tool: string, value: Json, result: Json): Act => ({
  thought: '',
  calls: [{ tool, args: { value }, result }],
});
const run = (acts: readonly Act[], answer: Json = ANSWER): Recording =>
  record({ request: { messages: [{ role: 'user', content: 'go on' }] }, acts, answer }, PLAIN);

/** The recording with a call made once more, by a model's answer of its own: right behind it, or behind all others. */
function again(recording: Recording, tool: Observation, where: 'at once' | 'at the end'): Recording {
  const copy = structuredClone(recording);
  const { observations } = copy;
  const ofCall = observations.findIndex(({ id }) => id === tool.id);
  const last = observations.findLastIndex(({ type }) => type === 'tool');
  const at = (where === 'at once' ? ofCall : last) + 1;
  const before = observations[at - 1] as Observation;
  const asked = { id: 'call_again', type: 'function', function: { name: tool.name, arguments: tool.input ?? {} } };
  const time = { startTime: before.endTime ?? before.startTime, endTime: before.endTime ?? before.startTime };
  const { parentId } = tool;
  observations.splice(
    at,
    0,
    { id: 'g-again', parentId, type: 'generation', name: 'answer', ...time, output: { tool_calls: [asked] } },
    { ...tool, id: 't-again', callId: 'call_again', ...time },
  );
  return copy;
}

test.each(['at once', 'at the end'] as const)(
  'a booking, a cancellation, a change or a message of a real agent that is made twice, %s, is a divergence',
  (where) => {
    let doubled = 0;
    for (const trial of readTrials().filter(({ trial: nth }) => nth === 0)) {
      const recording = { observations: observationsOf(trial), output: outputOf(trial) };
      const writes = recording.observations.filter(
        ({ type, name, level }) =>
          type === 'tool' && level !== 'ERROR' && /^(?:book|cancel|update|send|transfer)_/.test(name),
      );
      for (const tool of writes) {
        const { verdict, divergence } = compare(recording, again(recording, tool, where));
        expect([trial.task, tool.name, verdict]).toEqual([trial.task, tool.name, outcomes.changed]);
        expect(divergence).toMatchObject({ tool: tool.name, severity: 'behaviour' });
        expect(['call-retry', 'call-extra']).toContain(divergence?.kind);
        doubled++;
      }
    }
    expect(doubled).toBeGreaterThan(60);
  },
);

test('a call made once where it was recorded twice is a divergence as well', () => {
  const pay = call('pay', 7, 'ok');
  expect(compare(run([pay, pay]), run([pay])).divergence).toMatchObject({ kind: 'call-retry', tool: 'pay' });
});

test('a doubled call is minor only where its own tool is known to inform: declared, or by its own results', () => {
  const search = (value: string) => call('search', value, { hits: `three of ${value}!` });
  const charge = call('xq_7', 1, 'ok');
  const twice = (of: Act) => compare(run([search('a'), search('b'), of]), run([search('a'), search('b'), of, of]));
  // Its results are those of another tool: nothing is known of this one.
  expect(twice(charge).divergence).toMatchObject({ kind: 'call-retry', tool: 'xq_7' });
  const read = twice(search('b'));
  expect(read.verdict).toBe(outcomes.asRecorded);
  expect(read.clusters[0]?.differences).toMatchObject([{ kind: 'call-retry', severity: 'minor', tool: 'search' }]);
  const tools = { xq_7: { readOnly: true } };
  expect(compare(run([charge]), run([charge, charge]), { tools }).verdict).toBe(outcomes.asRecorded);
});

test('a tool that is named as one that changes something is never learned to inform, whatever it answers', () => {
  const book = (value: string) => call('book_flight', value, { reference: `${value}-ref` });
  const recorded = run([book('a'), book('b'), book('c')]);
  const { verdict } = compare(recorded, run([book('a'), book('b'), book('c'), book('c')]));
  expect(verdict).toBe(outcomes.changed);
});

const READ_ONLY = { tools: { search: { readOnly: true } } };

test.each([
  [1, 2, outcomes.asRecorded],
  [1, 3, outcomes.changed],
  [1, 60, outcomes.changed],
  [3, 6, outcomes.asRecorded],
  [3, 7, outcomes.changed],
] as const)('a read made %i times in the recording and %i times in the replay: %s', (recorded, replayed, verdict) => {
  const search = call('search', 'tents', 'three');
  const times = (count: number) => run(Array.from({ length: count }, () => search));
  expect(compare(times(recorded), times(replayed), READ_ONLY).verdict).toBe(verdict);
});

test('a tool that is asked other things more than twice as often as recorded counts, though it only reads', () => {
  const searches = (count: number) =>
    run(Array.from({ length: count }, (_, no) => call('search', `tent ${no}`, `no ${no}`)));
  expect(compare(searches(2), searches(4), READ_ONLY).verdict).toBe(outcomes.asRecorded);
  expect(compare(searches(2), searches(5), READ_ONLY).divergence).toMatchObject({ kind: 'call-extra', tool: 'search' });
});

/** The agent with the tool of one call declared to read, as it would be called by no other call. */
function reader(of: Agent, nth: number): { of: Agent; without: Agent; later: (agent: Agent, by: number) => Agent } {
  let number = 0;
  const acts = of.acts.map((act) => ({
    ...act,
    calls: act.calls.map((each) =>
      number++ === nth ? { ...each, tool: 'look', args: { no: nth }, result: { seen: nth } } : each,
    ),
  }));
  const named = { ...of, acts };
  const without = plant('a call less', named, nth).agent;
  return { of: named, without, later: (agent, by) => plant('another value', agent, by).agent };
}

test('a read that is left out, or put in, is minor when nothing behind it differs, and else counts', () => {
  const tools = { look: { readOnly: true } };
  fc.assert(
    fc.property(
      sequentialAgent.filter((of) => callsOf(of).length > 1),
      fc.nat(),
      fc.nat(),
      rendering,
      (agent, at, by, how) => {
        const count = callsOf(agent).length;
        const { of, without, later } = reader(agent, at % count);
        const [full, dropped] = [record(of, how), record(without, how)];
        for (const [a, b] of [
          [full, dropped],
          [dropped, full],
        ] as const) {
          const { verdict, clusters } = compare(a, b, { tools });
          expect(verdict).toBe(outcomes.asRecorded);
          expect(clusters[0]?.differences).toMatchObject([{ tool: 'look', severity: 'minor' }]);
        }
        // Of the calls that are left, one that stands behind the place, or the answer.
        const behind = (at % count) + (by % (count - (at % count)));
        const changed =
          behind < count - 1 ? later(without, behind) : { ...without, answer: { another: 'answer', no: 1 } };
        const divergence = firstOf(compare(full, record(changed, how), { tools }));
        expect(divergence).toMatchObject({ kind: 'call-missing', tool: 'look', severity: 'behaviour' });
      },
    ),
    { numRuns: RUNS },
  );
});

test('a read that is left out counts where a later search is worded in another way, though that is minor by itself', () => {
  const search = (value: string) => call('search', value, { hits: ['tent'] });
  const tools = { search: { readOnly: true }, get_policy: { readOnly: true } };
  const policy = call('get_policy', 1, { text: 'no refunds' });
  const recorded = run([policy, search('blue tents for two')]);
  expect(compare(recorded, run([policy, search('two blue tents please')]), { tools }).verdict).toBe(
    outcomes.asRecorded,
  );
  expect(compare(recorded, run([search('two blue tents please')]), { tools }).divergence).toMatchObject({
    kind: 'call-missing',
    tool: 'get_policy',
  });
});

test.each([
  ...['book_flight', 'cancelOrder', 'mcp__github__create_issue', 'order', 'order_status', 'issueRefund', 'send-mail'],
  ...['find_or_create_user', 'search_and_replace', 'check_out', 'CheckoutCart', 'transfer_to_human', 'DeleteS3Object'],
  ...[
    'refund',
    'processRefund',
    'set_status',
    'reserve.seat',
    'pay',
    'run_query',
    'hand_off',
    'escalate',
    'redeemCode',
  ],
])('%s is named as a tool that changes something', (tool) => {
  expect(soundOf(tool)).toBe('writes');
});

test.each([
  ...['get_order', 'list_orders', 'search', 'getRefundStatus', 'mcp__github__get_issue', 'find_store', 'weather'],
  ...[
    'lookup_booking',
    'calculate',
    'think',
    'check_payment',
    'GetUserDetails',
    'search_direct_flight',
    'settings',
    '',
  ],
])('%s is not', (tool) => {
  expect(soundOf(tool)).not.toBe('writes');
});
