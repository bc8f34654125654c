import { expect, test } from 'vitest';
import { startExample } from './processes.ts';

interface Completion {
  choices: { message: { content: string | null; tool_calls?: ToolCall[] }; finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}
interface ToolCall {
  id: string;
  function: { name: string; arguments: string };
}

const TOOLS = ['lookup_order', 'check_refund_policy', 'refund_order', 'get_customer', 'search_help_articles'].map(
  (name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }),
);

function ask(question: string, more: object = {}): object {
  return { model: 'support-1', messages: [{ role: 'user', content: question }], tools: TOOLS, temperature: 0, ...more };
}

async function post(url: string, body: object): Promise<Response> {
  return fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
}

async function complete(url: string, body: object): Promise<Completion> {
  return (await (await post(url, body)).json()) as Completion;
}

/** What the model decided, without the ids that are made up every time. */
function decision({ choices }: Completion): string {
  const message = choices[0]?.message;
  return message?.content ?? JSON.stringify(message?.tool_calls?.map((call) => call.function));
}

const WARRANTY = 'How long is the warranty on a tent?';
const THANKS = 'Thank you very much!';

test('the model asks for tools in the chat-completions protocol, several at once', async () => {
  await using server = await startExample('model-server/server.ts');
  const { choices, usage } = await complete(server.url, ask('Compare FO-1011 and FO-1012'));
  expect(choices).toEqual([
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: ['FO-1011', 'FO-1012'].map((order_id) => ({
          id: expect.stringMatching(/^call_/),
          type: 'function',
          function: { name: 'lookup_order', arguments: JSON.stringify({ order_id }) },
        })),
      },
    },
  ]);
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
});

test('a streamed answer says the same as a whole one', async () => {
  await using server = await startExample('model-server/server.ts');
  const streamed = async (body: object) => {
    const response = await post(server.url, { ...body, stream: true, stream_options: { include_usage: true } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text()).trimEnd().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    return events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
  };
  const text = (await streamed(ask(THANKS))).map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  expect(text).toBe(decision(await complete(server.url, ask(THANKS))));

  const chunks = await streamed(ask('Compare FO-1011 and FO-1012'));
  const calls: { name: string; arguments: string }[] = [];
  for (const call of chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])) {
    const { name, arguments: piece } = call.function;
    calls[call.index] ??= { name, arguments: '' };
    (calls[call.index] as { arguments: string }).arguments += piece;
  }
  expect(JSON.stringify(calls)).toBe(decision(await complete(server.url, ask('Compare FO-1011 and FO-1012'))));
  expect(chunks.at(-2).choices[0].finish_reason).toBe('tool_calls');
  expect(chunks.at(-1).usage.total_tokens).toBeGreaterThan(0);
});

test('a request that is not of the protocol is refused with an error of the protocol', async () => {
  await using server = await startExample('model-server/server.ts');
  const response = await post(server.url, { model: 'support-1', messages: [] });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param: 'messages', code: null },
  });
});

test('the model is steady at temperature 0, wanders in wording above it, and in tool use above 0.7', async () => {
  await using server = await startExample('model-server/server.ts');
  const distinct = async (question: string, temperature: number) => {
    const answers = new Set<string>();
    for (let i = 0; i < 20; i++) answers.add(decision(await complete(server.url, ask(question, { temperature }))));
    return answers.size;
  };
  expect(await distinct(THANKS, 0)).toBe(1);
  expect(await distinct(WARRANTY, 0)).toBe(1);
  expect(await distinct(THANKS, 0.7)).toBeGreaterThan(1);
  expect(await distinct(WARRANTY, 0.7)).toBe(1);
  expect(await distinct(WARRANTY, 1)).toBeGreaterThan(1);
});

test('with the same seed the model wanders the same way, with another seed in another way', async () => {
  const wander = async (seed: string) => {
    await using server = await startExample('model-server/server.ts', { SEED: seed });
    const answers: string[] = [];
    for (let i = 0; i < 12; i++)
      answers.push(decision(await complete(server.url, ask(WARRANTY, { temperature: 1.5 }))));
    return answers;
  };
  const [first, again, other] = await Promise.all([wander('1'), wander('1'), wander('2')]);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});

test('the model follows the rules of its system text', async () => {
  await using server = await startExample('model-server/server.ts');
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'lookup_order', arguments: '{"order_id":"FO-1234"}' },
  };
  const next = async (system: string) =>
    decision(
      await complete(server.url, {
        model: 'support-1',
        temperature: 0,
        tools: TOOLS,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: 'Please refund FO-1234.' },
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: '{"id":"FO-1234","customer_id":"cus_9","total":80}' },
        ],
      }),
    );
  expect(await next('Be kind.')).toContain('refund_order');
  expect(await next('Always check the refund policy before a refund.')).toContain('check_refund_policy');
  expect(await next('Look up the customer first.')).toContain('get_customer');
});
