import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { OfflineModel } from '../../src/job/running/offline-model.ts';
import type { ModelRun } from '../../src/proxy/index.ts';
import type { ToolUse } from '../../src/replay/index.ts';
import { messageFrom, wholeMessage } from '../whole-message.ts';
import { KEY } from './project.ts';

const config = parseConfig(
  { agent: { command: 'node agent.js' }, offline: true, workers: 9, tools: { send: { replay: 'live' } } },
  { folder: '/' },
);
const env = { ANTHROPIC_API_KEY: KEY };
const model = new OfflineModel({ ...config.agent, baseFiles: [] } as never, config, env);

const RUN: ModelRun = {
  requests: [],
  answered: 3,
  left: 0,
  isAsked: false,
  notHeld: [],
  refused: [],
  failed: undefined,
};
const prompt = { request: 2, part: 'system prompt' };

test('keys that are set are replaced, and no others are made up', () => {
  expect(model.environment).toEqual({ ANTHROPIC_API_KEY: 'agent-replay-offline' });
});

test('replays go one after another, each is judged alone, and tools are recorded unless the settings say otherwise', () => {
  const { workers, gate, tools } = config;
  expect({ workers, gate, others: tools.others, named: tools.named, onMiss: tools.onMiss }).toEqual({
    workers: 1,
    gate: 'every-run',
    others: 'recorded',
    named: { send: 'live' },
    onMiss: 'fail',
  });
});

test('a replay whose requests are all recorded is compared as any other', () => {
  expect(model.use(RUN, undefined)).toMatchObject({ doubt: undefined, unheld: undefined });
});

test('a request that differs is a doubt only if the agent does as recorded', () => {
  const { doubt, unheld } = model.use(
    { ...RUN, notHeld: [prompt, { request: 3, part: 'message 2 (tool)' }] },
    undefined,
  );
  expect(doubt).toBeUndefined();
  expect(unheld && wholeMessage(unheld)).toMatchInlineSnapshot(`
    "The recording cannot answer for the model: its system prompt differs. (MODEL_NEEDED)
      request 2: another system prompt
      request 3: another message 2 (tool)
      -> Let the model answer: \`npx agent-replay run\` without --offline. If that edit stays, \`npx agent-replay accept --all\` then makes the pins hold what the model is asked now."
  `);
});

test('what could not be answered is a doubt, whatever the agent does', () => {
  const requests = [{ request: {}, at: 0 }];
  const { doubt } = model.use({ ...RUN, requests, refused: ['POST /embeddings'] }, undefined);
  expect(doubt && wholeMessage(doubt)).toMatchInlineSnapshot(`
    "The recording cannot answer for the model: it is asked for more than was recorded. (MODEL_NEEDED)
      not answered: POST /embeddings
      -> Let the model answer: \`npx agent-replay run\` without --offline. If that edit stays, \`npx agent-replay accept --all\` then makes the pins hold what the model is asked now."
  `);
  const after = model.use(
    { ...RUN, requests, notHeld: [prompt], refused: ['a model call that the recording does not hold'] },
    undefined,
  );
  expect(after.doubt && wholeMessage(after.doubt)).toMatchInlineSnapshot(`
    "The recording cannot answer for the model: its system prompt differs. (MODEL_NEEDED)
      request 2: another system prompt
      not answered: a model call that the recording does not hold
      -> Let the model answer: \`npx agent-replay run\` without --offline. If that edit stays, \`npx agent-replay accept --all\` then makes the pins hold what the model is asked now."
  `);
});

test('a model of another protocol, such as Gemini or one of Bedrock, is a doubt that names what it was asked', () => {
  const refused = ['POST /v1beta/models/gemini-2.5-flash:generateContent'];
  const { doubt } = model.use({ ...RUN, answered: 0, left: 1, refused }, undefined);
  expect(doubt && wholeMessage(doubt)).toMatchInlineSnapshot(`
    "The recording cannot answer for the model: it is asked in no protocol that can be answered. (MODEL_NEEDED)
      not answered: POST /v1beta/models/gemini-2.5-flash:generateContent
      recorded, and not asked for: 1 model call
      -> Let the model answer: \`npx agent-replay run\` without --offline. If that edit stays, \`npx agent-replay accept --all\` then makes the pins hold what the model is asked now."
  `);
  const { environment } = new OfflineModel({ command: 'x', env: { GEMINI_API_KEY: KEY } } as never, config, {});
  expect(environment).toEqual({ GEMINI_API_KEY: 'agent-replay-offline' });
});

