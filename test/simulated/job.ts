import { cp, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { wholeBody } from '../../src/bounded/index.ts';
import { type Config, loadConfig } from '../../src/config/index.ts';
import { type JobEvent, mergeJournals, runJob } from '../../src/job/index.ts';
import { parseJson } from '../../src/json/index.ts';
import type { Report } from '../../src/report/index.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';
import { exportOf, generation, type SpanOptions } from '../tracing/spans.ts';
import { tracesIn } from '../tracing/traces-in.ts';
import { proxiedWell } from './proxied.ts';
import type { Chance, World } from './world.ts';

const AGENT = 4_100;
const RECEIVER = 4_200;
const PLATFORM = 4_300;
const KEYS = { publicKey: 'pk-lf-simulated', secretKey: 'sk-lf-simulated-0123456789' };
const AUTHORIZATION = `Basic ${Buffer.from(`${KEYS.publicKey}:${KEYS.secretKey}`).toString('base64')}`;
const PATHS = ['/api/public/otel/v1/traces', '/v1/metrics', '/v1/logs', '/api/public/ingestion', '/api/public/media'];

const READY_MS = 20_000;
const CALL_MS = 10_000;
const TRACE_MS = 8_000;
const RETRIES = 1;
/** Between the attempts of a call, and between replays. */
const PAUSES_MS = 20_000;
/** After the last replay: for late spans, each of which is waited for anew, and for what is forwarded. */
const LAST_MS = 45_000;
/** After the time for all replays is over: for what is forwarded. */
const OVER_MS = 10_000;
/** What CI leaves a job that is cancelled. */
const CANCELLED_MS = 7_000;
/** Deadlines hold within a tenth. */
const TENTH = 1.1;

/** What happens in one seed. */
interface Fate {
  readonly sessions: Readonly<Record<string, 'same' | 'other'>>;
  readonly runs: number;
  readonly workers: number;
  readonly totalMs: number | undefined;
  /** Nobody ever answers at its address. */
  readonly isAbsent: boolean;
  readonly signalAt: number | undefined;
  readonly killedAt: number | undefined;
  readonly forwards: boolean;
  /** Probability of each piece of bad luck. */
  readonly bad: number;
}

function fateOf(chance: Chance): Fate {
  const sessions = Object.fromEntries(
    Array.from({ length: chance.among(1, 3) }, (_, at) => [`s${at}`, chance.is(0.3) ? 'other' : 'same'] as const),
  );
  const maybe = (probability: number, most: number) => (chance.is(probability) ? chance.among(0, most) : undefined);
  return {
    sessions,
    runs: chance.among(1, 3),
    workers: chance.among(1, 4),
    totalMs: chance.is(0.2) ? chance.among(1_000, 40_000) : undefined,
    isAbsent: chance.is(0.03),
    signalAt: maybe(0.25, 40_000),
    killedAt: maybe(0.25, 40_000),
    forwards: chance.is(0.3),
    bad: chance.of([0, 0.02, 0.1, 0.3]),
  };
}

const called = (name: string) => [{ id: 'c1', type: 'function', function: { name, arguments: '{}' } }];

/** A turn, in the exports in which it leaves. Each shows that the others exist, so a lost one is no divergence. */
function exportsOf(input: string, tool: string): SpanOptions[][] {
  const user = { role: 'user', content: input };
  const asks = { role: 'assistant', content: null, tool_calls: called(tool) };
  const given = [user, asks, { role: 'tool', tool_call_id: 'c1', content: '[]' }];
  const attributes = { 'langfuse.observation.type': 'tool', 'gen_ai.tool.name': tool, 'gen_ai.tool.call.id': 'c1' };
  return [
    [
      { id: 'root', attributes: { 'langfuse.observation.type': 'agent' } },
      generation('asks', { messages: [user] }, asks),
    ],
    [{ id: tool, parent: 'root', attributes }],
    [generation('answers', { messages: given }, { role: 'assistant', content: 'found' })],
  ];
}

function pinOf(id: string): string {
  const observations = tracesIn(exportOf(...exportsOf(id, 'search').flat())).flatMap((trace) => trace.observations);
  return JSON.stringify({
    version: 1,
    id,
    turns: [{ request: { input: id }, recorded: { output: 'found', observations } }],
  });
}

/** How one seed ended. */
export interface Played {
  /** Of its report; undefined if it made none. */
  readonly status?: Report['results']['status'] | undefined;
  /** Promises that were broken. */
  readonly wrong: string[];
}

/** One seed, from an empty folder to a report. */
export async function play(world: World, seed: number): Promise<Played> {
  await world.begin(seed);
  const { chance } = world;
  const fate = fateOf(chance);
  world.luck = (each) => ({
    latencyMs: each.is(fate.bad) ? each.among(1, 3_000) : each.next(),
    ...(each.is(fate.bad) && { breaksAfter: each.among(1, 4_000) }),
    ...(each.is(fate.bad) && { silentAfter: each.among(1, 4_000) }),
  });
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({
      agent: { url: `http://127.0.0.1:${AGENT}/replay`, timeout: READY_MS },
      runs: fate.runs,
      workers: fate.workers,
      retries: RETRIES,
      timeouts: { call: CALL_MS, trace: TRACE_MS, ...(fate.totalMs && { total: fate.totalMs }) },
      tracing: { source: 'embedded', receiver: { port: RECEIVER, ...KEYS }, forward: fate.forwards },
    }),
    ...Object.fromEntries(Object.keys(fate.sessions).map((id) => [`replays/${id}.session.json`, pinOf(id)])),
  });
  const config = await loadConfig({ cwd: folder.path });
  await startAgent(world, fate);
  if (fate.forwards) await startPlatform(world, fate);
  trouble(world, fate);
  const { status, wrong } = await ranWell(world, fate, config, folder.path);
  return { status, wrong: [...wrong, ...(await proxiedWell(world))] };
}

