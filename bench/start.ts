// Runs every benchmark, one after another: `npm start`, or some of them: `npm start replay long`. Each prints its own
// table and stores its figures in results.json, from which the table at the top of README.md is made. `npm start --
// --quick` runs each once, stores nothing, and fails if one no longer works; CI does that.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { writeTable } from './table.ts';

const BENCHMARKS: Readonly<Record<string, readonly string[]>> = {
  replay: ['replay.ts'],
  long: ['long.ts'],
  compare: ['compare.ts'],
  platform: ['platform.ts'],
  receiver: ['receiver.ts'],
  spans: ['--expose-gc', 'receiver.ts', 'memory'],
  tools: ['--expose-gc', 'tools.ts'],
  action: ['action.ts'],
  install: ['install.ts'],
  report: ['report.ts'],
  shards: ['shards.ts'],
  vitest: ['vitest.ts'],
  commands: ['peers/peers.ts'],
  version: ['peers/start.ts'],
};
const isQuick = process.argv.includes('--quick');
const asked = process.argv.slice(2).filter((name) => name !== '--quick');
const unknown = asked.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) throw new Error(`no such benchmark: ${unknown}; there are ${Object.keys(BENCHMARKS)}`);

for (const [name, args] of Object.entries(BENCHMARKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  if (args[0]?.startsWith('peers/') && !existsSync(path.join(import.meta.dirname, 'peers', 'node_modules'))) {
    console.log(`\n${name}: left out; npm ci in bench/peers installs what it measures`);
    continue;
  }
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...(isQuick && { BENCH_QUICK: '1' }) },
    stdio: 'inherit',
  });
  if (status === 0) continue;
  console.error(`${name} failed`);
  process.exitCode = 1;
}
if (!isQuick) writeTable();
