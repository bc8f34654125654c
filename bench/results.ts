import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const FILE = path.join(import.meta.dirname, 'results.json');

/** `npm start -- --quick`: each benchmark once through, to see that it still runs. Such figures say nothing, and are not kept. */
const IS_QUICK = process.env.BENCH_QUICK === '1';

/** How often something is measured, or how much of it there is. */
export function many(count: number, quick = 1): number {
  return IS_QUICK ? Math.min(count, quick) : count;
}

/** What one benchmark measured, and on what. */
interface Entry {
  readonly at: string;
  /** Of the sources, abbreviated. */
  readonly commit: string;
  readonly machine: string;
  /** Average load of the last minute, when it ended: above 2 cores' worth, others were at work too. */
  readonly load: string;
  readonly figures: unknown;
}

/** Notes down what a benchmark measured, in place of what it measured before. */
export function record(name: string, figures: unknown): void {
  if (IS_QUICK) return;
  const machine = `${os.cpus().length} cores, Node ${process.versions.node}`;
  const [load = 0] = os.loadavg();
  const commit = execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }).trim();
  const entry: Entry = { at: new Date().toISOString().slice(0, 16), commit, machine, load: load.toFixed(1), figures };
  writeFileSync(FILE, `${JSON.stringify({ ...results(), [name]: entry }, null, 2)}\n`);
}

/** All that was noted down, by benchmark. */
export function results(): Record<string, Entry> {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** Over the least, by round: what the machine does besides holds up both. */
export function ratiosOf(times: readonly number[], least: readonly number[]): number[] {
  return times.map((ms, round) => ms / (least[round] ?? Number.NaN));
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