test('model calls that are recorded and not asked for are a doubt if the agent does as recorded', () => {
  const { doubt, unheld } = model.use({ ...RUN, left: 1 }, undefined);
  expect(doubt).toBeUndefined();
  expect(unheld && wholeMessage(unheld)).toMatchInlineSnapshot(`
    "The recording cannot answer for the model: it is asked for less than was recorded. (MODEL_NEEDED)
      recorded, and not asked for: 1 model call
      -> Let the model answer: \`npx agent-replay run\` without --offline. If that edit stays, \`npx agent-replay accept --all\` then makes the pins hold what the model is asked now."
  `);
});

test('an agent that asks no recorded model call at all may ask a model elsewhere', () => {
  const { doubt } = model.use({ ...RUN, answered: 0, left: 2 }, undefined);
  expect(doubt && wholeMessage(doubt)).toMatchInlineSnapshot(`
    "No request of the agent to its model was seen. (MODEL_UNSEEN)
      recorded: 2 model calls
      variables: OPENAI_BASE_URL, ANTHROPIC_BASE_URL
      -> Let its client take the address of the model from one of these variables, or name yours in fork.baseUrls; Gemini and Bedrock cannot be answered for."
  `);
});

test('against a base, only what it did not ask is needed of the model, whatever else differs from the recording', () => {
  const call = { session: 's', turn: 1, run: 1 };
  const asked = (content: string, more: object = {}) => ({
    request: { model: 'm', messages: [{ role: 'user', content }], ...more },
    at: Date.UTC(2026, 10, 21),
  });
  const against = (before: object[], after: object[]) => {
    const own = new OfflineModel({ ...config.agent, baseFiles: [] } as never, config, env);
    own.base = new Map([['1 1 s', { ...RUN, requests: before } as ModelRun]]);
    const { unheld, asked } = own.use({ ...RUN, notHeld: [prompt], requests: after } as ModelRun, undefined, call);
    return [asked, unheld?.message];
  };
  const needed = (what: string) => [
    what,
    `The recording cannot answer for the model: its ${what} is another one than at the base.`,
  ];
  const [one, two] = [asked('one'), asked('two')];
  expect(against([one, two], [one, two])).toEqual(['', undefined]);
  // Sub-agents ask at the same time, in any order.
  expect(against([one, two], [two, one])).toEqual(['', undefined]);
  expect(against([one], [two])).toEqual(needed('message 1 (user)'));
  expect(against([one], [asked('one', { top_p: 0.5 })])).toEqual(needed('top_p'));
  expect(against([one], [asked('one', { tools: [{ type: 'web_search' }] })])).toEqual(needed('tools'));
  expect(against([one], [one, two])).toEqual(needed('number of model calls'));
  expect(against([one, two], [one])).toEqual(needed('number of model calls'));
});

test('after a call of a tool that is not recorded, what is asked is no doubt: the call is the difference', () => {
  const tools = {
    counts: {},
    resultClocks: [],
    missed: [{ name: 'send', arguments: null, before: 0 }],
    breach: () => undefined,
  };
  const use = model.use({ ...RUN, refused: ['a model call'], notHeld: [prompt] }, tools as unknown as ToolUse);
  expect(use).toMatchObject({ doubt: undefined, unheld: undefined, missed: [{ name: 'send' }] });
});

test('an agent that is started elsewhere cannot be told where its model is', async () => {
  expect(await messageFrom(() => new OfflineModel({} as never, config, {}))).toMatchInlineSnapshot(`
    "The agent is started elsewhere, and asks its model by itself. (AGENT_ELSEWHERE)
      agent.command: not set
      -> Set agent.command, so that the agent can be told where its model is."
  `);
});
