// Measures the waiting for many replays on a platform, and pinning from it, beside the least time that the same
// requests take. `node platform.ts` runs both, `node platform.ts waiting` or `pinning` one of them.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { parseConfig } from '../src/config/index.ts';
import { syncSessions } from '../src/job/index.ts';
import type { JsonObject } from '../src/json/index.ts';
import { openPlatform, type Platform } from '../src/tracing/index.ts';
import { many, medianOf, record } from './results.ts';

const KEYS = { publicKey: 'pk-lf-bench', secretKey: 'sk-lf-bench' };
const LATENCY_MS = 100;
/** Shorter than in a run, so that our own share is visible and 5,550 reads end in reasonable time. */
const PINNING_LATENCY_MS = 10;
/** A real server returns at most this many on a page. */
const MAX_PAGE = { traces: 100, observations: 1_000 };

/** One trace of four observations: as rows of the platform's newer API, and as a body of the older one. */
interface Stored {
  readonly trace: JsonObject;
  readonly rows: readonly JsonObject[];
  readonly visibleAt: number;
}

function stored(id: string, session: string, runId: string | undefined, startedAt: number, visibleAt: number): Stored {
  const at = (ms: number) => new Date(startedAt + ms).toISOString();
  const metadata: JsonObject = { agent_id: 'bench', session_id: session, run_id: id };
  if (runId !== undefined) metadata.svc_replay_run_id = runId;
  const call = { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"a"}' } };
  const messages = [{ role: 'user', content: 'Where is my order 1234? '.repeat(10) }];
  const row = (suffix: string, type: string, ms: number, input: string, output: string): JsonObject => ({
    id: `${id}-${suffix}`,
    traceId: id,
    parentObservationId: suffix === 'root' ? null : `${id}-root`,
    isRootObservation: suffix === 'root',
    type,
    name: suffix,
    startTime: at(ms),
    endTime: at(ms + 10),
    updatedAt: at(ms + 20),
    level: 'DEFAULT',
    sessionId: session,
    traceName: 'turn',
    metadata,
    input,
    output,
  });
  const rows = [
    row('root', 'AGENT', 0, 'Where is my order?', 'On its way.'),
    row(
      'plan',
      'GENERATION',
      1,
      JSON.stringify({ messages }),
      JSON.stringify({ role: 'assistant', tool_calls: [call] }),
    ),
    { ...row('search', 'TOOL', 2, '{"q":"a"}', '{"hits":["a"]}'), metadata: { ...metadata, tool_call_id: 'c1' } },
    row('answer', 'GENERATION', 3, JSON.stringify({ messages }), 'On its way.'),
  ];
  const trace: JsonObject = {
    id,
    timestamp: at(0),
    name: 'turn',
    sessionId: session,
    metadata,
    input: 'Where is my order?',
    output: 'On its way.',
    tags: [],
    updatedAt: at(30),
    latency: 0.013,
    observations: rows,
  };
  return { trace, rows, visibleAt };
}

