// Wall time, CPU and memory of replaying, against the least that the same calls take: a bare keep-alive loop.
// `node replay.ts`, or `node replay.ts memory SESSIONS RUNS SOURCE` for one measurement of memory in its own process.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { agentOptions, type RunningAgent, startAgent } from '../src/agent/index.ts';
import { type ReplaySession, replayOptions, replaySessions } from '../src/replay/index.ts';
import { type Receiver, startReceiver } from '../src/tracing/index.ts';

interface Shape {
  readonly sessions: number;
  readonly runs: number;
  readonly latencyMs: number;
  readonly workers: number;
  readonly answerBytes?: number;
}

const SHAPES: readonly Shape[] = [
  { sessions: 1, runs: 1, latencyMs: 0, workers: 1 },
  { sessions: 20, runs: 5, latencyMs: 200, workers: 16 },
  { sessions: 100, runs: 10, latencyMs: 20, workers: 16 },
  { sessions: 100, runs: 10, latencyMs: 0, workers: 16 },
];
const ROUNDS = 7;
const MESSAGES = [{ role: 'user', content: 'Where is my order 1234? '.repeat(20) }];
const [mode, ...args] = process.argv.slice(2);

if (mode === 'memory') await memory(Number(args[0]), Number(args[1]), args[2] === 'traces');
else await speed();

async function speed(): Promise<void> {
  console.log('| sessions x runs | agent | bare loop | responses only | CPU a call | with traces |');
  console.log('|---|---|---|---|---|---|');
  for (const shape of SHAPES) {
    const [bare, plain, traced]: [Measured[], Measured[], Measured[]] = [[], [], []];
    await using receiver = await startReceiver();
    await using silent = await agentFor(shape);
    await using tracing = await agentFor(shape, receiver);
    for (let round = 0; round <= ROUNDS; round++) {
      // One after another in each round, so that a busy machine is unfair to none. The first round warms up.
      const first = await measure(() => bareLoop(silent.url, shape));
      const second = await measure(() => replay(silent.url, shape, null));
      const third = await measure(() => replay(tracing.url, shape, receiver));
      if (round === 0) continue;
      bare.push(first);
      plain.push(second);
      traced.push(third);
    }
    const calls = shape.sessions * shape.runs;
    const ratio = (all: Measured[]) => (median(all, 'ms') / median(bare, 'ms')).toFixed(2);
    const cpu = ((median(plain, 'cpuMs') - median(bare, 'cpuMs')) / calls).toFixed(2);
    console.log(
      `| ${shape.sessions} x ${shape.runs}, ${shape.workers} workers | ${shape.latencyMs} ms ` +
        `| ${median(bare, 'ms').toFixed(0)} ms | ${ratio(plain)} | ${(median(plain, 'cpuMs') / calls).toFixed(2)} ms, ${cpu} ms more than bare | ${ratio(traced)} |`,
    );
  }
  console.log('\n| answers of 50 KB | peak memory, responses only | with traces |\n|---|---|---|');
  for (const [sessions, runs] of [
    [20, 10],
    [200, 20],
    [200, 100],
  ] as const) {
    const peak = (source: string) =>
      execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'memory', `${sessions}`, `${runs}`, source]);
    console.log(`| ${sessions} x ${runs} | ${peak('responses')} MiB | ${peak('traces')} MiB |`);
  }
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using agent = await agentFor(SHAPES[3]!);
    const readyAt = Date.now();
    delays.push(readyAt - Number(await (await fetch(agent.url)).text()));
  }
  console.log(`\nReady is noticed ${delays.sort((a, b) => a - b)[ROUNDS >> 1]} ms after the agent listens.`);
}

/** Prints the peak of this process, which does nothing else. */
async function memory(sessions: number, runs: number, hasTraces: boolean): Promise<void> {
  const shape = { sessions, runs, latencyMs: 5, workers: 16, answerBytes: 50_000 };
  await using receiver = await startReceiver();
  await using agent = await agentFor(shape, hasTraces ? receiver : undefined);
  await replay(agent.url, shape, hasTraces ? receiver : null);
  process.stdout.write((process.resourceUsage().maxRSS / 1024).toFixed(0));
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

function median(all: readonly Measured[], key: keyof Measured): number {
  return all.map((one) => one[key]).sort((a, b) => a - b)[all.length >> 1]!;
}

async function agentFor({ latencyMs, answerBytes }: Shape, receiver?: Receiver): Promise<RunningAgent> {
  const port = await freePort();
  const options = agentOptions.parse({
    command: `exec "${process.execPath}" "${fileURLToPath(new URL('./agent.ts', import.meta.url))}"`,
    url: `http://127.0.0.1:${port}/replay`,
    env: { PORT: `${port}`, LATENCY_MS: `${latencyMs}`, ANSWER_BYTES: `${answerBytes ?? 20}` },
  });
  return startAgent(options, { env: receiver?.environment() ?? {} });
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
  const sessions: ReplaySession[] = Array.from({ length: count }, (_, index) => ({
    id: `session-${index}`,
    turns: [{ turn: 1, request: { messages: MESSAGES } }],
  }));
  const settings = replayOptions.parse({ runs, workers });
  for await (const { outcome } of replaySessions(sessions, { target: url, source, settings })) {
    if (outcome.kind === 'inconclusive') throw outcome.error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
