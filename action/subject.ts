import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Report } from '../src/rims.ts';
import type { Inputs } from './inputs.ts';
import { pageOf } from './pages.ts';

/**
 * What a report is about: the agents, and a name that tells reports of one agent apart. Comment, section, issue and
 * history are found by it alone, so no edit of a workflow leads to a second one.
 */
export interface Subject {
  /** 24 hexadecimal digits: those of the name, then those of the agents. */
  readonly key: string;
  /** For people: `support, large`. May be empty. */
  readonly title: string;
}

/** A title names no more agents than this. */
const MAX_AGENTS = 3;
/** GitHub itself cuts longer names. */
const MAX_TITLE_CHARS = 200;

/** @param scope kept apart from all others: a stranger's report must not reach the comment of another workflow */
export function subjectOf(agents: readonly string[], { name, leg }: Inputs, scope?: unknown): Subject {
  const called = name ?? matrixValues(leg).join(', ');
  const ids = [...new Set(agents)].sort();
  const title = [...ids.slice(0, MAX_AGENTS), ...(called === '' ? [] : [called])].join(', ');
  return {
    key: digest([called, ...(scope === undefined ? [] : [scope])]) + digest(ids),
    title: title.slice(0, MAX_TITLE_CHARS).toWellFormed(),
  };
}

/** Whatever their agents are. */
export function isNamedAlike(one: string, other: string): boolean {
  return one.slice(0, 12) === other.slice(0, 12);
}

export function agentsIn({ results }: Report): string[] {
  return results.sessions.flatMap(({ agentId }) => agentId ?? []);
}

/** 12 hexadecimal digits. */
export function digest(of: unknown): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 12);
}

function matrixValues(json: string): string[] {
  try {
    const matrix: unknown = JSON.parse(json);
    return Object.values(Object(matrix)).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  } catch {
    return [];
  }
}

/** The step that reports: it tells apart reports of one subject, and never finds a comment by itself. */
export function reporterIn(env: NodeJS.ProcessEnv) {
  const { GITHUB_WORKFLOW_REF = env.GITHUB_WORKFLOW ?? '', GITHUB_JOB = '', GITHUB_ACTION = '' } = env;
  const [file] = GITHUB_WORKFLOW_REF.split('@');
  const short = (name: string) => name.slice(0, MAX_TITLE_CHARS).toWellFormed();
  return {
    workflow: digest(file),
    job: short(GITHUB_JOB),
    step: short(GITHUB_ACTION),
    /** Of this step in this run: two calls of a reusable workflow have all else in common. */
    by: digest(env.AGENT_REPLAY_JOB_ID ?? ''),
  };
}

/** Makes the addresses of the files of a commit. */
export function filesAt(
  { repository, sha }: { repository: string; sha: string },
  { workingDirectory }: Inputs,
  { GITHUB_WORKSPACE = process.cwd() }: NodeJS.ProcessEnv,
): (pin: string) => string | undefined {
  return (pin) => {
    const file = path.resolve(workingDirectory, pin);
    const inside = path.relative(GITHUB_WORKSPACE, file);
    if (inside.startsWith('..') || !existsSync(file)) return undefined;
    const address = inside.split(path.sep).map(encoded).join('/');
    return pageOf(repository, `blob/${sha}/${address}`);
  };
}

/** Encodes a segment of an address, and also the characters that end a Markdown link or an attribute. */
function encoded(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}
