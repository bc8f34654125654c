import type { CompareRules } from '../../../src/compare/index.ts';
import type { Cause } from '../../../src/compare/shapes/result.ts';
import type { Act, Call, Run } from './run.ts';

/** Two runs of one turn, why they part, and the reason of that label. */
export interface CauseCase {
  readonly name: string;
  readonly recorded: Run;
  readonly replayed: Run;
  readonly rules?: Partial<CompareRules>;
  readonly kind: Cause['kind'];
  /** Parts of the agent's own input that differ. */
  readonly changed?: readonly string[];
  /** What the sentence says of it, in part. */
  readonly says?: string;
  /** What it must not say. */
  readonly never?: string;
  readonly why: string;
}

const LATER = '2026-02-10T15:30:00.000Z';
const ANSWER = 'Your order 7 is on its way to you, and you will have your money back when it has come home.';

const call = (
  tool: string,
  args: Call['args'] = { id: 7 },
  result: Call['result'] = { status: 'sent', total: 80 },
): Call => ({
  tool,
  args,
  result,
});
const act = (...calls: Call[]): Act => ({ calls });
const say = (says: string, ...calls: Call[]): Act => ({ says, calls });

/** What the agent does as recorded, and one thing that it does otherwise. */
const BASE: Run = { acts: [act(call('get_order')), act(call('refund', { id: 7, amount: 80 }, 'ok'))], answer: ANSWER };
const OTHER_TOOL: Run = { ...BASE, acts: [act(call('get_order')), act(call('escalate', { id: 7 }, 'ok'))] };
const OTHER_ARGUMENT: Run = {
  ...BASE,
  acts: [act(call('get_order')), act(call('refund', { id: 7, amount: 120 }, 'ok'))],
};
const OTHER_ANSWER: Run = { ...BASE, answer: ANSWER.replace('order 7', 'order 8') };
const LESS: Run = { ...BASE, acts: [act(call('get_order'))] };
const MORE: Run = { ...BASE, acts: [...BASE.acts, act(call('send_mail', { to: 'you' }, 'ok'))] };
const TWICE: Run = { ...BASE, acts: [...BASE.acts, act(call('refund', { id: 7, amount: 80 }, 'ok'))] };

const PROMPT = 'You help customers of a tent shop.\nBe kind.\nNever promise a date.';
const dated = (text: string): string => `${PROMPT}\nToday is ${text}.`;
/** The same agent, asked on two days, with something of the day in its prompt. */
const onTwoDays = (recorded: string, replayed: string): Pick<CauseCase, 'recorded' | 'replayed'> => ({
  recorded: { ...BASE, system: dated(recorded) },
  replayed: { ...OTHER_TOOL, at: LATER, system: dated(replayed) },
});
const definition = (name: string, description: string, properties = {}): Record<string, never> =>
  ({ type: 'function', function: { name, description, parameters: { type: 'object', properties } } }) as never;
const DEFINED = [definition('get_order', 'Finds an order.'), definition('refund', 'Gives money back.')];

const THOUGHT = 'Let me look at your order first.';
const OTHER_THOUGHT = 'I will check what became of it.';
const thinking = (thought: string, over: Partial<Run> = {}): Run => ({
  ...BASE,
  acts: [say(thought, call('get_order')), act(call('refund', { id: 7, amount: 80 }, 'ok'))],
  ...over,
});
const thinkingThenOther = (thought: string, over: Partial<Run> = {}): Run => ({
  ...thinking(thought, over),
  acts: [say(thought, call('get_order')), act(call('escalate', { id: 7 }, 'ok'))],
});

/** A researcher below the tool `research`. */
const withResearcher = (researcher: Run, result: Call['result']): Run => ({
  ...BASE,
  acts: [act({ tool: 'research', args: 'tents', result, agent: researcher })],
});
const RESEARCHER: Run = { system: 'You look things up.', acts: [], answer: { years: 10 } };