/** Answers after a delay, as a server of one generation does. */
async function standIn(api: 'traces' | 'observations', all: () => readonly Stored[], latencyMs = LATENCY_MS) {
  let reads = 0;
  const server = createServer((incoming, response) => {
    reads++;
    const url = new URL(incoming.url ?? '/', 'http://platform');
    setTimeout(() => {
      const visible = all().filter(({ visibleAt }) => visibleAt <= Date.now());
      const body = api === 'traces' ? olderAnswer(url, visible) : newerAnswer(url, visible);
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? { message: 'not found' }));
    }, latencyMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reads: () => reads,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newerAnswer({ pathname, searchParams }: URL, visible: readonly Stored[]): JsonObject | undefined {
  if (pathname !== '/api/public/v2/observations') return undefined;
  const traceId = searchParams.get('traceId');
  const prefix = prefixIn(searchParams);
  const found = visible
    .flatMap(({ rows }) => rows)
    .filter((row) => traceId === null || row.traceId === traceId)
    .filter((row) => prefix === undefined || String((row.metadata as JsonObject).svc_replay_run_id).startsWith(prefix));
  const start = Number(searchParams.get('cursor') ?? 0);
  const end = start + Math.min(MAX_PAGE.observations, Number(searchParams.get('limit') ?? 50));
  return { data: found.slice(start, end), meta: end < found.length ? { cursor: String(end) } : {} };
}

function olderAnswer({ pathname, searchParams }: URL, visible: readonly Stored[]): JsonObject | undefined {
  const limit = Math.min(MAX_PAGE.traces, Number(searchParams.get('limit') ?? 50));
  const page = Number(searchParams.get('page') ?? 1);
  const paged = (rows: readonly JsonObject[]): JsonObject => ({
    data: rows.slice((page - 1) * limit, page * limit),
    meta: { page, limit, totalItems: rows.length, totalPages: Math.ceil(rows.length / limit) },
  });
  const one = /^\/api\/public\/traces\/(.+)$/.exec(pathname);
  if (one !== null) return visible.find(({ trace }) => trace.id === one[1])?.trace;
  if (pathname === '/api/public/observations') {
    const [from, to] = [searchParams.get('fromStartTime') ?? '', searchParams.get('toStartTime') ?? '9'];
    const rows = visible.flatMap((each) => each.rows);
    return paged(rows.filter(({ startTime }) => String(startTime) >= from && String(startTime) < to));
  }
  if (pathname !== '/api/public/traces') return undefined;
  const prefix = prefixIn(searchParams);
  const session = searchParams.get('sessionId');
  const found = visible
    .map(({ trace }) => trace)
    .filter((trace) => session === null || trace.sessionId === session)
    .filter(
      (trace) => prefix === undefined || String((trace.metadata as JsonObject).svc_replay_run_id).startsWith(prefix),
    )
    .map((trace) => ({ ...trace, observations: (trace.observations as JsonObject[]).map(({ id }) => id ?? null) }));
  return paged(found);
}

function prefixIn(searchParams: URLSearchParams): string | undefined {
  const filter = searchParams.get('filter');
  return filter === null ? undefined : (JSON.parse(filter) as { value: string }[])[0]?.value;
}

const noDeadline = () => new AbortController().signal;

/** 1,000 replays. Their traces become visible over ten seconds. */
async function waiting(api: 'traces' | 'observations'): Promise<void> {
  const count = 1_000;
  const spreadMs = 10_000;
  const startedAt = Date.now();
  // Each replay begins a second before its trace is visible.
  const all = Array.from({ length: count }, (_, n) => {
    const at = startedAt + (n * spreadMs) / count;
    return stored(`t${n}`, `s${n}`, `uid.t1.r${n}`, at, at + 1_000);
  });
  await using server = await standIn(api, () => all);
  await using platform = await openPlatform({ host: server.host, ...KEYS });
  const delays = await Promise.all(
    all.map(async ({ visibleAt }, n) => {
      await platform.waitFor(`uid.t1.r${n}`, { signal: noDeadline() });
      return Date.now() - visibleAt;
    }),
  );
  const memory = process.resourceUsage().maxRSS / 1024;
  console.log(
    `| 1,000 pending, ${api} | ${(server.reads() / count).toFixed(3)} | ${(medianOf(delays) / 1_000).toFixed(1)} s ` +
      `| ${(Math.max(...delays) / 1_000).toFixed(1)} s | ${memory.toFixed(0)} MiB |`,
  );
}

const CALL_MS = 200;
/** How long after its call a trace is visible. */
const VISIBLE_MS = 1_000;
const WORKERS = 4;

/**
 * 20 sessions, 5 runs each. Compares workers that are free while their trace is awaited with workers that wait and poll
 * for their own.
 */
async function collecting(): Promise<void> {
  const calls = 100;
  const run = async (replay: (n: number) => Promise<{ readonly waiting: Promise<unknown> }>): Promise<number> => {
    let next = 0;
    const startedAt = performance.now();
    const waits: Promise<unknown>[] = [];
    const work = async () => {
      for (let n = next++; n < calls; n = next++) waits.push((await replay(n)).waiting);
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    await Promise.all(waits);
    return performance.now() - startedAt;
  };
  const ideal = Math.ceil(calls / WORKERS) * CALL_MS;
  const figures: Record<string, { readonly ms: number; readonly reads: number }> = {};
  for (const kind of ['free', 'held'] as const) {
    const all: Stored[] = [];
    await using server = await standIn('observations', () => all);
    await using platform = await openPlatform({ host: server.host, ...KEYS, patience: NO_PATIENCE });
    const made = (n: number) => {
      const now = Date.now();
      all.push(stored(`t${n}`, 's', `uid-${n % 20}.t1.r${n}`, now, now + VISIBLE_MS));
    };
    const ms = await run(async (n) => {
      const responded = sleep(CALL_MS);
      const waiting =
        kind === 'free'
          ? platform.waitFor(`uid-${n % 20}.t1.r${n}`, { signal: noDeadline(), responded })
          : Promise.resolve();
      await responded;
      made(n);
      if (kind === 'held') await pollAlone(platform, n);
      return { waiting };
    });
    figures[kind] = { ms, reads: server.reads() / calls };
    console.log(
      `| ${kind === 'free' ? 'one poller for all' : 'a worker a trace, each polls'} | ${(ms / 1_000).toFixed(1)} s ` +
        `| ${(ms / (ideal + VISIBLE_MS)).toFixed(2)} | ${(server.reads() / calls).toFixed(2)} |`,
    );
  }
  record('waiting', { ideal, visibleMs: VISIBLE_MS, ...figures });
}

/** Only the waiting is compared. The quiet time is the same on both sides, so it is left out of both. */
const NO_PATIENCE = { quietMs: 0, settleMs: 0, firstPollMs: 250, maxPollMs: 500 };

async function pollAlone(platform: Platform, n: number): Promise<void> {
  while ((await platform.trace(`t${n}`, { signal: noDeadline() })) === undefined) await sleep(250);
}

const PINNED = many(500, 20);

/** Pins sessions of 10 turns, beside the same requests with their answers ignored. */
async function pinning(): Promise<void> {
  const startedAt = Date.parse('2026-11-01T00:00:00.000Z');
  const all = Array.from({ length: 10 * PINNED }, (_, n) =>
    stored(`t${n}`, `s${Math.floor(n / 10)}`, undefined, startedAt + n * 1_000, 0),
  );
  await using server = await standIn('traces', () => all, PINNING_LATENCY_MS);
  const asked: string[] = [];
  const dispatcher = new Agent({ connections: 4 });
  const bare = async () => {
    const begin = performance.now();
    let next = 0;
    const work = async () => {
      for (let url = asked[next++]; url !== undefined; url = asked[next++]) {
        const { body } = await request(url, { dispatcher });
        JSON.parse(await body.text());
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    return performance.now() - begin;
  };
  for (let p = 1; p <= PINNED / 10; p++) asked.push(`${server.host}/api/public/traces?limit=100&page=${p}`);
  for (let s = 0; s < PINNED; s++) asked.push(`${server.host}/api/public/traces?limit=100&page=1&sessionId=s${s}`);
  for (const { trace } of all) asked.push(`${server.host}/api/public/traces/${trace.id}`);
  const bareMs = await bare();
  await dispatcher.close();
  const root = await mkdtemp(path.join(tmpdir(), 'agent-replay-bench-'));
  await using platform = await openPlatform({ host: server.host, ...KEYS });
  const config = parseConfig({ agent: { url: 'http://127.0.0.1:1' } }, { folder: root });
  const begin = performance.now();
  let written = 0;
  for await (const step of syncSessions(platform, config, {
    ids: [],
    since: '2026-10-01T00:00:00.000Z',
    limit: 1_000,
    dir: 'replays',
    update: false,
    dryRun: false,
    signal: noDeadline(),
  })) {
    if (step.kind === 'written') written++;
  }
  const ms = performance.now() - begin;
  await rm(root, { recursive: true });
  console.log(
    `| ${written} sessions of 10 turns | ${(ms / 1_000).toFixed(1)} s | ${((written * 1_000) / ms).toFixed(1)} ` +
      `| ${(ms / bareMs).toFixed(2)} |`,
  );
}

const [only] = process.argv.slice(2);
if (only === undefined || only === 'waiting') {
  console.log('| replays | reads a replay | visible to taken, median | longest | peak memory |\n|---|---|---|---|---|');
  await waiting('observations');
  await waiting('traces');
}
if (only === undefined || only === 'collecting') {
  console.log(
    '\n| 20 x 5, visible after 1 s | wall time | over the last one visible | reads a call |\n|---|---|---|---|',
  );
  await collecting();
}
if (only === undefined || only === 'pinning') {
  console.log('\n| pinned | time | sessions a second | over a bare loop |\n|---|---|---|---|');
  await pinning();
}
