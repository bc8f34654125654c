import { expect, test } from 'vitest';
import { compareRules } from '../../src/compare/index.ts';
import { stepReader } from '../../src/compare/read-steps.ts';
import { shiftRun } from '../../src/shift/index.ts';
import { tableOf } from '../../src/shift/table.ts';
import { pairsOf, wordsOf } from '../../src/shift/word-pairs.ts';
import type { Recording } from '../../src/trace/index.ts';
import { record } from '../compare/agents.ts';

test.each([
  ['The customer owes the shop $5.', ['the', 'customer', 'owes', 'the', 'shop', '$', '5']],
  ['Don’t wait: 14:30 is fine, 1,000.50 is not', ["don't", 'wait', '14:30', 'is', 'fine', '1,000.50', 'is', 'not']],
  ['Minus -5 %, not a well-known 3-5', ['minus', '-5', '%', 'not', 'a', 'well-known', '3-5']],
  ['Der Kunde schuldet NICHTS', ['der', 'kunde', 'schuldet', 'nichts']],
  ['返金はできません', ['返', '金', 'は', 'で', 'き', 'ま', 'せ', 'ん']],
  ['ไม่ได้', ['ไ', 'ม', '่', 'ไ', 'ด', '้']],
  ['не возвращаем', ['не', 'возвращаем']],
  ['order <create_order.uuid#1> is on its way 🙂', ['order', '<create_order.uuid#1>', 'is', 'on', 'its', 'way', '🙂']],
  ['Cafe\u0301', ['café']],
  ['  \n', []],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('an exchange of two words changes pairs and no word', () => {
  const [one, other] = ['the shop owes the customer', 'the customer owes the shop'].map(wordsOf) as [
    string[],
    string[],
  ];
  expect(new Set(one)).toEqual(new Set(other));
  expect(pairsOf(one)).not.toEqual(pairsOf(other));
  expect(pairsOf(['a', 'b'])).toEqual([
    ['', 'a'],
    ['a', 'b'],
    ['b', ''],
  ]);
});

/** A support agent's turn, as a tracing SDK tells of it. */
function recorded(
  overrides: { mail?: string; tickMs?: number; seed?: number; answer?: string; failed?: boolean } = {},
): Recording {
  const {
    mail = 'Dear Ann, it is late',
    tickMs = 1,
    seed = 1,
    answer = 'Order {id:0} is late.',
    failed = false,
  } = overrides;
  const agent = {
    request: { messages: [{ role: 'user' as const, content: 'where is it?' }] },
    acts: [
      {
        thought: 'let me see',
        calls: [{ tool: 'find', args: { city: 'Paris', no: 1, tags: ['a', 'a'] }, result: { id: '{id:0}' } }],
      },
      { thought: '', calls: [{ tool: 'mail', args: { order: '{id:0}', text: mail }, result: 'sent', failed }] },
    ],
    answer,
  };
  return record(agent, {
    shape: 'chat',
    seed,
    startMs: Date.UTC(2026, 0, seed),
    tickMs,
    shuffle: 0,
    spelling: 'plain',
  });
}

const reading = (rules: Parameters<typeof compareRules.parse>[0] = {}) => stepReader(compareRules.parse(rules));
const runOf = (recording: Recording, rules?: Parameters<typeof compareRules.parse>[0]) =>
  shiftRun(reading(rules)(recording));

test('a run is what was called and answered, with generated ids renamed', () => {
  expect(runOf(recorded())).toEqual({
    calls: [
      { tool: 'find', tokens: ['/city\0"Paris"', '/no\x001', '/tags/*\0"a"', '/tags/*\0"a"\x002'] },
      {
        tool: 'mail',
        tokens: ['/order\0"<find.uuid#1>"', '/text\0ann', '/text\0dear', '/text\0is', '/text\0it', '/text\0late'],
      },
    ],
    answers: [{ words: ['order', '<find.uuid#1>', 'is', 'late'] }],
    failures: [],
  });
});

test('times, latency, generated ids and what tools answered make no difference', () => {
  const slow = runOf(recorded({ tickMs: 60_000, seed: 9 }));
  expect(slow).toEqual(runOf(recorded()));
  expect(tableOf([runOf(recorded())], [slow])).toMatchObject({
    calls: new Int32Array(4),
    answer: new Int32Array(4),
    features: [],
  });
});

test('what is ignored, not included or not looked at by the strictness is in no channel', () => {
  expect(runOf(recorded(), { ignore: ['tool:*/args'] }).calls).toEqual([
    { tool: 'find', tokens: [] },
    { tool: 'mail', tokens: [] },
  ]);
  expect(runOf(recorded(), { include: ['call'] }).answers).toEqual([]);
  expect(runOf(recorded(), { include: ['final'] })).toMatchObject({ calls: [], answers: [{}] });
  const outcome = runOf(recorded(), { strictness: 'outcome', tools: { mail: { mutating: true } } });
  expect(outcome.calls.map(({ tool }) => tool)).toEqual(['mail']);
  expect(outcome.answers).toHaveLength(1);
});

test('all steps can be asked for, those that are not looked at too', () => {
  const steps = reading({ include: ['final'] })(recorded());
  expect(steps.map(({ kind, isCompared }) => `${kind} ${isCompared}`)).toEqual([
    'text false',
    'call false',
    'result false',
    'call false',
    'result false',
    'final true',
  ]);
});

test('an error of a tool and how a run ended are failures, each once', () => {
  expect(runOf(recorded({ failed: true })).failures).toEqual(['error of mail']);
  const { observations } = recorded();
  const cut = observations.filter(({ type }) => type !== 'generation' && type !== 'agent');
  expect(runOf({ observations: cut }).failures).toEqual(['ended: no output']);
});

test('a structured answer is its leaves; a field of prose is its words', () => {
  const answer = JSON.stringify({ status: 'open', items: [1, null], why: 'It is late, so we refund it.' });
  expect(runOf(recorded({ answer })).answers).toEqual([
    {
      leaves: [
        { pointer: '/items/0', value: '1' },
        { pointer: '/items/1', value: 'null' },
        { pointer: '/status', value: '"open"' },
        {
          pointer: '/why',
          value: '"It is late, so we refund it."',
          words: ['it', 'is', 'late', 'so', 'we', 'refund', 'it'],
        },
      ],
    },
  ]);
});

test('long literals are told by their beginning and told apart all the same', () => {
  const literals = ['a', 'b'].map(
    (end) => runOf(recorded({ mail: 'x'.repeat(100_000) + end })).calls[1]?.tokens[1] ?? '',
  );
  expect(literals[0]).not.toBe(literals[1]);
  for (const literal of literals) expect(literal.length).toBeLessThan(300);
});