const AGENT: CauseCase[] = [
  {
    name: 'a line of the prompt edited',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, system: PROMPT.replace('Be kind.', 'Escalate whatever is about money.') },
    kind: 'agent',
    changed: ['system prompt'],
    says: 'at line 2: recorded "Be kind.", replayed "Escalate whatever is about money."',
    why: 'the prompt of the generation differs in its second line',
  },
  {
    name: 'the prompt edited, and the model words what comes first otherwise',
    recorded: thinking(THOUGHT),
    replayed: thinkingThenOther(OTHER_THOUGHT, { system: PROMPT.replace('Be kind.', 'Be quick.') }),
    kind: 'agent',
    changed: ['system prompt'],
    why: 'noise of the model does not hide that the prompt differs',
  },
  {
    name: 'a blank line put into the prompt',
    recorded: BASE,
    replayed: { ...OTHER_ANSWER, system: PROMPT.replace('\n', '\n\n') },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'the prompt differs, if only by a line that is empty',
  },
  {
    name: 'the prompt edited on another day, with the date in it',
    recorded: { ...BASE, system: dated('2026-01-05') },
    replayed: { ...OTHER_TOOL, at: LATER, system: dated('2026-02-10').replace('kind', 'quick') },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'the day explains the date but not the edited line',
  },
  {
    name: 'a fixed date in the prompt edited, both runs on one day',
    recorded: { ...BASE, system: `${PROMPT}\nThese rules hold since 2024-05-01.` },
    replayed: { ...OTHER_TOOL, system: `${PROMPT}\nThese rules hold since 2025-05-01.` },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'neither date is of the day of its run',
  },
  {
    name: 'a fixed date edited between two days',
    recorded: { ...BASE, system: `${PROMPT}\nThese rules hold since 2024-05-01.` },
    replayed: { ...OTHER_TOOL, at: LATER, system: `${PROMPT}\nThese rules hold since 2025-05-01.` },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'neither date moved with the day of its run',
  },
  {
    name: 'office hours in the prompt edited',
    recorded: { ...BASE, system: `${PROMPT}\nWe are there from 9:00 to 17:00.` },
    replayed: { ...OTHER_TOOL, at: '2026-01-06T11:23:00.000Z', system: `${PROMPT}\nWe are there from 9:00 to 18:00.` },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'the hours are no reading of a clock',
  },
  {
    name: 'a number in the prompt edited',
    recorded: { ...BASE, system: `${PROMPT}\nGive back at most 100 EUR.` },
    replayed: { ...OTHER_ARGUMENT, at: LATER, system: `${PROMPT}\nGive back at most 200 EUR.` },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'a limit is not of the day',
  },
  {
    name: 'no prompt any more',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, system: null },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'the prompt is gone',
  },
  {
    name: 'the description of a tool changed',
    recorded: { ...BASE, tools: DEFINED },
    replayed: { ...OTHER_TOOL, tools: [DEFINED[0] as never, definition('refund', 'Only for small amounts.')] },
    kind: 'agent',
    changed: ['tools'],
    says: 'refund',
    why: 'the model was told something else of the tool',
  },
  {
    name: 'a parameter of a tool added',
    recorded: { ...BASE, tools: DEFINED },
    replayed: {
      ...OTHER_ARGUMENT,
      tools: [DEFINED[0] as never, definition('refund', 'Gives money back.', { reason: { type: 'string' } })],
    },
    kind: 'agent',
    changed: ['tools'],
    says: 'refund',
    why: 'the definition of the tool differs',
  },
  {
    name: 'a tool taken away',
    recorded: { ...BASE, tools: DEFINED },
    replayed: { ...LESS, tools: DEFINED.slice(0, 1) },
    kind: 'agent',
    changed: ['tools'],
    says: 'refund',
    why: 'the model no longer has the tool',
  },
  {
    name: 'a tool given to the model',
    recorded: { ...BASE, tools: DEFINED },
    replayed: { ...OTHER_TOOL, tools: [...DEFINED, definition('escalate', 'Asks a person.')] },
    kind: 'agent',
    changed: ['tools'],
    says: 'escalate',
    why: 'the model has one tool more',
  },
  {
    name: 'another model',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, model: 'gpt-4o-mini' },
    kind: 'agent',
    changed: ['model'],
    says: 'recorded gpt-4o, replayed gpt-4o-mini',
    why: 'the agent asks another model',
  },
  {
    name: 'the temperature changed',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, parameters: { temperature: 1 } },
    kind: 'agent',
    changed: ['parameters'],
    says: 'temperature 0 → 1',
    why: 'a parameter differs, and it is said which',
  },
  {
    name: 'a parameter set that was not',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, parameters: { temperature: 0, top_p: 0.5 } },
    kind: 'agent',
    changed: ['parameters'],
    says: 'top_p unset → 0.5',
    why: 'one side sets it, the other does not',
  },
  {
    name: 'the limit of tokens lowered',
    recorded: { ...BASE, parameters: { max_tokens: 1_000 } },
    replayed: { ...OTHER_ANSWER, parameters: { max_tokens: 20 } },
    kind: 'agent',
    changed: ['parameters'],
    says: 'max_tokens 1000 → 20',
    why: 'the limit is a parameter that the caller sets, although its name holds the word tokens',
  },
  {
    name: 'a tool forced',
    recorded: { ...BASE, parameters: { temperature: 0, tool_choice: 'auto' } },
    replayed: { ...MORE, parameters: { temperature: 0, tool_choice: 'required' } },
    kind: 'agent',
    changed: ['parameters'],
    says: 'tool_choice',
    why: 'the choice of tools is a parameter that the caller sets',
  },
  {
    name: 'the prompt and the model changed',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, model: 'gpt-4o-mini', system: PROMPT.replace('kind', 'quick') },
    kind: 'agent',
    changed: ['system prompt', 'model'],
    why: 'both differ, and both are said',
  },
  {
    name: 'only the prompt of the second model call edited',
    recorded: {
      ...BASE,
      acts: [BASE.acts[0] as Act, { ...(BASE.acts[1] as Act), over: { system: 'You give money back.' } }],
    },
    replayed: {
      ...OTHER_TOOL,
      acts: [
        BASE.acts[0] as Act,
        { ...(OTHER_TOOL.acts[1] as Act), over: { system: 'You ask a person about money.' } },
      ],
    },
    kind: 'agent',
    changed: ['system prompt'],
    why: 'the nearest model call before the step has another prompt',
  },
  {
    name: 'only the prompt of the first model call edited, which worded its answer otherwise',
    recorded: thinking(THOUGHT, {
      acts: [{ ...say(THOUGHT, call('get_order')), over: { system: 'Be kind.' } }, BASE.acts[1] as Act],
    }),
    replayed: thinking(THOUGHT, {
      acts: [{ ...say(OTHER_THOUGHT, call('get_order')), over: { system: 'Be quick.' } }, OTHER_TOOL.acts[1] as Act],
    }),
    kind: 'agent',
    changed: ['system prompt'],
    says: 'after an earlier wording difference at step 1',
    why: 'the context grew from another answer, which came from another prompt',
  },
  {
    name: 'the agent forgets the beginning of the conversation',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, window: 2 },
    kind: 'agent',
    changed: ['messages'],
    why: 'the history is made by the agent, and no earlier step differs',
  },
  {
    name: 'the template of the question edited',
    recorded: { ...BASE, template: 'Question: {question}' },
    replayed: { ...OTHER_TOOL, template: 'Answer in one word: {question}' },
    kind: 'agent',
    changed: ['messages'],
    says: 'recorded "Question: ',
    why: 'what is put around the question is a prompt, too',
  },
  {
    name: 'another example in front of the question',
    recorded: {
      ...BASE,
      examples: [
        { role: 'user', content: 'Where is order 1?' },
        { role: 'assistant', content: 'At home.' },
      ],
    },
    replayed: {
      ...OTHER_TOOL,
      examples: [
        { role: 'user', content: 'Where is order 1?' },
        { role: 'assistant', content: 'Lost.' },
      ],
    },
    kind: 'agent',
    changed: ['messages'],
    why: 'an assistant message that no model call of this turn said is the agent’s own',
  },
  {
    name: 'the agent makes another answer of what the model said',
    recorded: { ...BASE, output: { ok: true, total: 80 } },
    replayed: { ...BASE, output: { ok: true, total: 81 } },
    kind: 'agent',
    says: 'same output of the model',
    never: 'other output',
    why: 'the model call has the same input and the same output: what follows is the agent’s code',
  },
  {
    name: 'the agent looks something up by itself, before any model call',
    recorded: { ...BASE, acts: [{ calls: [call('load_profile', { user: 1 })], unasked: true }, ...BASE.acts] },
    replayed: { ...BASE, acts: [{ calls: [call('load_profile', { user: 2 })], unasked: true }, ...BASE.acts] },
    kind: 'agent',
    never: 'other output',
    why: 'no model had said anything yet',
  },
  {
    name: 'the agent calls another tool by itself, after the same model output',
    recorded: { ...BASE, acts: [...BASE.acts, { calls: [call('save', {}, 'ok')], unasked: true }] },
    replayed: { ...BASE, acts: [...BASE.acts, { calls: [call('drop', {}, 'ok')], unasked: true }] },
    kind: 'agent',
    never: 'other output',
    why: 'no model asked for it, and what the model said before is the same',
  },
  {
    name: 'the prompt of a sub-agent edited, which says something else',
    recorded: withResearcher(RESEARCHER, { years: 10 }),
    replayed: withResearcher({ ...RESEARCHER, system: 'You guess.', answer: { years: 2 } }, { years: 2 }),
    kind: 'agent',
    changed: ['system prompt'],
    why: 'the result is what the sub-agent’s model said, and its prompt differs',
  },
  {
    name: 'the prompt edited, traced as content blocks',
    recorded: { ...BASE, trace: 'blocks' },
    replayed: { ...OTHER_TOOL, trace: 'blocks', system: PROMPT.replace('kind', 'quick') },
    kind: 'agent',
    changed: ['system prompt'],
    says: 'at line 2',
    why: 'the prompt stands beside the messages, and differs',
  },
];

