import { expect, test } from 'vitest';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import type { Json } from '../../src/json/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { outcomes } from '../outcomes.ts';
import { readTrials } from '../tau/trials.ts';
import { compare, RUNS } from './agents.ts';

/** A turn of an agent that its model drives by text: what it was given and what it said, and tools if the trace has any. */
function turn(said: readonly (readonly [given: string, said: Json])[], tools: readonly Json[] = []): Recording {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 10, 0, second)).toISOString();
  const seen = (id: string, second: number) => ({
    id,
    parentId: null,
    name: 'search',
    startTime: at(second),
    endTime: at(second + 1),
  });
  const generations = said.map(([input, output], index): Observation => {
    return { ...seen(`g${index}`, 2 * index), type: 'generation', input, output };
  });
  const told = tools.map((input, index): Observation => ({ ...seen(`t${index}`, 2 * index + 1), type: 'tool', input }));
  return { output: 'It is green.', observations: [...generations, ...told] };
}

const ASKED = 'Which tent?';
const DONE = 'Thought: done.\nFinal Answer: It is green.';

/** One call, as each of the notations has it. */
const NOTATIONS: [string, (name: string, input: string) => string][] = [
  ['Action and Action Input', (name, input) => `Thought: look.\nAction: ${name}\nAction Input: {"q": "${input}"}`],
  ['numbered, with CRLF', (name, input) => `Thought 2: look.\r\nAction 2: ${name}\r\nAction Input 2: ${input}\r\n`],
  ['fenced input', (name, input) => `Action: ${name}\nAction Input:\n\`\`\`json\n{"q": "${input}"}\n\`\`\``],
  ['input in quotes', (name, input) => `look\nAction: ${name}\nAction Input: "${input}"\nObservation:`],
  ['brackets', (name, input) => `Thought: look\nAction: ${name}[${input}]`],
  ['a blob in a fence', (name, input) => `look\n\`\`\`json\n{"action": "${name}", "action_input": "${input}"}\n\`\`\``],
  ['a blob under its label', (name, input) => `Action:\n{"action": "${name}", "action_input": {"q": "${input}"}}`],
  ['a blob and nothing else', (name, input) => `{"action": "${name}", "action_input": {"q": "${input}"}}`],
];
const acting = (asked: string, observed = '{"found": 1}') =>
  turn([
    [ASKED, asked],
    [`${ASKED}\n${asked}\nObservation: ${observed}\nThought:`, DONE],
  ]);

test.each(NOTATIONS)('a call in text is compared as a call: %s', (_, write) => {
  const recorded = acting(write('search', 'blue'));
  expect(compare(recorded, recorded).verdict).toBe(outcomes.asRecorded);
  expect(compare(recorded, acting(write('refund', 'blue'))).divergence).toMatchObject({ kind: 'call-name' });
  expect(compare(recorded, acting(write('search', 'red'))).divergence).toMatchObject({
    kind: 'argument',
    pointer: expect.stringMatching(/^\/(?:q|input)$/),
    recorded: 'blue',
    replayed: 'red',
  });
  expect(compare(recorded, turn([[ASKED, DONE]])).divergence).toMatchObject({ kind: 'call-missing' });
});

test('what the next prompt ends with as the observation is the result, and the cause of what differs', () => {
  const asked = 'Action: search[blue]';
  const { divergence } = compare(acting(asked), acting(asked, '{"found": 2}'));
  expect(divergence).toMatchObject({ kind: 'result', pointer: '/found', cause: { kind: 'environment' } });
});

test('a thought in other words is no divergence where the call is the same', () => {
  const say = (thought: string) => acting(`Thought: ${thought}\nAction: search\nAction Input: blue`);
  expect(compare(say('I look for it.'), say('Let me see what there is.')).verdict).toBe(outcomes.asRecorded);
  expect(compare(say('I look for it.'), say('No.'), { strictness: 'wording' }).verdict).toBe(outcomes.changed);
});

test('where the trace tells of tools, they are the calls, and none counts twice', () => {
  const asked = 'Thought: look\nAction: search\nAction Input: {"q": "blue"}';
  const said = [[ASKED, asked] as const, [ASKED, DONE] as const];
  const kinds = ({ steps }: ReturnType<typeof trajectoryOf>) => steps.map(({ kind }) => kind);
  const traced = turn(said, [{ q: 'blue' }]);
  expect(kinds(trajectoryOf(traced))).toEqual(['text', 'call', 'result', 'final']);
  // The recording tells of tools, so that the replay would tell of one that was carried out.
  expect(compare(traced, turn(said)).divergence).toMatchObject({ kind: 'call-missing' });
});

