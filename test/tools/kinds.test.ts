import { expect, test } from 'vitest';
import type { ToolAnswer } from '../../src/contract/index.ts';
import type { ToolsEndpoint } from '../../src/tools/index.ts';
import { withoutHugeTexts } from '../../src/trace/index.ts';
import { noise } from '../noise.ts';
import { wholeMessage } from '../whole-message.ts';
import { begun, endpointOf } from './endpoint-with.ts';

async function asking(endpoint: ToolsEndpoint, runId = 'r1') {
  await endpoint.begin(runId, begun);
  return async (name: string, args: object): Promise<ToolAnswer> => {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${endpoint.token}` },
      body: JSON.stringify({ svc_replay_run_id: runId, name, arguments: args }),
    });
    return (await response.json()) as ToolAnswer;
  };
}

function given<T>(answer: ToolAnswer): T {
  expect(answer.policy).toBe('recorded');
  return (answer as { result: unknown }).result as T;
}

test('a sub-agent runs and its own tools are recorded, unless the configuration names the sub-agent', async () => {
  const calls = [
    { name: 'researcher', input: { about: 'kettles' }, output: 'found two' },
    { name: 'model', type: 'generation', input: 'Research kettles.', output: 'I search.', by: 0 },
    { name: 'search', input: { q: 'kettles' }, output: ['a', 'b'], by: 0 },
  ] as const;
  await using endpoint = await endpointOf(calls.map((each) => ({ ...each, output: each.output as string })));
  const ask = await asking(endpoint);
  expect(await ask('researcher', { about: 'kettles' })).toMatchObject({ policy: 'live' });
  expect(await ask('search', { q: 'kettles' })).toEqual({ policy: 'recorded', result: ['a', 'b'] });
  expect(endpoint.use('r1')?.counts).toEqual({ recorded: 1, live: 1, missed: 0 });
  await using named = await endpointOf(
    calls.map((each) => ({ ...each, output: each.output as string })),
    { '*': { replay: 'recorded' }, researcher: { replay: 'recorded' } },
  );
  const answer = await (await asking(named))('researcher', { about: 'kettles' });
  expect(given(answer)).toBe('found two');
});

test('fifty calls at once, equal and different ones, are given each recorded result once', async () => {
  const calls = Array.from({ length: 50 }, (_, no) => ({ name: 'search', input: { q: no % 5 }, output: { no } }));
  await using endpoint = await endpointOf(calls);
  const ask = await asking(endpoint);
  const answers = await Promise.all(
    calls.toReversed().map(async ({ input }) => [input.q, await ask('search', input)] as const),
  );
  const numbers = answers.map(([q, answer]) => {
    const { no } = given<{ no: number }>(answer);
    expect(no % 5).toBe(q);
    return no;
  });
  expect(new Set(numbers).size).toBe(50);
});

test('a call that failed and was made again fails and then succeeds, as it did when it was recorded', async () => {
  const input = { order: 'A1' };
  await using endpoint = await endpointOf([
    { name: 'lookup', input, failed: 'timed out' },
    { name: 'lookup', input, failed: 'timed out again' },
    { name: 'lookup', input, output: 'shipped' },
  ]);
  const ask = await asking(endpoint);
  expect(await ask('lookup', input)).toEqual({ policy: 'recorded', error: 'timed out' });
  expect(await ask('lookup', input)).toEqual({ policy: 'recorded', error: 'timed out again' });
  expect(await ask('lookup', input)).toEqual({ policy: 'recorded', result: 'shipped' });
  expect((await ask('lookup', input)).policy).toBe('missed');
});

test('an id that a recorded result gave is the recorded one in later arguments', async () => {
  const id = 'ord_9f86d081884c7d659a2feaa0c55ad015';
  await using endpoint = await endpointOf([
    { name: 'create', input: { what: 'order' }, output: { id } },
    { name: 'pay', input: { id }, output: 'paid' },
  ]);
  const ask = await asking(endpoint);
  const made = given<{ id: string }>(await ask('create', { what: 'order' }));
  expect(made.id).toBe(id);
  expect(await ask('pay', { id: made.id })).toEqual({ policy: 'recorded', result: 'paid' });
  expect((await ask('pay', { id: 'ord_2c26b46b68ffc68ff99b453c1d304134' })).policy).toBe('missed');
});

test('large and binary results come back byte for byte', async () => {
  const bytes = noise(3 * 2 ** 20).toString('base64');
  await using endpoint = await endpointOf([
    { name: 'download', input: { file: 'a' }, output: { mimeType: 'application/pdf', data: bytes } },
    { name: 'upload', input: { data: bytes }, output: 'stored' },
  ]);
  const ask = await asking(endpoint);
  const { data } = given<{ data: string }>(await ask('download', { file: 'a' }));
  expect(data === bytes).toBe(true);
  expect(await ask('upload', { data: bytes })).toEqual({ policy: 'recorded', result: 'stored' });
});

test('a result over 4 million characters is kept by its beginning: could not tell, and the agent is not given that', async () => {
  const output = withoutHugeTexts({ text: 'a'.repeat(5_000_000) });
  await using endpoint = await endpointOf([{ name: 'dump', input: {}, output }]);
  expect(await (await asking(endpoint))('dump', {})).toMatchObject({ policy: 'refused' });
  expect(wholeMessage(endpoint.use('r1')!.doubt!)).toMatchInlineSnapshot(`
    "The recording holds a call of dump, and only the beginning of its result of 5000000 characters. (TOOL_RESULT_MISSING)
      tool: dump
      -> Let it return less, or set tools.dump.replay to live."
  `);
});

test('a file that tracing has cut out of a result is missing: could not tell, and the agent is given no name of a file', async () => {
  const image = '@@@langfuseMedia:type=image/png|id=9f86d081884c7d659a2fea|source=base64_data_uri@@@';
  await using endpoint = await endpointOf([
    { name: 'chart', input: {}, output: { title: 'Sales', image } },
    { name: 'lookup', input: {}, output: 'x' },
  ]);
  const ask = await asking(endpoint);
  expect(await ask('chart', {})).toMatchObject({ policy: 'refused' });
  expect(wholeMessage(endpoint.use('r1')!.doubt!)).toMatchInlineSnapshot(`
    "The recording holds a call of chart, with a file (image/png) that its trace has cut out of the result. (TOOL_RESULT_MISSING)
      tool: chart
      -> Let its tracing keep files in results, or set tools.chart.replay to live."
  `);
  expect((await ask('lookup', {})).policy).toBe('refused');
});