const MORE_OF_AGENT: CauseCase[] = [
  {
    name: 'the tools given in another order',
    recorded: { ...BASE, tools: DEFINED },
    replayed: { ...OTHER_TOOL, tools: DEFINED.toReversed() },
    kind: 'agent',
    changed: ['tools'],
    says: 'its tools are listed in another order',
    why: 'the input is not the same, and what differs is the agent’s',
  },
  {
    name: 'the effort of reasoning changed',
    recorded: { ...BASE, parameters: { reasoning: { effort: 'low' } } },
    replayed: { ...OTHER_TOOL, parameters: { reasoning: { effort: 'high' } } },
    kind: 'agent',
    changed: ['parameters'],
    says: 'reasoning',
    why: 'the caller sets it',
  },
  {
    name: 'another seed',
    recorded: { ...BASE, parameters: { seed: 1 } },
    replayed: { ...OTHER_TOOL, parameters: { seed: 2 } },
    kind: 'agent',
    changed: ['parameters'],
    says: 'seed 1 → 2',
    why: 'the caller sets it',
  },
  {
    name: 'the text prompt edited',
    recorded: { ...BASE, trace: 'text' },
    replayed: { ...OTHER_TOOL, trace: 'text', system: PROMPT.replace('kind', 'quick') },
    kind: 'agent',
    changed: ['messages'],
    says: 'Be quick.',
    why: 'the prompt is one text, and differs where nobody but the agent wrote it',
  },
  {
    name: 'the text prompt edited, and another thought before',
    recorded: thinking('Thought: I look for it.', { trace: 'text' }),
    replayed: thinkingThenOther('Thought: Let me see.', { trace: 'text', system: PROMPT.replace('kind', 'quick') }),
    kind: 'agent',
    changed: ['messages'],
    says: 'Be quick.',
    why: 'the prompt differs in front of all that the model said',
  },
  {
    name: 'the instructions edited where a model call is given only what is new',
    recorded: { ...BASE, trace: 'news' },
    replayed: { ...OTHER_TOOL, trace: 'news', system: PROMPT.replace('kind', 'quick') },
    kind: 'agent',
    changed: ['system prompt'],
    says: 'at line 2',
    why: 'instructions are given with each call',
  },
];

const MORE_OF_ENVIRONMENT: CauseCase[] = [
  {
    name: 'the model call fails',
    recorded: BASE,
    replayed: { ...BASE, acts: [BASE.acts[0] as Act, { calls: [], error: '503 overloaded' }] },
    kind: 'environment',
    says: 'the model call failed',
    why: 'the provider is outside of the agent, and said nothing that could be compared',
  },
];

