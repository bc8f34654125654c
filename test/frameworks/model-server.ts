import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/**
 * A model that obeys its prompt, as a server on this machine, under the APIs of OpenAI (chat completions and
 * responses), Anthropic and Gemini. Asked for an order, it looks the order up. Asked for a refund, it refunds up to the
 * limit in its prompt, and opens a ticket above it.
 */
export interface ModelServer extends AsyncDisposable {
  /** The address, with the version of the API. */
  readonly url: string;
  /** Variables by which the SDKs of OpenAI, Anthropic and Google find it. */
  readonly env: Readonly<Record<string, string>>;
  /** If true, every other refund becomes a ticket, whatever the prompt says. */
  isNoisy: boolean;
}

type Unknown = { readonly [key: string]: unknown };

/** A question to the model, whichever API asks. */
interface Asked {
  readonly prompt: string;
  readonly question: string;
  /** The last tool result after the question. */
  readonly result: string | undefined;
  readonly amount: number;
}

interface Said {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly args: object };
}

export async function startModelServer(): Promise<ModelServer> {
  let count = 0;
  const model = { isNoisy: false };
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Unknown;
    const api = APIS.find(({ path }) => request.url?.split('?')[0]?.endsWith(path)) ?? CHAT;
    const asked = api.asked(body);
    const isOdd = /refund/i.test(asked.question) && asked.result === undefined && model.isNoisy && ++count % 2 === 0;
    const said = handoverIn(body, asked) ?? answerTo(isOdd ? { ...asked, prompt: 'Refund up to 0 EUR' } : asked);
    if (body.stream === true && api.streamed !== undefined) {
      response.setHeader('content-type', 'text/event-stream').end(api.streamed(said, body));
    } else response.setHeader('content-type', 'application/json').end(JSON.stringify(api.answer(said, body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  return Object.assign(model, {
    url: `${address}/v1`,
    env: {
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_API_KEY: 'sk-of-nobody',
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'sk-of-nobody',
      GOOGLE_GEMINI_BASE_URL: address,
      GEMINI_API_KEY: 'of-nobody',
    },
    [Symbol.asyncDispose]: () => ended(server),
  });
}

/** Reads questions and writes answers of one API. */
interface Api {
  readonly path: string;
  readonly asked: (body: Unknown) => Asked;
  readonly answer: (said: Said, body: Unknown) => object;
  /** The same answer as a stream of events. */
  readonly streamed?: (said: Said, body: Unknown) => string;
}

const CHAT: Api = { path: '/chat/completions', asked: askedInChat, answer: asCompletion, streamed: streamedCompletion };
const APIS: readonly Api[] = [
  CHAT,
  { path: '/responses', asked: askedInResponses, answer: asResponse },
  { path: '/messages', asked: askedInMessages, answer: asMessage, streamed: streamedMessage },
  { path: ':generateContent', asked: askedInContents, answer: asContent },
];

async function ended(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** To the agent whose name begins as a word of the question, or else to the last one. */
function handoverIn({ tools = [] }: Unknown, { question }: Asked): Said | undefined {
  const names = (tools as Unknown[]).map(({ name }) => String(name)).filter((name) => name.startsWith(HANDOVER));
  const isMeant = (name: string) =>
    question.toLowerCase().includes(name.slice(HANDOVER.length).split('_')[0] as string);
  const name = names.find(isMeant) ?? names.at(-1);
  return name === undefined ? undefined : { call: { name, args: {} } };
}

const HANDOVER = 'transfer_to_';

function answerTo({ prompt, question, result, amount }: Asked): Said {
  if (result !== undefined) return { text: `Done: ${result}` };
  if (/order 7/i.test(question)) return { call: { name: 'lookup', args: { order: '7' } } };
  if (!/refund/i.test(question)) return { text: `You said: ${question}` };
  const limit = Number(/up to (\d+) EUR/.exec(prompt)?.[1] ?? 0);
  return amount <= limit
    ? { call: { name: 'refund', args: { order: '7', amount } } }
    : { call: { name: 'create_ticket', args: { order: '7' } } };
}

function askedInChat({ messages }: Unknown): Asked {
  const all = messages as Unknown[];
  const last = all.findLastIndex(({ role }) => role === 'user');
  const result = all.slice(last).findLast(({ role }) => role === 'tool');
  return {
    prompt: textOf(all.find(({ role }) => role === 'system' || role === 'developer')?.content),
    question: textOf(all[last]?.content),
    result: result && textOf(result.content),
    amount: amountIn(all),
  };
}

function askedInResponses({ instructions, input }: Unknown): Asked {
  const all = (typeof input === 'string' ? [{ role: 'user', content: input }] : input) as Unknown[];
  const last = all.findLastIndex(({ role }) => role === 'user');
  const result = all.slice(last).findLast((item) => item.type === 'function_call_output' && !isHandover(item));
  return {
    prompt: textOf(instructions ?? all.find(({ role }) => role === 'system')?.content),
    question: textOf(all[last]?.content),
    result: result && textOf(result.output),
    amount: amountIn(all),
  };
}

/** The Agents SDK answers the call that hands over itself. */
function isHandover({ output }: Unknown): boolean {
  return textOf(output).startsWith('{"assistant":');
}

/** Anthropic puts tool results into messages of the user. */
function askedInMessages({ system, messages }: Unknown): Asked {
  const all = messages as Unknown[];
  const parts = (message: Unknown | undefined) =>
    Array.isArray(message?.content) ? (message.content as Unknown[]) : [];
  const isResult = (message: Unknown) => parts(message).some(({ type }) => type === 'tool_result');
  const last = all.findLastIndex((message) => message.role === 'user' && !isResult(message));
  const result = parts(all.slice(last).findLast(isResult)).find(({ type }) => type === 'tool_result');
  return {
    prompt: textOf(system),
    question: textOf(all[last]?.content),
    result: result && textOf(result.content),
    amount: amountIn(all),
  };
}

/** Gemini puts function responses into contents of the user. */
function askedInContents({ systemInstruction, contents }: Unknown): Asked {
  const all = contents as { readonly role: string; readonly parts: readonly Unknown[] }[];
  const responses = ({ parts }: (typeof all)[0]) => parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const last = all.findLastIndex((content) => content.role === 'user' && responses(content).length === 0);
  const [result] = all.slice(last).flatMap(responses) as { readonly response: unknown }[];
  return {
    prompt: textOf((systemInstruction as Unknown | undefined)?.parts),
    question: textOf(all[last]?.parts),
    result: result && JSON.stringify(result.response),
    amount: amountIn(all),
  };
}

function amountIn(conversation: unknown): number {
  return Number(/amount\W+(\d+)/.exec(JSON.stringify(conversation))?.[1] ?? 0);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => (part as { text?: string }).text ?? '').join('') : '';
}

let ids = 0;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function asCompletion({ text, call }: Said, { model }: Unknown): object {
  const tool_calls = call && [
    { id: `call_${++ids}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } },
  ];
  return {
    id: `chatcmpl-${++ids}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text ?? null, ...(tool_calls && { tool_calls }) },
        finish_reason: call === undefined ? 'stop' : 'tool_calls',
      },
    ],
    usage,
  };
}

/** In the chunks of a stream: what is said, why it ended, and what it took. */
function streamedCompletion({ text, call }: Said, { model }: Unknown): string {
  const about = {
    id: `chatcmpl-${++ids}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1_000),
    model,
  };
  const tool_calls = call && [
    {
      index: 0,
      id: `call_${++ids}`,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    },
  ];
  const delta = { role: 'assistant', ...(tool_calls ? { tool_calls } : { content: text }) };
  const chunks = [
    { ...about, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...about, choices: [{ index: 0, delta: {}, finish_reason: call === undefined ? 'stop' : 'tool_calls' }] },
    { ...about, choices: [], usage },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

/** The answer repeats its request, as OpenAI's does, because instrumentations read it there. */
function asResponse({ text, call }: Said, { model, instructions, tools }: Unknown): object {
  const item =
    call === undefined
      ? {
          type: 'message',
          id: `msg_${++ids}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        }
      : {
          type: 'function_call',
          id: `fc_${++ids}`,
          call_id: `call_${++ids}`,
          name: call.name,
          arguments: JSON.stringify(call.args),
          status: 'completed',
        };
  return {
    id: `resp_${++ids}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    status: 'completed',
    model,
    instructions,
    tools,
    output: [item],
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

function asMessage({ text, call }: Said, { model }: Unknown): object {
  const content =
    call === undefined
      ? { type: 'text', text }
      : { type: 'tool_use', id: `toolu_${++ids}`, name: call.name, input: call.args };
  return {
    id: `msg_${++ids}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [content],
    stop_reason: call === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
}

/** In the events of a stream: the message without its content, its one block bit by bit, and why it ended. */
function streamedMessage(said: Said, body: Unknown): string {
  const { content, stop_reason, ...about } = asMessage(said, body) as Unknown & { content: [Unknown] };
  const [block] = content;
  const input = JSON.stringify(block.input);
  const [empty, deltas] =
    block.type === 'text'
      ? [{ ...block, text: '' }, [{ type: 'text_delta', text: block.text }]]
      : [
          { ...block, input: {} },
          [input.slice(0, 5), input.slice(5)].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
        ];
  const events = [
    { type: 'message_start', message: { ...about, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function asContent({ text, call }: Said, _: Unknown): object {
  const part = call === undefined ? { text } : { functionCall: call };
  return {
    responseId: `resp_${++ids}`,
    modelVersion: 'gemini-2.5-flash',
    candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [part] } }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
}