test('a message with a structured call asks for nothing more in its text', () => {
  const call = { type: 'function', id: 'call_1', function: { name: 'search', arguments: '{}' } };
  const message = { role: 'assistant', content: 'Action: refund\nAction Input: all', tool_calls: [call] };
  const { steps } = trajectoryOf(
    turn([
      [ASKED, message],
      [ASKED, DONE],
    ]),
  );
  expect(steps.filter(({ kind }) => kind === 'call').map(({ name }) => name)).toEqual(['search']);
});

function stepsOf(text: string): unknown {
  return trajectoryOf(
    turn([
      [ASKED, text],
      [ASKED, 'so it is'],
    ]),
  ).steps.map(({ kind, value }) => [kind, value]);
}
/** What is left of a message that calls nothing: its text as it is. */
const alone = (text: string) => [
  ['text', text],
  ['final', 'It is green.'],
];

test.each([
  'Action: restart the server, then tell me.',
  'Action: see [the manual](https://a.example/m)',
  'Action: see [the manual]',
  'I will take the following Action: search\nwith care.',
  'Suggested Action: search\nAction Input: none',
  'Action Input: blue',
  'Action: search\nAction Input: blue\n\nThought: or should I not?',
  'Action: search\nAction Input: blue\nAction: refund\nAction Input: all',
  `Action: ${'very '.repeat(20)}long\nAction Input: blue`,
  'Action: one\nand two\nAction Input: blue',
  'To search, write this:\n```\nAction: search\nAction Input: blue\n```',
  'To search, write this:\n```\nAction: search[blue]',
  '```json\n{"action": "search", "action_input": "blue"}\n```\nis how one searches.',
  '```json\n{"action": "search", "action_input": "blue", "note": "for example"}\n```',
  '```json\n{"action": 5, "action_input": "blue"}\n```',
  '```json\n{"action": "search"}\n```',
  'Final Answer: 42, as I said.',
  'The Final Answer: 42',
  'Answer: 42',
])('a text that only talks of actions is left alone: %j', (text) => {
  expect(stepsOf(text)).toEqual(alone(text));
});

test('what a recorded agent said to its users is left alone', () => {
  const said = readTrials().flatMap(({ messages }) =>
    messages.flatMap(({ role, content }) => (role === 'assistant' && content ? [content] : [])),
  );
  expect(said.length).toBeGreaterThan(1_000);
  for (const text of said) expect(stepsOf(text)).toEqual(alone(text));
});

test('a text without a whole action at its end is left alone', () => {
  const piece = fc.constantFrom('Action', 'Action:', ' search', 'Action Input:', ' blue', '[x]', '```', '{', '"', '\n');
  const tail = fc.constantFrom('\nThat is all.', '\n\n- so much for that', '\nPlease tell me: shall I?');
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 12 }), tail, (pieces, end) => {
      // The label of an input takes in all that follows it; without one, nothing may.
      const text = `Well: ${pieces.filter((each) => each !== 'Action Input:').join('')}${end}`;
      expect(stepsOf(text)).toEqual(alone(text));
    }),
    { numRuns: RUNS },
  );
});

test('what a model makes up behind its call is not what came of it; told to its end it is the turn itself', () => {
  const told = 'Thought: look\nAction: search[blue]\nObservation: green\nThought: so\nFinal Answer: It is green.';
  const called = trajectoryOf(acting(told, 'red')).steps.map(({ kind, value }) => [kind, value]);
  expect(called.slice(0, 3)).toEqual([
    ['text', 'Thought: look'],
    ['call', { input: 'blue' }],
    ['result', 'red'],
  ]);
  const whole = trajectoryOf({ observations: turn([[ASKED, told]]).observations }).steps;
  expect(whole.map(({ kind }) => kind)).toEqual(['text', 'final']);
  expect(whole[1]?.value).toBe('It is green.');
});

test('an output that is such a message says what stands under the label of the answer', () => {
  const { observations } = acting('Action: search[blue]');
  const finalOf = (output: Json) => trajectoryOf({ output, observations }).steps.find(({ kind }) => kind === 'final');
  expect(finalOf(DONE)?.value).toBe('It is green.');
  expect(finalOf('{"action": "Final Answer", "action_input": "It is green."}')?.value).toBe('It is green.');
  expect(finalOf('It is green.')?.value).toBe('It is green.');
});