const MORE_OF_MODEL: CauseCase[] = [
  {
    name: 'tools that only one of the traces holds',
    recorded: { ...BASE, tools: [] },
    replayed: { ...OTHER_TOOL, tools: DEFINED },
    kind: 'model',
    never: 'tool definitions',
    why: 'a run that called tools had some: a platform may keep nothing of them',
  },
  {
    name: 'another tool where a model call is given only what is new',
    recorded: { ...BASE, trace: 'news' },
    replayed: { ...OTHER_TOOL, trace: 'news' },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'all that was given in this call and in those before is the same',
  },
  {
    name: 'another thought before where a model call is given only what is new',
    recorded: thinking(THOUGHT, { trace: 'news' }),
    replayed: thinkingThenOther(OTHER_THOUGHT, { trace: 'news' }),
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'same input',
    why: 'the provider keeps what the model said before, and that differs',
  },
  {
    name: 'two calls later than it worded something otherwise',
    recorded: {
      ...BASE,
      acts: [say(THOUGHT, call('get_order')), act(call('get_user', { id: 1 }, 'Ann')), BASE.acts[1] as Act],
    },
    replayed: {
      ...OTHER_TOOL,
      acts: [say(OTHER_THOUGHT, call('get_order')), act(call('get_user', { id: 1 }, 'Ann')), OTHER_TOOL.acts[1] as Act],
    },
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'same input',
    why: 'the first thing in which the messages differ is what the model said out of the same input',
  },
  {
    name: 'a tool called three times, another argument the third time',
    recorded: { ...BASE, acts: [1, 2, 3].map((page) => act(call('search', { page }, [`T${page}`]))) },
    replayed: { ...BASE, acts: [1, 2, 4].map((page) => act(call('search', { page }, [`T${page}`]))) },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the third call came out of the same messages',
  },
  {
    name: 'the wrong one of two generated ids used',
    recorded: {
      ...BASE,
      acts: [
        act(call('list', {}, ['0b9a7c52-3f51-4f0e-9a55-0123456789ab', '1c9a7c52-3f51-4f0e-9a55-0123456789ab'])),
        act(call('refund', { id: '0b9a7c52-3f51-4f0e-9a55-0123456789ab' }, 'ok')),
      ],
    },
    replayed: {
      ...BASE,
      acts: [
        act(call('list', {}, ['7c1d9e80-1b2c-4d3e-8f4a-ba9876543210', '8d1d9e80-1b2c-4d3e-8f4a-ba9876543210'])),
        act(call('refund', { id: '8d1d9e80-1b2c-4d3e-8f4a-ba9876543210' }, 'ok')),
      ],
    },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the ids of the lists stand for each other, and the model took the second instead of the first',
  },
];

const ENVIRONMENT: CauseCase[] = [
  {
    name: 'the same call, another result',
    recorded: BASE,
    replayed: {
      ...BASE,
      acts: [act(call('get_order', { id: 7 }, { status: 'lost', total: 80 })), BASE.acts[1] as Act],
    },
    kind: 'environment',
    says: 'same call, other result',
    why: 'the tool answered something else',
  },
  {
    name: 'the same call fails',
    recorded: BASE,
    replayed: {
      ...BASE,
      acts: [act({ tool: 'get_order', args: { id: 7 }, error: 'database is down' }), BASE.acts[1] as Act],
    },
    kind: 'environment',
    why: 'the tool failed',
  },
  {
    name: 'another result, and an edited prompt',
    recorded: BASE,
    replayed: {
      ...BASE,
      system: PROMPT.replace('kind', 'quick'),
      acts: [act(call('get_order', { id: 7 }, { status: 'lost', total: 80 })), BASE.acts[1] as Act],
    },
    kind: 'environment',
    why: 'the prompt does not change what a tool answers to the same call',
  },
  {
    name: 'the date of the day in the prompt',
    ...onTwoDays('2026-01-05', '2026-02-10'),
    kind: 'environment',
    says: '2026-02-10',
    why: 'each date is the day of its run',
  },
  {
    name: 'the date of the day in words',
    ...onTwoDays('Monday, January 5, 2026', 'Tuesday, February 10, 2026'),
    kind: 'environment',
    why: 'each date is the day of its run, however it is written',
  },
  {
    name: 'the date of the day in German',
    ...onTwoDays('Montag, 5. Januar 2026', 'Dienstag, 10. Februar 2026'),
    kind: 'environment',
    why: 'each date is the day of its run, in any language',
  },
  {
    name: 'the date of the day, day first',
    ...onTwoDays('05/01/2026', '10/02/2026'),
    kind: 'environment',
    why: 'each date is the day of its run, in one of the two readings',
  },
  {
    name: 'the weekday in the prompt',
    ...onTwoDays('a Monday', 'a Tuesday'),
    kind: 'environment',
    why: 'each weekday is that of its run',
  },
  {
    name: 'date and time in the prompt',
    ...onTwoDays('2026-01-05T10:00:00.000Z', '2026-02-10T15:30:00.123Z'),
    kind: 'environment',
    why: 'each is the moment of its run',
  },
  {
    name: 'the time of day where the agent runs in another zone',
    ...onTwoDays('Monday 11:00', 'Tuesday 16:30'),
    kind: 'environment',
    why: 'both clocks are one hour ahead',
  },
  {
    name: 'the time of day with am and pm',
    ...onTwoDays('10:00 AM', '3:30 PM'),
    kind: 'environment',
    why: 'each is the time of its run',
  },
  {
    name: 'milliseconds since 1970 in the prompt',
    ...onTwoDays(String(Date.parse('2026-01-05T10:00:00.000Z')), String(Date.parse(LATER))),
    kind: 'environment',
    why: 'each is the moment of its run',
  },
  {
    name: 'a day counted from today in the prompt',
    ...onTwoDays('2026-01-05; answer until 2026-01-12', '2026-02-10; answer until 2026-02-17'),
    kind: 'environment',
    why: 'both dates are as far from the day of their run',
  },
  {
    name: 'the id of the request in the prompt',
    recorded: { ...BASE, system: `${PROMPT}\nRequest 0b9a7c52-3f51-4f0e-9a55-0123456789ab.` },
    replayed: { ...OTHER_TOOL, system: `${PROMPT}\nRequest 7c1d9e80-1b2c-4d3e-8f4a-ba9876543210.` },
    kind: 'environment',
    says: '7c1d9e80',
    why: 'such an id is another one for each request',
  },
  {
    name: 'the date of the day around the question',
    recorded: { ...BASE, template: 'Today: 2026-01-05\n{question}' },
    replayed: { ...OTHER_TOOL, at: LATER, template: 'Today: 2026-02-10\n{question}' },
    kind: 'environment',
    why: 'the messages differ only by the day of the run',
  },
  {
    name: 'the date of the day in the description of a tool',
    recorded: { ...BASE, tools: [definition('refund', 'Gives money back. Today is 2026-01-05.')] },
    replayed: { ...OTHER_TOOL, at: LATER, tools: [definition('refund', 'Gives money back. Today is 2026-02-10.')] },
    kind: 'environment',
    why: 'the definitions differ only by the day of the run',
  },
  {
    name: 'the user says something else later, by themselves',
    recorded: { ...BASE, acts: [{ says: 'What is your name?', user: 'Ann.' }, ...BASE.acts] },
    replayed: { ...OTHER_TOOL, acts: [{ says: 'What is your name?', user: 'Give me a person.' }, ...OTHER_TOOL.acts] },
    kind: 'environment',
    says: 'the user said something else',
    why: 'all before is the same, and what a user says is not the agent’s',
  },
  {
    name: 'a sub-agent’s tool answers something else',
    recorded: withResearcher({ ...RESEARCHER, acts: [act(call('look_up', {}, '10'))] }, '10 years.'),
    replayed: withResearcher({ ...RESEARCHER, acts: [act(call('look_up', {}, '20'))] }, '20 years.'),
    kind: 'environment',
    why: 'the first thing that differs is what a tool answered',
  },
];

