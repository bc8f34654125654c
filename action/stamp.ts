import type { Status } from '../src/rims.ts';

/** One run of a job, as its comment remembers it. */
export interface Run {
  readonly status: Status;
  /** Of the workflow, as people call the run. Another file of the same name counts anew: it orders nothing. */
  readonly number: number;
  /** From 1, of a run that is run again. */
  readonly attempt: number;
  /** In addresses. It grows with each run on GitHub, and stays when one is run again. */
  readonly id: number;
  /** Of the commit, 7 characters. */
  readonly sha: string;
}

/** Oldest first. */
export type Runs = readonly [...Run[], Run];

/** The hidden head of a comment, or of a section of one: which step it belongs to, and its last runs. */
export interface Stamp {
  /** 12 or 24 hexadecimal digits. */
  readonly key: string;
  readonly runs: Runs;
  /** Of the last run: which files its report is made of, 64 hexadecimal digits. Not there when it left none. */
  readonly seal?: string | undefined;
}

/** As many as a glance takes in. */
const MAX_RUNS = 5;
const RUN = /^(passed|failed|error|interrupted):(\d{1,9})\.(\d{1,6}):(\d{1,15}):([0-9a-f]{7})$/;

const STAMP = /^<!-- agent-replay key=([0-9a-f]{12,24}) runs=(\S{1,1000})(?: seal=([0-9a-f]{64}))? -->/;

/** A comment in HTML, which GitHub does not show. */
export function renderStamp({ key, runs, seal }: Stamp): string {
  return `<!-- agent-replay key=${key} runs=${renderRuns(runs)}${seal === undefined ? '' : ` seal=${seal}`} -->`;
}

/** Reads the stamp of a comment. Only at its very start, since what a report quotes comes later; people can edit it. */
export function parseStamp(body: string): Stamp | undefined {
  const [, key = '', told = '', seal] = STAMP.exec(body) ?? [];
  const runs = parseRuns(told);
  return runs === undefined ? undefined : { key, runs, seal };
}

export function renderRuns(runs: Runs): string {
  return runs.map(({ status, number, attempt, id, sha }) => `${status}:${number}.${attempt}:${id}:${sha}`).join(',');
}

/** @returns undefined when there is none among them */
export function parseRuns(text: string): Runs | undefined {
  const runs = text.split(',').flatMap((run) => parseRun(run) ?? []);
  const [last] = runs.splice(-1);
  return last === undefined ? undefined : [...runs.slice(1 - MAX_RUNS), last];
}

/** The runs of a comment once another run is told of in it. */
export function withRun(stamp: Pick<Stamp, 'runs'> | undefined, run: Run): Runs {
  const before = stamp?.runs.filter(({ id }) => id !== run.id) ?? [];
  return [...before.slice(1 - MAX_RUNS), run];
}

/** Whether a comment tells of a later run. */
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