async function ranWell(world: World, fate: Fate, config: Config, folder: string): Promise<Played> {
  const cancel = new AbortController();
  const outputDir = path.join(folder, 'out');
  if (fate.signalAt !== undefined) world.after(fate.signalAt, () => cancel.abort());
  const killed: Promise<Report | undefined>[] = [];
  if (fate.killedAt !== undefined) world.after(fate.killedAt, () => void killed.push(asKilled(outputDir)));
  const at: Times = {};
  const on = ({ kind, ...event }: JobEvent) => {
    if (kind === 'replayed') at.replayed = world.elapsedMs;
    if (kind === 'agent' && 'state' in event && event.state === 'ready') at.ready = world.elapsedMs;
  };
  const working = runJob(config, { outputDir, signal: cancel.signal, on }).finally(() => {
    at.ended = world.elapsedMs;
  });
  let report: Report;
  try {
    report = await world.until(working, 10 * mostMs(fate));
  } catch (error) {
    return { wrong: [`no report: ${error instanceof Error ? error.stack : error}`] };
  }
  const wrong = [...deadlines(fate, at), ...untrue(fate, report)];
  const isLucky = fate.bad === 0 && !fate.isAbsent && fate.signalAt === undefined && fate.totalMs === undefined;
  if (isLucky && !['passed', 'failed'].includes(report.results.status))
    wrong.push(`without bad luck it is ${report.results.status}`);
  if (world.ports.includes(RECEIVER)) wrong.push('the receiver still listens');
  for (const early of await Promise.all(killed))
    if (early !== undefined) wrong.push(...untrue(fate, early, 'killed: '));
  if (report.results.status === 'passed') {
    const merged = await mergeJournals([outputDir], { cwd: folder });
    if (merged.results.status !== 'passed') wrong.push(`the journal says ${merged.results.status}, the report passed`);
  }
  return { status: report.results.status, wrong };
}