const MODEL: CauseCase[] = [
  {
    name: 'another tool',
    recorded: BASE,
    replayed: OTHER_TOOL,
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'everything that the model was given is the same',
  },
  {
    name: 'another argument',
    recorded: BASE,
    replayed: OTHER_ARGUMENT,
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'everything that the model was given is the same',
  },
  {
    name: 'another answer',
    recorded: BASE,
    replayed: OTHER_ANSWER,
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'everything that the model was given is the same',
  },
  {
    name: 'another value in a structured answer',
    recorded: { ...BASE, answer: { total: 80, currency: 'EUR' } },
    replayed: { ...BASE, answer: { total: 81, currency: 'EUR' } },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'everything that the model was given is the same',
  },
  {
    name: 'a call left out',
    recorded: BASE,
    replayed: LESS,
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'after the same conversation the model answers instead of calling',
  },
  {
    name: 'a call more',
    recorded: BASE,
    replayed: MORE,
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'after the same conversation the model calls instead of answering',
  },
  {
    name: 'a call repeated',
    recorded: BASE,
    replayed: TWICE,
    rules: { tools: { refund: { mutating: true } } },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'after the same conversation the model calls once more',
  },
  {
    name: 'on another day, nothing of which is in the prompt',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, at: LATER },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'ids of calls differ from run to run and are no input',
  },
  {
    name: 'ids that tools generated in the history',
    recorded: {
      ...BASE,
      acts: [
        act(call('get_order', { id: 7 }, { parcel: '0b9a7c52-3f51-4f0e-9a55-0123456789ab' })),
        BASE.acts[1] as Act,
      ],
    },
    replayed: {
      ...OTHER_TOOL,
      acts: [
        act(call('get_order', { id: 7 }, { parcel: '7c1d9e80-1b2c-4d3e-8f4a-ba9876543210' })),
        OTHER_TOOL.acts[1] as Act,
      ],
    },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the ids stand for each other',
  },
  {
    name: 'times that tools read from a clock in the history',
    recorded: {
      ...BASE,
      acts: [act(call('get_order', { id: 7 }, { seen: '2026-01-05T10:00:01.000Z' })), BASE.acts[1] as Act],
    },
    replayed: {
      ...OTHER_TOOL,
      at: LATER,
      acts: [act(call('get_order', { id: 7 }, { seen: '2026-02-10T15:30:01.000Z' })), OTHER_TOOL.acts[1] as Act],
    },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'both are readings of the run’s own clock, and count as the same',
  },
  {
    name: 'id and time of the response among the parameters',
    recorded: {
      ...BASE,
      parameters: { temperature: 0, id: 'resp_0a1b2c3d4e5f', created_at: 1767607200, model: 'gpt-4o' },
    },
    replayed: {
      ...OTHER_TOOL,
      parameters: { temperature: 0, id: 'resp_9f8e7d6c5b4a', created_at: 1767607300, model: 'gpt-4o' },
    },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'nobody sets them: they are of the response',
  },
  {
    name: 'usage among the parameters',
    recorded: { ...BASE, parameters: { temperature: 0, usage: { total_tokens: 100 }, completed_at: 1767607200 } },
    replayed: { ...OTHER_TOOL, parameters: { temperature: 0, usage: { total_tokens: 140 }, completed_at: 1767607300 } },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'nobody sets them: they are of the response',
  },
  {
    name: 'parameters in another order',
    recorded: { ...BASE, parameters: { temperature: 0, top_p: 1 } },
    replayed: { ...OTHER_TOOL, parameters: { top_p: 1, temperature: 0 } },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the order of keys means nothing',
  },
  {
    name: 'after it worded something otherwise',
    recorded: thinking(THOUGHT),
    replayed: thinkingThenOther(OTHER_THOUGHT),
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'same input',
    why: 'the messages differ by what the model itself said before, out of the same input',
  },
  {
    name: 'after it worded something otherwise that it is not given back',
    recorded: thinking(THOUGHT, { forgetsThoughts: true }),
    replayed: thinkingThenOther(OTHER_THOUGHT, { forgetsThoughts: true }),
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the thought stands in no later input',
  },
  {
    name: 'after it put a question to a tool in other words',
    recorded: { ...BASE, acts: [act(call('search', { q: 'tents for two people' }, ['T1'])), ...BASE.acts] },
    replayed: { ...OTHER_TOOL, acts: [act(call('search', { q: 'tents that hold two' }, ['T1'])), ...OTHER_TOOL.acts] },
    rules: { tools: { search: { readOnly: true } } },
    kind: 'model',
    says: 'after an earlier minor difference at step 1',
    never: 'same input',
    why: 'the messages differ by what the model itself asked before, out of the same input',
  },
  {
    name: 'after it looked at something that it had not looked at',
    recorded: BASE,
    replayed: {
      ...OTHER_TOOL,
      acts: [
        OTHER_TOOL.acts[0] as Act,
        act(call('get_rules', { of: 'money' }, ['thirty days'])),
        OTHER_TOOL.acts[1] as Act,
      ],
    },
    rules: { tools: { get_rules: { readOnly: true } }, strictness: 'behaviour' },
    kind: 'model',
    why: 'the first difference is the model’s own look, out of the same input',
  },
  {
    name: 'the user says something else to what the model said otherwise',
    recorded: { ...BASE, acts: [{ says: 'What is your name, please?', user: 'Ann.' }, ...BASE.acts] },
    replayed: {
      ...OTHER_TOOL,
      acts: [{ says: 'Who are you, and what do you want?', user: 'A customer.' }, ...OTHER_TOOL.acts],
    },
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'same input',
    why: 'the conversation took another way with what the model said',
  },
  {
    name: 'after another result that nobody compares',
    recorded: { ...BASE, acts: [act(call('get_order', { id: 7 }, { status: 'sent', load: 3 })), BASE.acts[1] as Act] },
    replayed: {
      ...OTHER_TOOL,
      acts: [act(call('get_order', { id: 7 }, { status: 'sent', load: 9 })), OTHER_TOOL.acts[1] as Act],
    },
    rules: { ignore: ['tool:get_order/result/load'] },
    kind: 'model',
    says: 'after a different result of get_order',
    never: 'same input',
    why: 'the user says that the value means nothing; still the input is not called the same',
  },
  {
    name: 'another order of calls, one after the other',
    recorded: {
      ...BASE,
      acts: [act(call('get_order')), act(call('get_user', { id: 1 }, 'Ann')), act(call('get_shop', { id: 2 }, 'Rome'))],
    },
    replayed: {
      ...BASE,
      acts: [act(call('get_order')), act(call('get_shop', { id: 2 }, 'Rome')), act(call('get_user', { id: 1 }, 'Ann'))],
    },
    rules: { strictness: 'steps' },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the model chose the order, nothing ran at once',
  },
  {
    name: 'a text prompt, another action',
    recorded: { ...BASE, trace: 'text' },
    replayed: { ...OTHER_TOOL, trace: 'text' },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the prompt is the same text on both sides',
  },
  {
    name: 'a text prompt, another action after another thought',
    recorded: thinking('Thought: I look for it.', { trace: 'text' }),
    replayed: thinkingThenOther('Thought: Let me see.', { trace: 'text' }),
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'prompt differs',
    why: 'the prompt holds what the model itself said before, and differs only there',
  },
  {
    name: 'content blocks, another tool',
    recorded: { ...BASE, trace: 'blocks' },
    replayed: { ...OTHER_TOOL, trace: 'blocks', at: LATER },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'everything that the model was given is the same',
  },
  {
    name: 'content blocks, after it worded something otherwise',
    recorded: thinking(THOUGHT, { trace: 'blocks' }),
    replayed: thinkingThenOther(OTHER_THOUGHT, { trace: 'blocks' }),
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'same input',
    why: 'the messages differ by what the model itself said before',
  },
  {
    name: 'a sub-agent’s model says something else',
    recorded: withResearcher(RESEARCHER, { years: 10 }),
    replayed: withResearcher({ ...RESEARCHER, answer: { years: 2 } }, { years: 2 }),
    kind: 'model',
    never: 'same call, other result',
    why: 'the result is what the sub-agent’s model said, out of the same input',
  },
  {
    name: 'the same date in the prompt on the same day',
    recorded: { ...BASE, system: dated('2026-01-05') },
    replayed: { ...OTHER_TOOL, system: dated('2026-01-05') },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the prompts are equal',
  },
  {
    name: 'calls at once in another order in the history',
    recorded: {
      ...BASE,
      acts: [act(call('get_user', { id: 1 }, 'Ann'), call('get_shop', { id: 2 }, 'Rome')), BASE.acts[1] as Act],
    },
    replayed: {
      ...OTHER_TOOL,
      acts: [act(call('get_shop', { id: 2 }, 'Rome'), call('get_user', { id: 1 }, 'Ann')), OTHER_TOOL.acts[1] as Act],
    },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'calls of one message have no order',
  },
];

