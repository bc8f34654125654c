import { expect, test } from 'vitest';
import { divergenceWords } from '../../src/report/index.ts';
import { separationOf } from '../../src/report/words/words.ts';
import { rules } from './agents.ts';
import { type Act, type Call, type Run, recordingOf } from './causes/run.ts';
import { compareTurn } from './compare-turn.ts';

/** Changes whose reason is known, and what a report must say first of each. */

const call = (tool: string, args: Call['args'], result: Call['result'] = 'ok'): Act => ({
  calls: [{ tool, args, result }],
});
const PROMPT = (limit: number, warehouse = "customer's nearest warehouse") =>
  `You help customers.\nBe kind.\nNever refund more than ${limit} EUR yourself.\nBe brief.\nSay when.\nAsk once.\nSay thanks.\nCheck stock in the ${warehouse}.`;
const DAYS = (days: number) =>
  `You can send back whatever you bought from us within ${days} days, in its box, and the shop pays for the way.`;
const PATCH = (sign: string) =>
  `--- a/shop.ts\n+++ b/shop.ts\n@@ -1,3 +1,3 @@\n-if (total > 100) ship();\n+if (total ${sign} 120) ship();\n`;
const BOOKED = 'Your seats are booked.';
const trains = (train: string): Run => ({
  acts: [call('search_trains', { to: 'Bergen' }, ['R601', 'R605', 'R609', 'R611']), call('book', { train })],
  answer: BOOKED,
});
const found = (index: string): Run => ({
  acts: [call('search_docs', { q: 'returns' }, { index, documents: [`${index}-1`, `${index}-2`] })],
  answer: DAYS(20),
});

test.each<[string, Run, readonly Run[], string, string]>([
  [
    'an edited number',
    { system: PROMPT(200), acts: [call('get_order', { id: 7 }), call('refund_order', { id: 7 })], answer: 'Done.' },
    [
      {
        system: PROMPT(20),
        acts: [call('get_order', { id: 7 }), call('create_ticket', { id: 7 })],
        answer: 'A ticket.',
      },
    ],
    'create_ticket instead of refund_order in 3 of 3 runs',
    'system prompt differs at line 3',
  ],
  [
    'line 8 of a prompt',
    {
      system: PROMPT(200),
      acts: [call('check_stock', { warehouse: 'wh_oslo' }), call('create_replacement', { warehouse: 'wh_oslo' })],
      answer: 'It comes from Oslo.',
    },
    [
      {
        system: PROMPT(200, 'central warehouse'),
        acts: [
          call('check_stock', { warehouse: 'wh_central' }),
          call('create_replacement', { warehouse: 'wh_central' }),
        ],
        answer: 'It comes from the centre.',
      },
    ],
    'create_replacement.warehouse: wh_oslo → wh_central in 3 of 3 runs',
    'system prompt differs at line 8',
  ],
  ['another index of a retriever', found('v1'), [found('v2')], 'result of search_docs', 'environment'],
  [
    '20 days to 30 days',
    { acts: [], answer: DAYS(20) },
    [{ acts: [], answer: DAYS(30) }],
    'answer: 20 days → 30 days in 3 of 3 runs',
    'same input, other output',
  ],
  [
    'a sign in a patch',
    { acts: [call('apply_patch', { patch: PATCH('>=') })], answer: 'Done.' },
    [{ acts: [call('apply_patch', { patch: PATCH('>') })], answer: 'Done.' }],
    'apply_patch.patch: ">= 120)" → "> 120)" in 3 of 3 runs',
    'same input, other output',
  ],
  [
    'three other trains',
    trains('R605'),
    [trains('R601'), trains('R609'), trains('R611')],
    'in 3 of 3 runs, in 3 different ways',
    'same input, other output',
  ],
])('%s is what is told first, with its reason', (_, recorded, replays, what, why) => {
  const runs = [1, 2, 3].map((run) => ({ run, recording: recordingOf(replays[(run - 1) % replays.length] as Run) }));
  const comparison = compareTurn([recordingOf(recorded)], runs, rules());
  const told = divergenceWords(comparison);
  expect(told).toContain(what);
  expect(told.slice(told.indexOf('Cause:'))).toContain(why);
});

test('under shift what no recording does is told first, whatever the alignment finds', () => {
  const sentence = 'All 20 replays call create_ticket. None of the 10 recordings did.';
  const event = { kind: 'unseen', weight: 'red', runs: [1], of: 20, fails: true, sentence } as const;
  expect(separationOf({ events: [event] } as never)).toBe(sentence);
});
