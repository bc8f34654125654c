import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from 'ai';
import { tool as tool6 } from 'ai-v6';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { TOOLS_ENV } from '../../src/contract/index.ts';
import { replayEndpoint, replayTools, ToolNotReplayed } from '../../src/endpoint/index.ts';
import type { AgentReplayError } from '../../src/errors.ts';
import { ended, startProgram } from '../programs.ts';
import { begun, endpointOf } from './endpoint-with.ts';

afterEach(() => {
  for (const name of Object.values(TOOLS_ENV)) delete process.env[name];
});

/** A tools endpoint with one recording of one call of `lookup` for each text, and the environment that names it. */
async function endpointWith(texts: readonly string[], settings?: Parameters<typeof endpointOf>[1]) {
  const endpoint = await endpointOf(
    texts.map((text, at) => ({ name: 'lookup', input: { text }, output: { found: text, at } })),
    settings,
  );
  Object.assign(process.env, endpoint.environment());
  return endpoint;
}

test('without the variable the tools are the very ones that were handed in, and keep their types', () => {
  const tools = { lookup: async (args: { text: string }) => args.text.length };
  expect(replayTools(tools)).toBe(tools);
  expectTypeOf(replayTools(tools)).toEqualTypeOf(tools);
});

test('the replay is known through Promise.all, timers and streams, and two turns at once are kept apart', async () => {
  await using endpoint = await endpointWith(['a', 'b', 'c']);
  const { lookup } = replayTools({ lookup: async (_: { text: string }): Promise<object> => ({ real: true }) });
  const replay = replayEndpoint(
    async (turn) => {
      void turn.metadata;
      const timed = new Promise<object>((resolve, reject) => {
        setTimeout(() => void lookup({ text: 'a' }).then(resolve, reject), 1);
      });
      const stream = (async function* () {
        await sleep(1);
        yield await lookup({ text: 'b' });
      })();
      const [a, c] = await Promise.all([timed, lookup({ text: 'c' })]);
      const said = [a, c];
      for await (const each of stream) said.push(each);
      return JSON.stringify(said);
    },
    { enabled: true },
  );
  const ask = async (id: string): Promise<string> => {
    void endpoint.begin(id, begun);
    const body = JSON.stringify({ input: 'go', is_replay: true, svc_replay_run_id: id });
    const response = await replay(
      new Request('http://agent/replay', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    );
    return ((await response.json()) as { output: string }).output;
  };
  const expected = JSON.stringify([
    { found: 'a', at: 0 },
    { found: 'c', at: 2 },
    { found: 'b', at: 1 },
  ]);
  expect(await Promise.all([ask('r1.t1.r1'), ask('r1.t1.r2')])).toEqual([expected, expected]);
  expect(endpoint.use('r1.t1.r1')?.counts).toEqual({ recorded: 3, live: 0, missed: 0 });
});

test('tools of the AI SDK 6 and 7 keep what they are, and one that streams gives its recorded result as its last word', async () => {
  await using endpoint = await endpointWith(['a', 'b', 'c']);
  const inputSchema = z.object({ text: z.string() });
  const ran: string[] = [];
  const tools = {
    lookup: tool({ description: 'Looks up.', inputSchema, execute: async ({ text }) => ({ found: ran.push(text) }) }),
  };
  const older = {
    lookup: tool6({ description: 'Looks up.', inputSchema, execute: async ({ text }) => ({ found: ran.push(text) }) }),
  };
  const streaming = {
    lookup: tool({
      inputSchema,
      async *execute({ text }) {
        yield { found: ran.push(text) };
      },
    }),
  };
  void endpoint.begin('r1', begun);
  const options = { runId: 'r1' };
  const stoodIn = replayTools(tools, options);
  expectTypeOf(stoodIn).toEqualTypeOf(tools);
  expect(stoodIn.lookup).toMatchObject({ description: 'Looks up.', inputSchema });
  const call = { toolCallId: 'c1', messages: [], context: {} };
  expect(await stoodIn.lookup.execute?.({ text: 'a' }, call)).toEqual({ found: 'a', at: 0 });
  expect(await replayTools(older, options).lookup.execute?.({ text: 'b' }, call)).toEqual({ found: 'b', at: 1 });
  const said: unknown[] = [];
  const stream = replayTools(streaming, options).lookup.execute?.({ text: 'c' }, call);
  for await (const each of stream as AsyncIterable<unknown>) said.push(each);
  expect(said).toEqual([{ found: 'c', at: 2 }]);
  expect(ran).toEqual([]);
});

test('a call outside of a replay, of one that is over, or with another token runs nothing but what is live', async () => {
  const ran: string[] = [];
  const table = {
    lookup: async ({ text }: { text: string }) => ran.push(text),
    clock: async () => 'now',
  };
  await using endpoint = await endpointWith(['a'], { '*': { replay: 'recorded' }, clock: { replay: 'live' } });
  const outside = replayTools(table);
  await expect(outside.lookup({ text: 'a' })).rejects.toThrow('without the id of a replay');
  expect(await outside.clock()).toBe('now');
  void endpoint.begin('r1', begun);
  endpoint.end('r1');
  await expect(replayTools(table, { runId: 'r1' }).lookup({ text: 'a' })).rejects.toThrow('the replay r1 is over');
  process.env[TOOLS_ENV.token] = 'another';
  await expect(replayTools(table, { runId: 'r1' }).clock()).rejects.toThrow(ToolNotReplayed);
  expect(ran).toEqual([]);
});

test('an agent whose runner is killed in the middle of a call gets an error, and its tool does not run', async () => {
  const silent = `require('node:http').createServer(() => console.log('asked')).listen(0, function () { console.log(this.address().port) })`;
  await using runner = await startProgram(['-e', silent]);
  process.env[TOOLS_ENV.url] = `http://127.0.0.1:${runner.line}/tools`;
  process.env[TOOLS_ENV.token] = 'token';
  const ran: string[] = [];
  const asked = once(runner.child.stdout!, 'data');
  const { lookup } = replayTools({ lookup: async ({ text }: { text: string }) => ran.push(text) }, { runId: 'r1' });
  const call = lookup({ text: 'a' });
  await asked;
  const refused = expect(call).rejects.toThrow('does not answer');
  await ended(runner.child);
  await refused;
  expect(ran).toEqual([]);
});

test('a tool in the shape of Mastra, which gets its arguments as a context, is asked for by them', async () => {
  await using endpoint = await endpointWith(['a']);
  class Tool {
    readonly id = 'lookup';
    async execute(_: { context: { text: string }; runtimeContext: object }): Promise<object> {
      return { real: true };
    }
  }
  void endpoint.begin('r1', begun);
  const { lookup } = replayTools({ lookup: new Tool() }, { runId: 'r1' });
  expect(lookup).toBeInstanceOf(Tool);
  expect(await lookup.execute({ context: { text: 'a' }, runtimeContext: {} })).toEqual({ found: 'a', at: 0 });
});

test('an error is told in the words of the recording, by its message and as a text', async () => {
  const texts = ['no order A1', 'Error: no order A1', 'NotFoundError: no order A1', 'failed: no order A1'];
  const input = (text: string) => ({ text });
  await using endpoint = await endpointOf(texts.map((text) => ({ name: 'lookup', input: input(text), failed: text })));
  Object.assign(process.env, endpoint.environment());
  void endpoint.begin('r1', begun);
  const { lookup } = replayTools({ lookup: async (_: { text: string }) => 'real' }, { runId: 'r1' });
  const errors = await Promise.all(texts.map((text) => lookup({ text }).catch((error: unknown) => error)));
  expect(errors.map((error) => [(error as Error).message, String(error)])).toEqual([
    ['no order A1', 'Error: no order A1'],
    ['no order A1', 'Error: no order A1'],
    ['no order A1', 'NotFoundError: no order A1'],
    ['failed: no order A1', 'Error: failed: no order A1'],
  ]);
});

test('fault 133: a defect of the endpoint runs no tool, and is told as ours with its stack', async () => {
  const defects: AgentReplayError[] = [];
  const outside = () => {
    throw new TypeError('no policy');
  };
  await using endpoint = await endpointOf([], 'live', { outside, onDefect: (defect) => defects.push(defect) });
  Object.assign(process.env, endpoint.environment());
  const ran: string[] = [];
  const { lookup } = replayTools({ lookup: async ({ text }: { text: string }) => ran.push(text) });
  await expect(lookup({ text: 'a' })).rejects.toThrow(ToolNotReplayed);
  expect(ran).toEqual([]);
  expect(defects).toMatchObject([
    {
      code: 'INTERNAL',
      message: 'The server of recorded tool results of agent-replay failed.',
      evidence: expect.arrayContaining(['TypeError: no policy', expect.stringMatching(/^at .*replay-tools\.test/)]),
    },
  ]);
});
