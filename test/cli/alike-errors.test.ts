import { expect, test } from 'vitest';
import { AlikeErrors } from '../../src/cli/alike-errors.ts';

const REFUSED = [
  'agent| A replay failed: APIConnectionError: Connection error.',
  'agent|     at OpenAI.request (client.js:7:3)',
  'agent|   [cause]: Error: connect ECONNREFUSED',
  'agent|     port: 4999',
  'agent|   }',
  'agent| }',
];

test('an error that an agent prints with its stack again and again is shown once, with how often it came', () => {
  const errors = new AlikeErrors();
  const printed = Array(20)
    .fill(REFUSED)
    .flat()
    .filter((line) => errors.isNew(line));
  expect(printed).toEqual(REFUSED);
  expect(errors.summary()).toEqual([`${REFUSED[0]} (19 more alike)`]);
});

test('other errors, and lines without a stack, are shown as often as they come', () => {
  const errors = new AlikeErrors();
  const lines = [
    ...REFUSED,
    'shop agent| took a turn',
    'shop agent| took a turn',
    ...REFUSED.with(0, 'agent| TypeError: x'),
  ];
  expect(lines.filter((line) => errors.isNew(line))).toEqual(lines);
  expect(errors.summary()).toEqual([]);
});
