import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const FILE = path.join(import.meta.dirname, 'results.json');

/**
 * With `npm start -- --quick` each benchmark runs once, to show that it still works. Such figures mean nothing, and are
 * not kept.
 */
const IS_QUICK = process.env.BENCH_QUICK === '1';

/** How often something is measured, or how much of it there is. */
export function many(count: number, quick = 1): number {
  return IS_QUICK ? Math.min(count, quick) : count;
}

/** The result of one benchmark, and the machine and commit that it measured. */
interface Entry {
  readonly at: string;
  /** The commit of the sources, abbreviated. */
  readonly commit: string;
  readonly machine: string;
  /** Average load of the last minute, at the end. Above 2 on two cores, other processes were at work, too. */
  readonly load: string;
  readonly figures: unknown;
}

/** Stores the result of a benchmark, in place of its earlier one. */
export function record(name: string, figures: unknown): void {
  if (IS_QUICK) return;
  const machine = `${os.cpus().length} cores, Node ${process.versions.node}`;
  const [load = 0] = os.loadavg();
  const commit = execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }).trim();
  const entry: Entry = { at: new Date().toISOString().slice(0, 16), commit, machine, load: load.toFixed(1), figures };
  writeFileSync(FILE, `${JSON.stringify({ ...results(), [name]: entry }, null, 2)}\n`);
}

/** All stored results, by benchmark. */
export function results(): Record<string, Entry> {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** The ratio to the least time, by round: other work of the machine slows both. */
export function ratiosOf(times: readonly number[], least: readonly number[]): number[] {
  return times.map((ms, round) => ms / (least[round] ?? Number.NaN));
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
