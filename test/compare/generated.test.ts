import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';
import { type Act, compare, PLAIN, RUNS, randomFrom, record } from './agents.ts';
import { RECOGNISED } from './generators.ts';

const request = { messages: [{ role: 'user', content: 'Open what I need.' }] };

/** One turn that gets a value from a tool, hands it on, and tells it. */
function turn(result: Json, id: string): Recording {
  const call = (tool: string, args: { [key: string]: Json }, made: Json): Act => ({
    thought: '',
    calls: [{ tool, args, result: made }],
  });
  const acts = [call('look_up', { no: 7 }, result), call('take', { handle: id }, { ok: true })];
  return record({ request, acts, answer: `It is open under ${id}, as you asked.` }, PLAIN);
}

const AS_FIELD = (id: string) => turn({ ok: true, handle: id }, id);
const IN_A_SENTENCE = (id: string) => turn({ note: `Opened ${id}.` }, id);

test.each(Object.entries(RECOGNISED))(
  'runs of an unchanged agent that draw it anew are as recorded, whatever they draw: %s',
  (_, draw) => {
    const random = randomFrom(20_260_301);
    const wrong: string[] = [];
    for (let nth = 0; nth < RUNS; nth++) {
      const of = nth % 2 === 0 ? AS_FIELD : IN_A_SENTENCE;
      const [a, b] = [draw(random), draw(random)];
      if (compare(of(a), of(b), {}, request).verdict !== outcomes.asRecorded) wrong.push(`${a} ${b}`);
    }
    expect(wrong).toEqual([]);
  },
);

test.each([
  ['all digits in the replay', 'rf_2a1b93d8c14474022679', 'rf_86213938144740226792'],
  ['all digits in the recording', 'rf_86213938144740226792', 'rf_2a1b93d8c14474022679'],
  ['no digit in the replay', 'key_QxSz35904ubtzifh', 'key_tizgkuVlUkwvcoqh'],
  ['a hyphen at its end', 'V1StGXR8-Z5jdHi6BmyT-', '-QgbhnyGyzlUkZuwyJoTz'],
])('a generated value that does not look so is the one in its place, and its identity counts: %s', (_, a, b) => {
  expect(compare(AS_FIELD(a), AS_FIELD(b), {}, request).verdict).toBe(outcomes.asRecorded);
  const other = `${b.slice(0, -3)}${b.endsWith('777') ? '888' : '777'}`;
  const passedOn = compare(AS_FIELD(a), turn({ ok: true, handle: b }, other), {}, request);
  expect(passedOn.divergence).toMatchObject({ kind: 'argument', pointer: '/handle' });
});

test.each([
  ['two numbers', '1257248544786172', '5754659987399784'],
  ['two names', 'InternationalSwitchboard', 'MetropolitanExchangeDesk'],
  ['two codes', 'north-harbour-crane-17', 'south-station-depot-28'],
])('what is not drawn is another result: %s', (_, a, b) => {
  const told = (handle: string) =>
    record(
      { request, acts: [{ thought: '', calls: [{ tool: 'look_up', args: {}, result: { handle } }] }], answer: 'Done.' },
      PLAIN,
    );
  expect(compare(told(a), told(b), {}, request).verdict).toBe(outcomes.changed);
});

test('an id that the user named stays itself, although one that looks generated stands in its place', () => {
  const [asked, made] = ['rf_86213938144740226792', 'rf_2a1b93d8c14474022679'];
  const named = { messages: [{ role: 'user', content: `Where is ${asked}?` }] };
  for (const [a, b] of [
    [asked, made],
    [made, asked],
  ] as const)
    expect(compare(AS_FIELD(a), AS_FIELD(b), {}, named).verdict).toBe(outcomes.changed);
});
