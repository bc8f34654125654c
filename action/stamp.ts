import type { Status } from '../src/rims.ts';

/** One run of a job, as its comment stores it. */
export interface Run {
  readonly status: Status;
  /**
   * The number of the run in its workflow, which people see. It cannot order runs: a second workflow of the same name
   * counts anew.
   */
  readonly number: number;
  /** Counts reruns of one run, from 1. */
  readonly attempt: number;
  /** The id in addresses. GitHub raises it with each new run; a rerun keeps it. */
  readonly id: number;
  /** First 7 characters of the commit. */
  readonly sha: string;
}

/** Oldest first. */
export type Runs = readonly [...Run[], Run];

/** The hidden head of a comment, or of one section of it: the step that it belongs to, and its last runs. */
export interface Stamp {
  /** 12 or 24 hexadecimal digits. */
  readonly key: string;
  readonly runs: Runs;
  /** The seal of the last run's files, 64 hexadecimal digits. Absent when that run left no report. */
  readonly seal?: string | undefined;
}

/** A reader takes in no more at a glance. */
const MAX_RUNS = 5;
const RUN = /^(passed|failed|error|interrupted):(\d{1,9})\.(\d{1,6}):(\d{1,15}):([0-9a-f]{7})$/;

const STAMP = /^<!-- agent-replay key=([0-9a-f]{12,24}) runs=(\S{1,1000})(?: seal=([0-9a-f]{64}))? -->/;

/** Renders the stamp as an HTML comment, which GitHub does not show. */
export function renderStamp({ key, runs, seal }: Stamp): string {
  return `<!-- agent-replay key=${key} runs=${renderRuns(runs)}${seal === undefined ? '' : ` seal=${seal}`} -->`;
}

/**
 * Reads the stamp of a comment, only at its very start: a report further down may quote anything, and people can edit
 * it.
 */
export function parseStamp(body: string): Stamp | undefined {
  const [, key = '', told = '', seal] = STAMP.exec(body) ?? [];
  const runs = parseRuns(told);
  return runs === undefined ? undefined : { key, runs, seal };
}

export function renderRuns(runs: Runs): string {
  return runs.map(({ status, number, attempt, id, sha }) => `${status}:${number}.${attempt}:${id}:${sha}`).join(',');
}

/** @returns undefined when the text holds none */
export function parseRuns(text: string): Runs | undefined {
  const runs = text.split(',').flatMap((run) => parseRun(run) ?? []);
  const [last] = runs.splice(-1);
  return last === undefined ? undefined : [...runs.slice(1 - MAX_RUNS), last];
}

/** Adds a run to those that a comment shows. */
export function withRun(stamp: Pick<Stamp, 'runs'> | undefined, run: Run): Runs {
  const before = stamp?.runs.filter(({ id }) => id !== run.id) ?? [];
  return [...before.slice(1 - MAX_RUNS), run];
}

/** Whether a comment already shows a later run. */
export function isNewer({ runs }: Pick<Stamp, 'runs'>, run: Run): boolean {
  return laterOf(runs.at(-1)!, run) < 0;
}

/** Orders runs: the later one first. */
export function laterOf(a: Run, b: Run): number {
  return b.id - a.id || b.attempt - a.attempt;
}

function parseRun(text: string): Run | undefined {
  const [, status, number, attempt, id, sha = ''] = RUN.exec(text) ?? [];
  if (status === undefined) return undefined;
  return { status: status as Status, number: Number(number), attempt: Number(attempt), id: Number(id), sha };
}