/** Two model calls that know nothing of each other; the agent puts their answers together. */
const joined = (first: string): Run => ({
  acts: [{ says: first, user: 'And what of the money?' }],
  answer: 'You will have it back in three days.',
  output: `${first} You will have it back in three days.`,
  window: 1,
});

const LAST_OF_AGENT: CauseCase[] = [
  {
    name: 'the prompt edited right behind words of it that the model repeats',
    recorded: thinking('Be kind.', { system: 'Be kind.\nBe quick.' }),
    replayed: thinkingThenOther('Be kind.', { system: 'Be kind. And be slow.' }),
    kind: 'agent',
    changed: ['system prompt'],
    says: 'And be slow.',
    why: 'the words are the prompt’s own, and what the model said is the same on both sides',
  },
  {
    name: 'a prompt that grows in a system message edited, and another thought before',
    recorded: thinking('Thought: I look for it.', { trace: 'system' }),
    replayed: thinkingThenOther('Thought: Let me see.', {
      trace: 'system',
      system: PROMPT.replace('kind', 'quick'),
    }),
    kind: 'agent',
    changed: ['system prompt'],
    says: 'at line 2',
    why: 'the prompt differs in front of all that the model said',
  },
];

const EVEN_MORE_OF_MODEL: CauseCase[] = [
  {
    name: 'a prompt that grows in a system message, another action',
    recorded: { ...BASE, trace: 'system' },
    replayed: { ...OTHER_TOOL, trace: 'system' },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    why: 'the prompt is the same text on both sides',
  },
  {
    name: 'a prompt that grows in a system message, another action after another thought',
    recorded: thinking('Thought: I look for it.', { trace: 'system' }),
    replayed: thinkingThenOther('Thought: Let me see.', { trace: 'system' }),
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'same input',
    why: 'the prompt holds what the model itself said before, and differs only there',
  },
  {
    name: 'another layout of the answer, where layout counts',
    recorded: BASE,
    replayed: { ...BASE, answer: ANSWER.replace(', and', ',\n\nand') },
    rules: { strictness: 'exact' },
    kind: 'model',
    says: 'same input as recorded, so not an edit',
    never: 'the agent itself',
    why: 'everything that the model was given is the same, and it laid out its answer otherwise',
  },
  {
    name: 'one of two model calls whose answers the agent puts together',
    recorded: joined('Your order 7 is on its way.'),
    replayed: joined('Your order 8 is on its way.'),
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'the agent itself',
    why: 'the last model call said the same, but the answer holds what the first one said',
  },
  {
    name: 'after it thought something else that it is given back',
    recorded: { ...BASE, trace: 'blocks', thinks: 'The customer wants money.' },
    replayed: { ...OTHER_TOOL, trace: 'blocks', thinks: 'The customer is angry.' },
    kind: 'model',
    says: 'after an earlier difference in what it thought',
    never: 'same input',
    why: 'thoughts that are given back are a part of the input, and differ',
  },
];

