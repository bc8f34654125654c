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

/** More are not named in a heading. */
const MAX_AGENTS = 3;

/** The heading of a report: `### agent-replay: replay (large), agent support`. */
export function headOf(name: string, { results }: Report): string {
  const agents = [...new Set(results.sessions.flatMap(({ agentId }) => agentId ?? []))];
  const shown = agents.slice(0, MAX_AGENTS).map(forMarkdownCell);
  const about = shown.length === 0 ? '' : `, ${shown.length === 1 ? 'agent' : 'agents'} ${shown.join(', ')}`;
  return `### agent-replay: ${forMarkdownProse(name)}${about}`;
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
  return encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
