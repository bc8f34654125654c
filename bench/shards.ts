// Shards of the published command, as processes, on one machine: what a shard takes until its first request among many
// pins, whether killed and restarted shards come to the verdict of one run, how merging grows with their number, and how
// even the shares are. Needs `npm run build` in the root.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { markdownTable } from 'markdown-table';
import { loadConfig } from '../src/config/index.ts';
import { keepPinLock } from '../src/job/index.ts';
import { shareOf } from '../src/job/running/share.ts';
import { agentFor } from './agent-for.ts';
import { many, record } from './results.ts';

const FEW = many(100, 20);
const MANY = many(10_000, 200);
const VERY_MANY = many(50_000, 400);
const SESSIONS = many(5_000, 20);
const SHARDS = many(500, 4);
const KILLED = many(50, 1);
const AT_ONCE = 8;
/** Of a pin. */
const BYTES = 12_000;
const BIN = fileURLToPath(new URL('../bin/agent-replay.js', import.meta.url));
const PEAK = fileURLToPath(new URL('peak.js', import.meta.url));

interface Took {
  /** Until its first request. */
  readonly startMs?: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
}

/** Seconds of a session: log-normal, the same each time. */
function durations(count: number): number[] {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return Array.from({ length: count }, () =>
    Math.exp(1 + Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())),
  );
}

async function project(root: string, url: string, count: number): Promise<string> {
  await mkdir(path.join(root, 'replays'), { recursive: true });
  await writeFile(
    path.join(root, 'agent-replay.config.json'),
    JSON.stringify({ agent: { url }, tracing: 'none', runs: 1 }),
  );
  for (const [index, seconds] of durations(count).entries()) {
    const startTime = '2026-01-01T00:00:00.000Z';
    const endTime = new Date(Date.parse(startTime) + seconds * 1_000).toISOString();
    const step = {
      id: 'root',
      parentId: null,
      type: 'agent',
      name: 'agent',
      startTime,
      endTime,
      input: 'y'.repeat(BYTES),
    };
    const recorded = { output: 'x'.repeat(20), observations: [step] };
    const pin = { version: 1, id: `s${index}`, turns: [{ request: { input: `question ${index}` }, recorded }] };
    await writeFile(path.join(root, 'replays', `${index}.session.json`), JSON.stringify(pin, null, 2));
  }
  return root;
}

let runs = 0;
/** Kills that came before the end. */
let hits = 0;

async function run(
  cwd: string,
  args: readonly string[],
  { isKilled = false, code: expected = 0 }: { readonly isKilled?: boolean; readonly code?: number } = {},
): Promise<Took> {
  const file = path.join(cwd, `peak-${runs++}.json`);
  const child = spawn(process.execPath, ['--import', PEAK, BIN, ...args], {
    cwd,
    env: { ...process.env, PEAK_FILE: file },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  const ended = once(child, 'close');
  if (isKilled) {
    const journal = path.join(cwd, args.at(-1) as string, 'journal.ndjson');
    const hasBegun = async () => (await readFile(journal, 'utf8').catch(() => '')).includes('"type":"result"');
    while (child.exitCode === null && !(await hasBegun())) await new Promise(setImmediate);
    child.kill('SIGKILL');
    const [, signal] = await ended;
    if (signal === 'SIGKILL') hits++;
    return run(cwd, args);
  }
  const [code] = await ended;
  if (code !== expected) throw new Error(`${args.join(' ')} ended with ${code}: ${told}`);
  return JSON.parse(await readFile(file, 'utf8'));
}

async function resultsOf(folder: string): Promise<string> {
  return JSON.stringify(JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')).results);
}

await using agent = await agentFor({ latencyMs: 20 });
const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-shards-'));
try {
  /** The best of three, each with ten pins of its own. */
  const started = async (root: string, pins: number) => {
    const args = ['run', '--quiet', '--shard', `1/${pins / 10}`, '--output-dir', 'out'];
    const took = [await run(root, args), await run(root, args), await run(root, args)];
    return took.reduce((best, each) => ((each.startMs ?? 0) < (best.startMs ?? 0) ? each : best));
  };
  const starts = new Map<string, Took>();
  for (const pins of [FEW, MANY, VERY_MANY]) {
    const root = await project(path.join(folder, `${pins}`), agent.url, pins);
    if (pins === MANY) starts.set(`${pins} pins, without pins.lock`, await started(root, pins));
    await keepPinLock(await loadConfig({ cwd: root }));
    starts.set(`${pins} pins`, await started(root, pins));
  }

  const replayed = await project(path.join(folder, 'replayed'), agent.url, SESSIONS);
  await keepPinLock(await loadConfig({ cwd: replayed }));
  await run(replayed, ['run', '--quiet', '--output-dir', 'whole']);
  const waiting = Array.from({ length: SHARDS }, (_, index) => index + 1);
  const worker = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const args = ['run', '--quiet', '--shard', `${index}/${SHARDS}`, '--output-dir', `shards/${index}`];
      await run(replayed, args, { isKilled: index <= KILLED });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  /** Of a quarter, of half and of all of them: those that are missing make it end with 2. */
  const merges = new Map<string, Took>();
  for (const part of [4, 2, 1]) {
    const count = SHARDS / part;
    const folders = Array.from({ length: count }, (_, index) => `shards/${index + 1}`);
    merges.set(
      `merging ${count} shards`,
      await run(replayed, ['merge', ...folders, '--output-dir', 'merged'], { code: part === 1 ? 0 : 2 }),
    );
  }
  if ((await resultsOf(path.join(replayed, 'whole'))) !== (await resultsOf(path.join(replayed, 'merged'))))
    throw new Error('the shards came to another verdict than one run');

  const took = durations(SESSIONS);
  const loads = Array.from({ length: SHARDS }, (_, index) =>
    shareOf(
      took.map((seconds) => Math.round(seconds * 1_000)),
      { index: index + 1, count: SHARDS },
    ).reduce((sum, place) => sum + (took[place] ?? 0), 0),
  );
  // No shard can end before the longest session.
  const ideal = Math.max(loads.reduce((sum, load) => sum + load, 0) / SHARDS, ...took);
  const evenness = Math.max(...loads) / ideal;
  record('shards', { kills: hits, starts: Object.fromEntries(starts), merges: Object.fromEntries(merges), evenness });
  const row = ([name, { startMs, cpuMs, peakMiB }]: [string, Took]) => [
    name,
    `${((startMs ?? cpuMs) / 1_000).toFixed(2)} s`,
    `${peakMiB.toFixed(0)} MiB`,
  ];
  console.log(
    markdownTable([
      ['', 'CPU', 'peak memory'],
      ...[...starts].map(([name, took]) => row([`a shard until its first request, ${name}`, took])),
      ...[...merges].map(row),
    ]),
  );
  console.log(`${hits} of ${KILLED} kills came before the end of a shard`);
  console.log(`the longest shard over the shortest that is possible, by the recordings: ${evenness.toFixed(2)}`);
} finally {
  await rm(folder, { recursive: true, maxRetries: 9 });
}
