import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Trace } from '../../src/trace/index.ts';
import { openPlatform, type Platform, startReceiver } from '../../src/tracing/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { patience } from '../patience.ts';
import { API_KEY, type PhoenixSpan, PROJECT, phoenix, turnSpans } from './phoenix-server.ts';
import { type PlatformServer, serve, virtualClock } from './platform-server.ts';

async function open(server: PlatformServer, options: { project?: string; apiKey?: string } = {}): Promise<Platform> {
  const place = { platform: 'phoenix', host: server.url, project: PROJECT, apiKey: API_KEY } as const;
  return openPlatform({ ...place, clock: virtualClock(), random: () => 0.5, ...options });
}

const RUN = { svc_replay_run_id: 'uid.t1.r1', agent_id: 'support', session_id: 'replay-s1', run_id: 'run-1' };

test('spans of Phoenix become the trace that their attributes tell of', async () => {
  await using server = await serve(phoenix(() => turnSpans({ trace: 't1', metadata: RUN })));
  await using platform = await open(server);
  const trace = await platform.trace('t1', { signal: patience() });
  const golden = await readFile(new URL('fixtures/phoenix-trace.json', import.meta.url), 'utf8');
  expect(trace).toEqual(JSON.parse(golden));
});

/** The same spans as their exporter sends them. */
function exported(spans: readonly PhoenixSpan[]): string {
  const attribute = ([key, value]: [string, unknown]) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: String(value) },
  });
  const otlp = spans.map(({ name, context, parent_id, span_kind, start_time, end_time, attributes }) => {
    const metadata = Object.entries(attributes).filter(([key]) => key.startsWith('metadata.'));
    const rest = Object.entries(attributes).filter(([key]) => !key.startsWith('metadata.'));
    const json = Object.fromEntries(metadata.map(([key, value]) => [key.slice('metadata.'.length), value]));
    return {
      traceId: context.trace_id,
      spanId: context.span_id,
      ...(parent_id === null ? {} : { parentSpanId: parent_id }),
      name,
      startTimeUnixNano: `${Date.parse(start_time)}000000`,
      endTimeUnixNano: `${Date.parse(end_time)}000000`,
      attributes: [
        ...rest.map(attribute),
        attribute(['openinference.span.kind', span_kind]),
        attribute(['metadata', JSON.stringify(json)]),
      ],
    };
  });
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: otlp }] }] });
}

test('the same spans make the same trace in the receiver', async () => {
  const spans = turnSpans({ trace: 't1', metadata: RUN });
  await using receiver = await startReceiver({ quietMs: 1 });
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url = '', OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers = '' } =
    receiver.environment();
  const authorization = decodeURIComponent(headers.slice('Authorization='.length));
  const body = exported(spans);
  await fetch(url, { method: 'POST', body, headers: { authorization, 'content-type': 'application/json' } });
  const received = await receiver.waitFor('uid.t1.r1', { signal: patience() });
  await using server = await serve(phoenix(() => spans));
  await using platform = await open(server);
  expect(received).toEqual(await platform.trace('t1', { signal: patience() }));
});

test('a replay is waited for on Phoenix until all of it is there, and no other run is taken for it', async () => {
  const clock = virtualClock();
  const other = turnSpans({ trace: 't0', metadata: { ...RUN, svc_replay_run_id: 'uid.t1.r10' } });
  const own = turnSpans({ trace: 't1', metadata: RUN });
  await using server = await serve(
    phoenix(() => [...other, ...own.slice(1), ...own.slice(0, 1)].slice(0, 4 + Math.floor(clock.elapsedMs() / 2_000))),
  );
  const place = { platform: 'phoenix', host: server.url, project: PROJECT, apiKey: API_KEY } as const;
  await using platform = await openPlatform({ ...place, clock, random: () => 0.5 });
  const trace: Trace = await platform.waitFor('uid.t1.r1', { signal: clock.deadline(120_000) });
  expect([trace.id, trace.observations.length]).toEqual(['t1', 4]);
  const { reads } = platform.stats();
  expect(server.asked).toHaveLength(reads);
});

test('many spans are read page by page', async () => {
  const turns = Array.from({ length: 60 }, (_, n) => turnSpans({ trace: `t${n}` })).flat();
  await using server = await serve(phoenix(() => turns));
  await using platform = await open(server);
  const ids = [];
  for await (const head of platform.heads({ since: '2026-11-01T00:00:00.000Z' }, patience())) {
    ids.push(head.id);
  }
  expect(ids).toEqual(Array.from({ length: 60 }, (_, n) => `t${59 - n}`));
});

test.each([
  ['a wrong key', 'PLATFORM_UNAUTHORIZED', { apiKey: 'px-wrong-key' }],
  ['a project that is not there', 'PLATFORM_UNEXPECTED_ANSWER', { project: 'other' }],
] as const)('%s is said to be that, without the key', async (_, code, options) => {
  await using server = await serve(phoenix(() => []));
  const opening = open(server, options);
  await expect(opening).rejects.toMatchObject({ code, evidence: [expect.not.stringContaining('px-')] });
});

test('sessions of Phoenix are listed and pinned by the same commands', async () => {
  const recorded = turnSpans({ trace: 't1', metadata: { agent_id: 'support', session_id: 's1', run_id: 'run-1' } });
  const replay = turnSpans({ trace: 't2', session: 'replay-s1', metadata: RUN });
  await using server = await serve(phoenix(() => [...recorded, ...replay]));
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ tracing: { source: 'phoenix' } }),
  });
  const env = { PHOENIX_HOST: server.url, PHOENIX_API_KEY: API_KEY, PHOENIX_PROJECT_NAME: PROJECT };
  const run = (...args: string[]) => command(args, { cwd: folder.path, env });
  const { stdout } = await run('sessions', '--since', '2026-11-01');
  expect(stdout).toMatch(/^s1 +2026-11-21 00:40 +support +1 +yes +- +Where is my order A-17\?$/m);
  expect(stdout).not.toContain('replay-s1');
  expect(await run('pin', 's1')).toMatchObject({ code: 0, stderr: '' });
  const [file] = await readdir(path.join(folder.path, 'replays'));
  const pin = JSON.parse(await readFile(path.join(folder.path, 'replays', file as string), 'utf8'));
  expect(pin).toMatchObject({
    id: 's1',
    turns: [
      {
        request: { messages: [{ role: 'user', content: 'Where is my order A-17?' }], model: 'gpt-5-mini' },
        recorded: { output: 'It was shipped yesterday.' },
      },
    ],
  });
});
