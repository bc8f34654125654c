// Shards of the published command, as processes, on one machine: what a shard's plan takes among many pins, whether killed
// and restarted shards come to the verdict of one run, what merging takes, and how even the shares are. Needs
// `npm run build` in the root.
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
const SESSIONS = many(500, 20);
const SHARDS = many(50, 4);
const KILLED = many(5, 1);
const AT_ONCE = 8;
/** Of a pin. */
const BYTES = 12_000;
const BIN = fileURLToPath(new URL('../bin/agent-replay.js', import.meta.url));
const PEAK = fileURLToPath(new URL('peak.js', import.meta.url));

interface Took {
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

async function run(cwd: string, args: readonly string[], isKilled = false): Promise<Took> {
  const file = path.join(cwd, `peak-${args.join(' ').replaceAll('/', ' ')}.json`);
  const child = spawn(process.execPath, ['--import', PEAK, BIN, ...args], {
    cwd,
    env: { ...process.env, PEAK_FILE: file },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  if (isKilled) {
    const journal = path.join(cwd, args.at(-1) as string, 'journal.ndjson');
    const hasBegun = async () => (await readFile(journal, 'utf8').catch(() => '')).includes('"type":"result"');
    while (child.exitCode === null && !(await hasBegun())) await new Promise(setImmediate);
    child.kill('SIGKILL');
    await ended;
    return run(cwd, args);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return JSON.parse(await readFile(file, 'utf8'));
}

async function resultsOf(folder: string): Promise<string> {
  return JSON.stringify(JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')).results);
}

await using agent = await agentFor({ latencyMs: 20 });
const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-shards-'));
try {
  const [few, large, replayed] = await Promise.all([
    project(path.join(folder, 'few'), agent.url, FEW),
    project(path.join(folder, 'many'), agent.url, MANY),
    project(path.join(folder, 'replayed'), agent.url, SESSIONS),
  ]);
  // Each shard has ten pins of its own.
  const planned = (root: string, pins: number) => run(root, ['run', '--dry-run', '--shard', `1/${pins / 10}`]);
  const plans = {
    few: await planned(few, FEW),
    unlocked: await planned(large, MANY),
    locked: { cpuMs: 0, peakMiB: 0 },
  };
  await keepPinLock(await loadConfig({ cwd: large }));
  plans.locked = await planned(large, MANY);

  await keepPinLock(await loadConfig({ cwd: replayed }));
  await run(replayed, ['run', '--quiet', '--output-dir', 'whole']);
  const waiting = Array.from({ length: SHARDS }, (_, index) => index + 1);
  const worker = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const args = ['run', '--quiet', '--shard', `${index}/${SHARDS}`, '--output-dir', `shards/${index}`];
      await run(replayed, args, index <= KILLED);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const merged = await run(replayed, ['merge', 'shards', '--output-dir', 'merged']);
  if ((await resultsOf(path.join(replayed, 'whole'))) !== (await resultsOf(path.join(replayed, 'merged'))))
    throw new Error('the shards came to another verdict than one run');

  const shares = durations(SESSIONS).map((seconds, index) => ({ path: `${index}`, seconds }));
  const loads = Array.from({ length: SHARDS }, (_, index) =>
    shareOf(shares, { index: index + 1, count: SHARDS }).reduce(
      (sum, each) => sum + (shares[Number(each)]?.seconds ?? 0),
      0,
    ),
  );
  // No shard can end before the longest session.
  const ideal = Math.max(loads.reduce((sum, load) => sum + load, 0) / SHARDS, ...shares.map(({ seconds }) => seconds));
  const evenness = Math.max(...loads) / ideal;
  record('shards', { plans, merged, evenness });
  const row = (name: string, { cpuMs, peakMiB }: Took) => [
    name,
    `${(cpuMs / 1_000).toFixed(2)} s`,
    `${peakMiB.toFixed(0)} MiB`,
  ];
  console.log(
    markdownTable([
      ['', 'CPU', 'peak memory'],
      row(`the plan of a shard, ${FEW} pins`, plans.few),
      row(`${MANY} pins, without pins.lock`, plans.unlocked),
      row(`${MANY} pins, with it`, plans.locked),
      row(`merging ${SHARDS} shards of ${SESSIONS} sessions, ${KILLED} killed once`, merged),
    ]),
  );
  console.log(`the longest shard over the shortest that is possible, by the recordings: ${evenness.toFixed(2)}`);
} finally {
  await rm(folder, { recursive: true });
}