/** A model call that chooses who goes on, and one of two agents that does. */
const routed = (to: string, prompt: string, tool: string): Run => ({
  acts: [
    { says: to, over: { system: 'Say who shall answer: orders or money.' } },
    { ...act(call(tool, { id: 7 }, 'ok')), over: { system: prompt } },
  ],
  answer: ANSWER,
});
const ORDERS = 'You know all about orders.\nYou look up where they are.\nYou never speak of money.';
const MONEY = 'You are the one for money.\nYou give it back or you do not.\nYou ask a person above 100 EUR.';

const LAST_CASES: CauseCase[] = [
  {
    name: 'another model, which does not exist',
    recorded: { acts: [], answer: ANSWER },
    replayed: { acts: [{ calls: [], error: '404 no such model' }], answer: ANSWER, model: 'gpt-5o' },
    kind: 'agent',
    changed: ['model'],
    why: 'the call failed, but it is the agent that asked another model',
  },
  {
    name: 'a router’s model sends the turn to another agent',
    recorded: routed('orders', ORDERS, 'get_order'),
    replayed: routed('money', MONEY, 'refund'),
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    why: 'nothing was edited: the prompts are those of two agents, and the model chose between them',
  },
  {
    name: 'a line edited in the prompt that a router’s model sends the turn to, in other words',
    recorded: routed('orders', ORDERS, 'get_order'),
    replayed: routed('orders, please', ORDERS.replace('never', 'always'), 'refund'),
    kind: 'agent',
    changed: ['system prompt'],
    says: 'at line 3',
    why: 'it is the same prompt but for one line',
  },
  {
    name: 'a short id of the request in the prompt, that is called so',
    recorded: { ...BASE, system: `${PROMPT}\nRequest ID: 48213` },
    replayed: { ...OTHER_TOOL, system: `${PROMPT}\nRequest ID: 48377` },
    kind: 'environment',
    says: '48377',
    why: 'it says itself that it is another one for each request',
  },
  {
    name: 'an agent beside this one that is given as many messages',
    recorded: { ...thinking(THOUGHT), beside: { system: 'You count.', acts: [], answer: 'One.' } },
    replayed: { ...thinkingThenOther(OTHER_THOUGHT), beside: { system: 'You count.', acts: [], answer: 'One.' } },
    kind: 'model',
    says: 'after an earlier wording difference at step 1',
    never: 'messages differ',
    why: 'what differs in the messages is what this agent’s model said, not the other’s',
  },
];