/** What `merge` makes of the files as they are now; undefined if there is no journal yet. */
async function asKilled(outputDir: string): Promise<Report | undefined> {
  const copy = await mkdtemp(path.join(tmpdir(), 'killed-'));
  try {
    await cp(outputDir, copy, { recursive: true });
    return await mergeJournals([copy]);
  } catch {
    return undefined;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** When something happened, in simulated milliseconds. */
interface Times {
  ready?: number;
  /** Last. */
  replayed?: number;
  ended?: number;
}

function mostMs({ sessions, runs, workers }: Fate): number {
  const calls = Math.ceil((Object.keys(sessions).length * runs) / workers);
  return READY_MS + (calls * ((1 + RETRIES) * CALL_MS + TRACE_MS) + PAUSES_MS) * TENTH + LAST_MS;
}

function deadlines(fate: Fate, { ready, replayed = Infinity, ended = Infinity }: Times): string[] {
  const { signalAt = Infinity, totalMs = Infinity } = fate;
  const limits = {
    'it was ready': ready === undefined ? READY_MS * TENTH : Infinity,
    'all deadlines': mostMs(fate),
    'its last replay': replayed + LAST_MS,
    'its total time': (ready ?? Infinity) + totalMs * TENTH + OVER_MS,
    'the signal': signalAt + CANCELLED_MS,
  };
  return Object.entries(limits).flatMap(([name, most]) =>
    ended > most ? [`it ended after ${Math.round(ended)} ms, by ${name} at most ${Math.round(most)}`] : [],
  );
}

/** What the report says and is not so. Doubt is no lie. */
function untrue({ sessions }: Fate, { results }: Report, when = ''): string[] {
  const wrong: string[] = [];
  const others = Object.values(sessions).filter((each) => each === 'other').length;
  if (results.status === 'passed' && others > 0) wrong.push(`${when}passed, although ${others} sessions changed`);
  if (results.status === 'failed' && others === 0) wrong.push(`${when}failed, although nothing changed`);
  for (const { id, verdict } of results.sessions) {
    const truth = sessions[id];
    if (truth === undefined) wrong.push(`${when}${id} is nobody's`);
    if (verdict === outcomes.asRecorded && truth === 'other') wrong.push(`${when}${id} is called as recorded`);
    if (verdict === outcomes.changed && truth === 'same') wrong.push(`${when}${id} is called changed`);
  }
  if (when === '' && results.sessions.length !== Object.keys(sessions).length)
    wrong.push(`${results.sessions.length} sessions are in the report`);
  return wrong;
}

async function startAgent(world: World, fate: Fate): Promise<void> {
  const { chance } = world;
  const server = http.createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.end('ready');
    const body = await wholeBody(request, 2 ** 20).catch(() => undefined);
    if (body === undefined) return;
    const { input, svc_replay_run_id: runId } = parseJson(body.toString()) as Record<string, string>;
    if (input === undefined || runId === undefined) return void response.writeHead(400).end();
    const thinkMs = chance.is(fate.bad) ? chance.among(0, 2 * CALL_MS) : chance.among(0, 500);
    const trace = String(world.elapsedMs).replace('.', '') + runId.slice(-8);
    const how = chance.is(fate.bad) ? chance.of(['503', 'torn', 'garbage', 'never']) : 'answers';
    if (how !== '503') {
      for (const spans of exportsOf(input, fate.sessions[input] === 'other' ? 'remove' : 'search')) {
        if (chance.is(fate.bad)) continue;
        const atMs = chance.among(0, thinkMs + 400) + (chance.is(fate.bad) ? chance.among(0, 2 * TRACE_MS) : 0);
        const text = exportOf(...spans.map((span) => ofRun(span, trace, runId)));
        for (let copies = chance.is(fate.bad) ? 2 : 1; copies > 0; copies--)
          world.after(atMs + copies, () => post(RECEIVER, PATHS[0]!, text));
      }
    }
    world.after(thinkMs, () => {
      const text = JSON.stringify({ output: 'found' });
      response.setHeader('content-type', 'application/json');
      if (how === '503') response.writeHead(503, { 'retry-after': '1' }).end('{}');
      else if (how === 'garbage') response.end(text.slice(0, -2));
      else if (how === 'torn') {
        response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, 5));
        world.after(5, () => response.destroy());
      } else if (how === 'answers') response.end(text);
    });
  });
  if (fate.isAbsent) return;
  server.listen(AGENT);
  if (chance.is(fate.bad)) world.crash(AGENT, chance.among(0, 30_000));
}

function ofRun(span: SpanOptions, trace: string, runId: string): SpanOptions {
  const attributes = { ...span.attributes, 'langfuse.trace.metadata.svc_replay_run_id': runId };
  return { ...span, trace, startMs: Date.now(), attributes };
}

/** Sends it and forgets it. */
function post(port: number, to: string, text: string): void {
  const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json' };
  http
    .request({ host: '127.0.0.1', port, path: to, method: 'POST', headers, agent: false }, (response) => {
      response.on('error', () => {}).resume();
    })
    .on('error', () => {})
    .end(text);
}

async function startPlatform(world: World, fate: Fate): Promise<void> {
  process.env.LANGFUSE_HOST = `http://127.0.0.1:${PLATFORM}`;
  process.env.LANGFUSE_PUBLIC_KEY = KEYS.publicKey;
  process.env.LANGFUSE_SECRET_KEY = KEYS.secretKey;
  const { chance } = world;
  http
    .createServer((request, response) => {
      request.on('error', () => {}).resume();
      const status = chance.is(fate.bad) ? chance.of([401, 429, 500, 200]) : 200;
      if (!chance.is(fate.bad)) world.after(chance.among(0, 200), () => response.writeHead(status).end('{}'));
    })
    .listen(PLATFORM);
}

/** Strangers, half requests, and crashes at any time. */
function trouble(world: World, fate: Fate): void {
  const { chance } = world;
  const sendHalf = (port: number) => {
    const key = chance.is(0.7) ? `authorization: ${AUTHORIZATION}\r\n` : '';
    const head = `POST ${chance.of(PATHS)} HTTP/1.1\r\nhost: a\r\n${key}content-type: application/json\r\ncontent-length: 999\r\n`;
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {}).resume();
    socket.write(chance.is(0.8) ? `${head}\r\n{"resource` : head.slice(0, chance.among(1, head.length)));
    if (chance.is(0.3)) world.after(chance.among(0, 20_000), () => socket.destroy());
  };
  for (let times = 20; times > 0; times--) {
    if (chance.is(fate.bad)) world.after(chance.among(0, 30_000), () => sendHalf(chance.of([RECEIVER, AGENT])));
  }
  if (chance.is(fate.bad)) world.after(chance.among(0, 40_000), () => world.crash(AGENT, chance.among(0, 60_000)));
}
