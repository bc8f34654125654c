import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { forMarkdownCell, forMarkdownProse, type Report } from '../src/rims.ts';
import type { Inputs } from './inputs.ts';

/** What tells one report on GitHub from all others. */
export interface Identity {
  /** The heading, in Markdown. */
  readonly head: string;
  /** Address of the whole report. */
  readonly reportUrl: string;
  /** Address of a pin as it is in the commit of the run; undefined where there is no such file. */
  readonly linkTo?: ((pin: string) => string | undefined) | undefined;
}

/** A leg of a group: a job, a leg of a matrix or a step, whose report stands in one comment with those of others. */
export interface Leg {
  /** Of the group. */
  readonly key: string;
  /** What the group is called. */
  readonly title: string;
  /** What the leg is called. */
  readonly name: string;
  /** What the legs of one job and step have in common. */
  readonly kind: string;
  /** How many of these there are. */
  readonly legs: number;
}

/** More are not named in a heading. */
const MAX_AGENTS = 3;

/** The heading of a report: `### agent-replay: replay (large), agent support`. */
export function headOf(name: string, report: Report): string {
  return `### agent-replay: ${forMarkdownProse(name)}${agentsOf(report, forMarkdownCell)}`;
}

function agentsOf({ results }: Report, shown: (agent: string) => string): string {
  const agents = [...new Set(results.sessions.flatMap(({ agentId }) => agentId ?? []))].slice(0, MAX_AGENTS);
  return agents.length === 0 ? '' : `, ${agents.length === 1 ? 'agent' : 'agents'} ${agents.map(shown).join(', ')}`;
}

/** GitHub shows no more of a name itself. */
const MAX_NAME_CHARS = 200;

/** The leg that a report is of. @param of what all legs of its kind have in common, and all of its group */
export function legOf(
  { group, legs }: Inputs,
  { name, report, kind, groups }: { name: string; report: Report; kind: unknown; groups: unknown },
): Leg | undefined {
  if (group === undefined) return undefined;
  const called = `${name}${agentsOf(report, (agent) => agent)}`.slice(0, MAX_NAME_CHARS).toWellFormed();
  return { key: digest([groups, group]), title: group, name: called, kind: digest(kind), legs };
}

/** 12 hexadecimal digits that stand for something. */
export function digest(of: unknown): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 12);
}

/** The job and its leg of the matrix, as GitHub calls it: `replay (large, 20)`. */
export function nameOf({ name, commentKey }: Inputs, { GITHUB_JOB = 'replay' }: NodeJS.ProcessEnv): string {
  if (name !== undefined) return name;
  const leg = matrixValues(commentKey);
  return leg.length === 0 ? GITHUB_JOB : `${GITHUB_JOB} (${leg.join(', ')})`;
}

function matrixValues(json: string): string[] {
  try {
    const matrix: unknown = JSON.parse(json);
    return Object.values(Object(matrix)).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  } catch {
    return [];
  }
}

/** Addresses of the files of a commit. */
export function filesAt(
  { server, repository, sha }: { server: string; repository: string; sha: string },
  { workingDirectory }: Inputs,
  { GITHUB_WORKSPACE = process.cwd() }: NodeJS.ProcessEnv,
): (pin: string) => string | undefined {
  return (pin) => {
    const file = path.resolve(workingDirectory, pin);
    const inside = path.relative(GITHUB_WORKSPACE, file);
    if (inside.startsWith('..') || !existsSync(file)) return undefined;
    const address = inside.split(path.sep).map(encoded).join('/');
    return `${server}/${repository}/blob/${sha}/${address}`;
  };
}

/** Also of what a link in Markdown or an attribute ends with. */
function encoded(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}