const MORE_OF_UNKNOWN: CauseCase[] = [
  {
    name: 'something of no known shape among the messages',
    recorded: { ...BASE, examples: [{ kind: 'memory', holds: 'likes tents' }] },
    replayed: { ...OTHER_TOOL, examples: [{ kind: 'memory', holds: 'likes kettles' }] },
    kind: 'unknown',
    says: 'in an unknown format',
    why: 'it differs, and nobody knows what it means',
  },
  {
    name: 'model calls without their output in the replay',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, isOutputUntold: true },
    kind: 'unknown',
    says: 'what the model said is not in the replayed trace',
    why: 'the input is the same, and of the output nothing is told',
  },
];

const CONCURRENCY: CauseCase[] = [
  {
    name: 'calls of one message carried out in another order, where the user says that it matters',
    recorded: { ...BASE, acts: [act(call('book', { n: 1 }, 'ok'), call('pay', { n: 2 }, 'ok'))] },
    replayed: { ...BASE, acts: [act(call('pay', { n: 2 }, 'ok'), call('book', { n: 1 }, 'ok'))] },
    rules: { tools: { book: { orderMatters: true }, pay: { orderMatters: true } }, strictness: 'steps' },
    kind: 'concurrency',
    why: 'both were asked for in one message',
  },
  {
    name: 'calls that overlapped in time, without a model call in the trace',
    recorded: {
      ...BASE,
      trace: 'spans',
      acts: [
        act(
          { ...call('book', { n: 1 }, 'ok'), after: 0, takes: 50 },
          { ...call('pay', { n: 2 }, 'ok'), after: 1, takes: 50 },
        ),
      ],
    },
    replayed: {
      ...BASE,
      trace: 'spans',
      acts: [
        act(
          { ...call('pay', { n: 2 }, 'ok'), after: 0, takes: 50 },
          { ...call('book', { n: 1 }, 'ok'), after: 1, takes: 50 },
        ),
      ],
    },
    rules: { tools: { book: { orderMatters: true }, pay: { orderMatters: true } }, strictness: 'steps' },
    kind: 'concurrency',
    why: 'they ran at the same time in both runs',
  },
];

const UNKNOWN: CauseCase[] = [
  {
    name: 'no model call in either trace',
    recorded: { ...BASE, trace: 'spans' },
    replayed: { ...OTHER_ARGUMENT, trace: 'spans' },
    kind: 'unknown',
    says: 'there is no model call in the traces',
    why: 'nothing tells what the model was given',
  },
  {
    name: 'no model call in the recorded trace',
    recorded: { ...BASE, trace: 'spans' },
    replayed: OTHER_ARGUMENT,
    kind: 'unknown',
    says: 'there is no model call in the recorded trace',
    why: 'only one side tells what the model was given',
  },
  {
    name: 'another order of calls one after the other, without a model call in the trace',
    recorded: { ...BASE, trace: 'spans', acts: [act(call('book', { n: 1 }, 'ok')), act(call('pay', { n: 2 }, 'ok'))] },
    replayed: { ...BASE, trace: 'spans', acts: [act(call('pay', { n: 2 }, 'ok')), act(call('book', { n: 1 }, 'ok'))] },
    rules: { strictness: 'steps' },
    kind: 'unknown',
    says: 'there is no model call in the traces',
    why: 'they did not overlap, and nothing tells who chose the order',
  },
  {
    name: 'model calls without their input on both sides',
    recorded: { ...BASE, trace: 'untold' },
    replayed: { ...OTHER_TOOL, trace: 'untold' },
    kind: 'unknown',
    says: 'what the model was given is not in the traces',
    why: 'an input that is not there was not compared',
  },
  {
    name: 'model calls without their input in the replay',
    recorded: BASE,
    replayed: { ...OTHER_TOOL, trace: 'untold' },
    kind: 'unknown',
    says: 'what the model was given is not in the replayed trace',
    why: 'an input that is not there was not compared, and its absence is no edited prompt',
  },
  {
    name: 'the input of the model calls is cut off',
    recorded: { ...BASE, trace: 'cut' },
    replayed: { ...OTHER_TOOL, trace: 'cut' },
    kind: 'unknown',
    says: 'cut off',
    why: 'what comes after the cut was not compared',
  },
  {
    name: 'nothing but the answer',
    recorded: { ...BASE, trace: 'answer' },
    replayed: { ...OTHER_ANSWER, trace: 'answer' },
    kind: 'unknown',
    says: 'there is no model call in the traces',
    why: 'there is no trace',
  },
  {
    name: 'the agent fails outside of any model call or tool',
    recorded: BASE,
    replayed: { ...BASE, fails: 'cannot read properties of undefined' },
    kind: 'unknown',
    never: 'other output',
    why: 'its own code, or what that depends on: the trace does not tell',
  },
];

export const CAUSE_CASES: readonly CauseCase[] = [
  ...AGENT,
  ...MORE_OF_AGENT,
  ...ENVIRONMENT,
  ...MORE_OF_ENVIRONMENT,
  ...MODEL,
  ...MORE_OF_MODEL,
  ...LAST_OF_AGENT,
  ...EVEN_MORE_OF_MODEL,
  ...LAST_CASES,
  ...CONCURRENCY,
  ...UNKNOWN,
  ...MORE_OF_UNKNOWN,
];
