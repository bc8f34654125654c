// A long run of the published command, as a process: 500 sessions, 20 runs each, an agent of 20 ms, 16 workers.
// Measures peak memory, CPU time per call, and whether the fifth run with a history is slower than the first. Needs
// `npm run build` in the root.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { markdownTable } from 'markdown-table';
import { agentFor } from './agent-for.ts';
import { many, record } from './results.ts';

const SESSIONS = many(500, 50);
const RUNS = 20;
const LATENCY_MS = 20;
const WORKERS = 16;
const BIN = fileURLToPath(new URL('../bin/agent-replay.js', import.meta.url));

interface Took {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
}

async function runs(answerBytes: number, rounds: number): Promise<Took[]> {
  await using agent = await agentFor({ latencyMs: LATENCY_MS, answerBytes });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-long-'));
  try {
    const config = { agent: { url: agent.url }, sessions: '*.session.json', tracing: 'none' };
    await writeFile(
      path.join(folder, 'agent-replay.config.json'),
      JSON.stringify({ ...config, runs: RUNS, workers: WORKERS }),
    );
    for (let session = 0; session < SESSIONS; session++) {
      const recorded = { output: 'x'.repeat(answerBytes), observations: [] };
      const pin = { version: 1, id: `s${session}`, turns: [{ request: { input: `question ${session}` }, recorded }] };
      await writeFile(path.join(folder, `${session}.session.json`), JSON.stringify(pin));
    }
    const took: Took[] = [];
    for (let round = 0; round < many(rounds); round++) took.push(await run(folder));
    return took;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function run(folder: string): Promise<Took> {
  const file = path.join(folder, 'peak.json');
  const peak = fileURLToPath(new URL('peak.js', import.meta.url));
  const args = ['--import', peak, BIN, 'run', '--quiet', '--history', 'history.ndjson'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, PEAK_FILE: file },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the run ended with ${code}`);
  return { ms: performance.now() - startedAt, ...JSON.parse(await readFile(file, 'utf8')) };
}

const limit = (Math.ceil((SESSIONS * RUNS) / WORKERS) * LATENCY_MS) / 1_000;
const figures = { small: await runs(20, 5), large: await runs(50_000, 1) };
record('long', figures);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const row = (name: string, { ms, cpuMs, peakMiB }: Took) => [
  name,
  seconds(ms),
  (ms / 1_000 / limit).toFixed(2),
  `${(cpuMs / (SESSIONS * RUNS)).toFixed(2)} ms`,
  `${peakMiB.toFixed(0)} MiB`,
];
console.log(
  markdownTable([
    [`${SESSIONS} x ${RUNS}, at least ${limit} s`, 'time', 'over that', 'CPU a call', 'peak memory'],
    ...figures.small.map((took, index) => row(`answers of 20 bytes, run ${index + 1} over the same history`, took)),
    ...figures.large.map((took) => row('answers of 50 KB', took)),
  ]),
);
