// Measures replaying in one process, beside the least that the same calls take: a bare keep-alive loop with as many
// calls in flight. With traces, the loop calls the same agent, which exports to a sink.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { markdownTable } from 'markdown-table';
import { Pool } from 'undici';
import { type ReplayRequests, replayOptions, replaySessions } from '../src/replay/index.ts';
import { type Receiver, startReceiver } from '../src/tracing/index.ts';
import { agentFor } from './agent-for.ts';
import { many, medianOf, record } from './results.ts';

interface Shape {
  readonly sessions: number;
  readonly runs: number;
  readonly latencyMs: number;
  readonly workers: number;
  readonly rounds: number;
}

const SHAPES: readonly Shape[] = [
  { sessions: 1, runs: 1, latencyMs: 0, workers: 1, rounds: 15 },
  { sessions: 20, runs: 5, latencyMs: 200, workers: 16, rounds: 7 },
  { sessions: 100, runs: 10, latencyMs: 20, workers: 16, rounds: 7 },
  { sessions: 100, runs: 10, latencyMs: 0, workers: 16, rounds: 15 },
  { sessions: 500, runs: 20, latencyMs: 20, workers: 16, rounds: 1 },
];
/** The address that the agent exports to. */
const ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const READY_ROUNDS = many(7);
const MESSAGES = [{ role: 'user', content: 'Where is my order 1234? '.repeat(20) }];

const loops = [];
for (const shape of SHAPES) {
  await using receiver = await startReceiver();
  await using sink = await startSink();
  await using silent = await agentFor(shape);
  await using tracing = await agentFor(shape, receiver.environment());
  await using exporting = await agentFor(shape, { ...receiver.environment(), [ENDPOINT]: sink.url });
  const arms = {
    bare: () => bareLoop(silent.url, shape),
    plain: () => replay(silent.url, shape, null),
    bareExporting: () => bareLoop(exporting.url, shape),
    traced: () => replay(tracing.url, shape, receiver),
  };
  const taken = new Map<string, Measured[]>(Object.keys(arms).map((name) => [name, []]));
  for (let round = 0; round <= many(shape.rounds); round++) {
    // Each round runs all of them in turn, so that a busy machine treats all alike. The first round is a warm-up.
    for (const [name, work] of Object.entries(arms)) {
      const took = await measure(work);
      if (round > 0) taken.get(name)?.push(took);
    }
  }
  const median = (arm: keyof typeof arms, key: keyof Measured) =>
    medianOf(taken.get(arm)?.map((took) => took[key]) ?? []);
  const calls = shape.sessions * shape.runs;
  loops.push({
    shape,
    bareMs: median('bare', 'ms'),
    ratio: median('plain', 'ms') / median('bare', 'ms'),
    cpuMs: median('plain', 'cpuMs') / calls,
    bareCpuMs: median('bare', 'cpuMs') / calls,
    bareExportingMs: median('bareExporting', 'ms'),
    tracedMs: median('traced', 'ms'),
  });
}
record('loops', loops);
console.log(
  markdownTable([
    ['calls', 'bare loop', 'responses only, over it', 'CPU a call', 'exporting to a sink', 'with traces, over that'],
    ...loops.map(({ shape, bareMs, ratio, cpuMs, bareCpuMs, bareExportingMs, tracedMs }) => [
      `${shape.sessions} x ${shape.runs}, ${shape.latencyMs} ms, ${shape.workers} workers`,
      `${bareMs.toFixed(0)} ms`,
      ratio.toFixed(2),
      `${cpuMs.toFixed(2)} ms, ${(cpuMs - bareCpuMs).toFixed(2)} ms more than bare`,
      `${bareExportingMs.toFixed(0)} ms`,
      (tracedMs / bareExportingMs).toFixed(2),
    ]),
  ]),
);

const delays: number[] = [];
for (let round = 0; round < READY_ROUNDS; round++) {
  await using agent = await agentFor({ latencyMs: 0 });
  const readyAt = Date.now();
  delays.push(readyAt - Number(await (await fetch(agent.url)).text()));
}
record('ready', { ms: medianOf(delays) });
console.log(`\nReady is noticed ${medianOf(delays)} ms after the agent listens.`);

/** A sink: takes traces, and does nothing with them. */
async function startSink() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
}

async function measure(work: () => Promise<void>): Promise<Measured> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
}

async function bareLoop(url: string, { sessions, runs, workers }: Shape): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: workers });
  let left = sessions * runs;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const body = JSON.stringify({ messages: MESSAGES, is_replay: true, svc_replay_run_id: `r${left}` });
      const headers = { 'content-type': 'application/json' };
      const response = await pool.request({ path, method: 'POST', headers, body });
      JSON.parse(await response.body.text());
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  await pool.close();
}

async function replay(url: string, shape: Shape, source: Receiver | null): Promise<void> {
  const { sessions: count, runs, workers } = shape;
  const sessions: ReplayRequests[] = Array.from({ length: count }, (_, index) => ({
    id: `session-${index}`,
    turns: [{ turn: 1, request: { messages: MESSAGES } }],
  }));
  const settings = replayOptions.parse({ runs, workers });
  for await (const { outcome } of replaySessions(sessions, { target: url, source, settings })) {
    if (outcome.kind === 'unverified') throw outcome.error;
  }
}
