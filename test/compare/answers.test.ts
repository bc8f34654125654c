import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { outcomes } from '../outcomes.ts';
import { compare } from './agents.ts';

const AT = new Date(0).toISOString();
const ANSWER = 'Take the fixed rate: it is 3.4 % for ten years.';

/** A turn whose root put out this, after one model call that is not told of. */
function turnOf(output: Json): Recording {
  return {
    output,
    observations: [{ id: 'r', parentId: null, type: 'agent', name: 'turn', startTime: AT, endTime: AT, output }],
  };
}

type Shape = (thought: string | undefined, answer: string) => Json;

/** How SDKs write down an answer with what the model thought before it; undefined: it did not think. */
const SHAPES: [string, Shape][] = [
  ['Anthropic content', (thought, text) => [...thinking(thought), { type: 'text', text }]],
  [
    'an Anthropic message',
    (thought, text) => ({ role: 'assistant', content: [...thinking(thought), { type: 'text', text }] }),
  ],
  ['a response of Anthropic', (thought, text) => ({ content: [...thinking(thought), { type: 'text', text }] })],
  [
    'all messages',
    (thought, text) => [
      { role: 'user', content: 'Which one?' },
      { role: 'assistant', content: [...thinking(thought), { type: 'text', text }] },
    ],
  ],
  [
    'an agent state',
    (thought, text) => ({ messages: [{ role: 'assistant', content: [...thinking(thought), { type: 'text', text }] }] }),
  ],
  [
    'items of the Responses API',
    (thought, text) => [
      ...summary(thought),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
    ],
  ],
  [
    'a response of the Responses API',
    (thought, text) => ({
      usage: { total: 7 },
      output: [...summary(thought), { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    }),
  ],
  [
    'parts of the AI SDK',
    (thought, text) => [
      ...(thought === undefined ? [] : [{ type: 'reasoning', text: thought }]),
      { type: 'text', text },
    ],
  ],
  [
    'a message with reasoning_content',
    (thought, text) => ({
      role: 'assistant',
      content: text,
      ...(thought === undefined ? {} : { reasoning_content: thought }),
    }),
  ],
  [
    'a text with its thoughts in front',
    (thought, text) => `${thought === undefined ? '' : `<think>\n${thought}\n</think>\n\n`}${text}`,
  ],
];

function summary(thought: string | undefined): Json[] {
  if (thought === undefined) return [];
  return [{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: thought }] }];
}

function thinking(thought: string | undefined): Json[] {
  return thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: 'Eq0B' }];
}

test.each(SHAPES)('what the model thought is no part of an answer that is recorded as %s', (_, shape) => {
  const recorded = turnOf(shape('3.9 is more than 3.4, and they do not like risk.', ANSWER));
  for (const thought of ['Could not be clearer: 300,000 at 0.5 are 1,500.', undefined]) {
    const { verdict, clusters } = compare(recorded, turnOf(shape(thought, ANSWER)), { strictness: 'exact' });
    expect([verdict, clusters.length]).toEqual([outcomes.asRecorded, 1]);
  }
  const other = compare(recorded, turnOf(shape('3.9 is more than 3.4.', ANSWER.replace('3.4', '3.9'))));
  expect(other.divergence).toMatchObject({ kind: 'final-text' });
});

test.each(SHAPES)('thoughts and no answer are no answer, recorded as %s', (_, shape) => {
  const recorded = turnOf(shape('They do not like risk.', ANSWER));
  expect(compare(recorded, turnOf(shape('They do not like risk.', ''))).verdict).toBe(outcomes.changed);
  const [one, other] = ['They do not like risk.', 'Nothing to say.'].map((thought) => turnOf(shape(thought, '')));
  expect(compare(one as Recording, other as Recording).verdict).toBe(outcomes.asRecorded);
});

test('the state of an agent is its answer, with parts in it or without', () => {
  const state = (order: string) => ({ order, output: [{ type: 'text', text: ANSWER }] });
  expect(compare(turnOf(state('A-1')), turnOf(state('B-2'))).divergence).toMatchObject({ pointer: '/order' });
});
