// Measures how many model calls --stop-early saves, by how often a session's runs diverge. `node stop-early.ts` prints
// a Markdown table. Each row first runs in full, because the status must be the same.
import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseConfig } from '../src/config/index.ts';
import { runJob } from '../src/job/index.ts';
import { many, record } from './results.ts';

const SESSIONS = many(40, 4);
const RUNS = [5, 20] as const;
/** The share of each session's runs that diverge. */
const RATES = [0, 0.02, 0.1, 0.3, 1] as const;
const WORKERS = 8;
const LATENCY_MS = 10;

/** A run depends only on its session and number, so every replay of it is the same. */
let rate = 0;
const server = createServer(async (request, response) => {
  // The first request only asks whether the agent is ready.
  if (request.method === 'GET') return void response.end();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { input, svc_replay_run_id: runId } = JSON.parse(Buffer.concat(chunks).toString());
  const run = /\.r(\d+)$/.exec(runId)?.[1];
  const chance = Number.parseInt(hash('sha256', `${input} ${run}`, 'hex').slice(0, 8), 16) / 2 ** 32;
  setTimeout(() => response.end(JSON.stringify({ output: { way: chance < rate ? 1 : 0 } })), LATENCY_MS);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const root = await mkdtemp(path.join(tmpdir(), 'agent-replay-'));
for (let session = 0; session < SESSIONS; session++) {
  const turn = { request: { input: `question ${session}` }, recorded: { output: { way: 0 }, observations: [] } };
  await writeFile(
    path.join(root, `${session}.session.json`),
    JSON.stringify({ version: 1, id: `s${session}`, turns: [turn] }),
  );
}

async function replayed(runs: number, stopEarly?: 'status' | 'verdict') {
  const { port } = server.address() as AddressInfo;
  const config = parseConfig(
    {
      agent: { url: `http://127.0.0.1:${port}/replay` },
      ...{ sessions: '*.session.json', tracing: 'none', runs, workers: WORKERS, stopEarly },
    },
    { folder: root },
  );
  const { results, evidence } = await runJob(config);
  return { status: results.status, title: results.title, calls: evidence.usage.calls };
}

console.log(
  `| runs that diverge | ${RUNS.map((runs) => `${runs} runs, status | ${runs} runs, verdict`).join(' | ')} |`,
);
console.log(`|---|${'---|---|'.repeat(RUNS.length)}`);
const saved: object[] = [];
for (const each of RATES) {
  rate = each;
  const cells: string[] = [];
  for (const runs of RUNS) {
    const full = await replayed(runs);
    for (const mode of ['status', 'verdict'] as const) {
      const stopped = await replayed(runs, mode);
      if (stopped.status !== full.status || stopped.title !== full.title) {
        throw new Error(`stopped: ${stopped.title}; in full: ${full.title}`);
      }
      const share = 1 - stopped.calls / full.calls;
      saved.push({ rate, runs, mode, share });
      cells.push(`${Math.round(share * 100)} %`);
    }
  }
  console.log(`| ${each * 100} % | ${cells.join(' | ')} |`);
}
record('stop-early', saved);
server.close();
await rm(root, { recursive: true });
