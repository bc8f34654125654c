import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { forMarkdownCell, forMarkdownProse, type Report } from '../src/rims.ts';
import type { Inputs } from './inputs.ts';

/** Distinguishes one report on GitHub from all others. */
export interface Identity {
  /** The heading, in Markdown. */
  readonly head: string;
  /** Address of the whole report. */
  readonly reportUrl: string;
  /** Address of a pin in the commit of the run; undefined if there is no such file. */
  readonly linkTo?: ((pin: string) => string | undefined) | undefined;
}

/** A leg of a group: a job, a leg of a matrix or a step, whose report shares one comment with others. */
export interface Leg {
  /** Key of the group. */
  readonly key: string;
  /** Name of the group. */
  readonly title: string;
  /** Name of the leg. */
  readonly name: string;
  /** The key that the legs of one job and step share. */
  readonly kind: string;
  /** How many such legs there are. */
  readonly legs: number;
}

/** A heading names no more agents than this. */
const MAX_AGENTS = 3;

/** The heading of a report: `### agent-replay: replay (large), agent support`. */
export function headOf(name: string, report: Report): string {
  return `### agent-replay: ${forMarkdownProse(name)}${agentsOf(report, forMarkdownCell)}`;
}

function agentsOf({ results }: Report, shown: (agent: string) => string): string {
  const agents = [...new Set(results.sessions.flatMap(({ agentId }) => agentId ?? []))].slice(0, MAX_AGENTS);
  return agents.length === 0 ? '' : `, ${agents.length === 1 ? 'agent' : 'agents'} ${agents.map(shown).join(', ')}`;
}

/** GitHub itself cuts longer names. */
const MAX_NAME_CHARS = 200;

/** The leg of a report. @param of what all legs of its kind share, and what its whole group shares */
export function legOf(
  { group, legs }: Inputs,
  { name, report, kind, groups }: { name: string; report: Report; kind: unknown; groups: unknown },
): Leg | undefined {
  if (group === undefined) return undefined;
  const called = `${name}${agentsOf(report, (agent) => agent)}`.slice(0, MAX_NAME_CHARS).toWellFormed();
  return { key: digest([groups, group]), title: group, name: called, kind: digest(kind), legs };
}

/** A key of 12 hexadecimal digits, made of a value. */
export function digest(of: unknown): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 12);
}

/** The job and its leg of the matrix, named as on GitHub: `replay (large, 20)`. */
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

/** Makes the addresses of the files of a commit. */
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

/** Encodes a segment of an address, and also the characters that end a Markdown link or an attribute. */
function encoded(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}
