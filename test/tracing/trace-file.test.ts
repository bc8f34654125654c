import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/json/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { openPlatform } from '../../src/tracing/index.ts';
import { folderWith } from '../config/folder.ts';
import { patience } from '../patience.ts';
import { exchanges } from './platform-server.ts';
import { tracesIn } from './traces-in.ts';

const bodies = exchanges('v4-dual.trace-get-1').map(({ response }) => response.body as JsonObject);
const body = bodies.find(({ sessionId }) => sessionId === 'sess-error-001') as JsonObject;
const rows = exchanges('v4-dual.observations-v2-trace-js5')
  .flatMap(({ response }) => (response.body as JsonObject).data as JsonObject[])
  .filter(({ traceId }) => traceId === body.id);

function snake(row: JsonObject): JsonObject {
  const utc = (value: Json | undefined) => String(value).replace('T', ' ').replace('Z', '000');
  const entries = Object.entries(row).map(([key, value]): [string, Json] => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return { ...Object.fromEntries(entries), start_time: utc(row.startTime), end_time: utc(row.endTime) };
}

const EXPORTS: readonly (readonly [string, string])[] = [
  ['a body of GET /traces/{id}', JSON.stringify(body)],
  ['a list of bodies', JSON.stringify({ data: [body], meta: { page: 1 } })],
  ['rows of GET /v2/observations', JSON.stringify(rows)],
  ['rows of an export, one a line', rows.map((row) => JSON.stringify(snake(row))).join('\n')],
];

test.each(EXPORTS)('an export of the platform makes the trace that the platform has: %s', (_, text) => {
  const [expected] = tracesIn(JSON.stringify(body)) as [Trace];
  const [trace, ...others] = tracesIn(text);
  expect(others).toEqual([]);
  expect(expected.observations.map(({ level }) => level)).toContain('ERROR');
  expect(trace).toEqual(expected);
});

test('a trace and its observations from two files are one trace', async () => {
  const { observations, ...head } = body;
  await using folder = await folderWith({
    'export/traces/1.jsonl': `${JSON.stringify(head)}\n`,
    'export/observations/1.jsonl': (observations as JsonObject[]).map((row) => JSON.stringify(row)).join('\n'),
    'export/readme.txt': 'no traces',
  });
  await using source = await openPlatform({ platform: 'files', paths: [path.join(folder.path, 'export')] });
  const trace = await source.trace(String(body.id), { signal: patience() });
  expect(trace?.sessionId).toBe('sess-error-001');
  expect(trace?.observations).toHaveLength((observations as JsonObject[]).length);
});

const span = (id: string, extra: object = {}) =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: 't1',
                spanId: id,
                startTimeUnixNano: '1795219112300000000',
                endTimeUnixNano: '1795219112400000000',
                attributes: [
                  { key: 'langfuse.trace.metadata.svc_replay_run_id', value: { stringValue: 'uid.t1.r1' } },
                  { key: 'langfuse.observation.type', value: { stringValue: 'agent' } },
                ],
                ...extra,
              },
            ],
          },
        ],
      },
    ],
  });

test('a replay is waited for in a file that a collector is still writing', async () => {
  await using folder = await folderWith({ 'traces.jsonl': '' });
  const file = path.join(folder.path, 'traces.jsonl');
  const waits = { quietMs: 50, settleMs: 50, firstPollMs: 10, maxPollMs: 20 };
  await using source = await openPlatform({ platform: 'files', paths: [file], patience: waits });
  const waiting = source.waitFor('uid.t1.r1', { signal: patience() });
  const root = span('root');
  await writeFile(file, `${span('child', { parentSpanId: 'root' })}\n${root.slice(0, 40)}`);
  await appendFile(file, `${root.slice(40)}\n`);
  const trace = await waiting;
  expect(trace.observations.map(({ id }) => id).sort()).toEqual(['child', 'root']);
});

test('a line of another program is an error with its place, and signals that are no traces are left out', () => {
  const metrics = JSON.stringify({ resourceMetrics: [] });
  const [trace] = tracesIn([span('a'), metrics, span('b')].join('\n'));
  expect(trace?.observations.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  for (const line of ['GET / 200', JSON.stringify({ level: 'info' })])
    expect(() => tracesIn([span('a'), line, span('b')].join('\n'))).toThrowError('These are not traces in line 2.');
});

test('what a model was given and put out is read of log records in a file, too', () => {
  const attributes = [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }];
  const output = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Lost.' }] }]);
  const logRecord = {
    traceId: 'a'.repeat(32),
    spanId: 'chat',
    eventName: 'gen_ai.client.inference.operation.details',
    attributes: [{ key: 'gen_ai.output.messages', value: { stringValue: output } }],
  };
  const logs = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [logRecord] }] }] });
  const chat = JSON.parse(span('chat'));
  const [only] = chat.resourceSpans[0].scopeSpans[0].spans;
  Object.assign(only, { traceId: 'a'.repeat(32), attributes });
  const [trace] = tracesIn(`${logs}\n${JSON.stringify(chat)}\n`);
  expect(JSON.stringify(trace?.observations[0]?.output)).toContain('Lost.');
});

test.each([
  ['a file that is not there', 'INPUT_INVALID', {}],
  ['a file of something else', 'TRACE_INVALID', { 'traces.json': '{"name":"x"}' }],
  ['lines of something else alone', 'TRACE_INVALID', { 'traces.json': '[1,\nGET / 200\n' }],
  ['a trace that is cut off', 'TRACE_INVALID', { 'traces.json': `${span('a').slice(0, -9)}\n${span('b')}\n` }],
] as const)('%s is an error that names it', async (_, code, files) => {
  await using folder = await folderWith(files);
  const opening = openPlatform({ platform: 'files', paths: [path.join(folder.path, 'traces.json')] });
  await expect(opening).rejects.toMatchObject({ code, location: { file: path.join(folder.path, 'traces.json') } });
});
