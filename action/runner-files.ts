import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { EOL } from 'node:os';
import * as core from '@actions/core';

/** What the runner reads from its files after a step, and how a warning names it. The step writes the first two. */
const NAMES = {
  OUTPUT: 'outputs of this step',
  STATE: 'state of this step',
  ENV: 'environment of later steps',
  PATH: 'path of later steps',
} as const;
type Name = keyof typeof NAMES;

const warned = new Set<Name>();

/** A file of the runner, and all that we have written to it. */
class RunnerFile {
  readonly #path: string;
  readonly #begin: number;
  #own = '';

  constructor(name: Name) {
    this.#path = process.env[`GITHUB_${name}`] ?? '';
    this.#begin = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  append(key: string, value: string): void {
    const mark = `ghadelimiter_${randomUUID()}`;
    const entry = `${key}<<${mark}${EOL}${value}${EOL}${mark}${EOL}`;
    appendFileSync(this.#path, entry);
    this.#own += entry;
  }

  /** Puts back what we have written. @returns whether anything else stood there */
  keep(): boolean {
    if (!statSync(this.#path, { throwIfNoEntry: false })?.isFile()) return false;
    if (readFileSync(this.#path).subarray(this.#begin).equals(Buffer.from(this.#own))) return false;
    truncateSync(this.#path, this.#begin);
    appendFileSync(this.#path, this.#own);
    return true;
  }
}

const files = new Map((Object.keys(NAMES) as Name[]).map((name) => [name, new RunnerFile(name)]));

export function setOutput(name: string, value: string): void {
  attempt('OUTPUT', () => files.get('OUTPUT')!.append(name, value));
}

/** For the post step. @returns whether the file could be written */
export function saveState(name: string, value: string): boolean {
  return attempt('STATE', () => files.get('STATE')!.append(name, value));
}

/**
 * Removes what anybody else has written to the files of the runner, and says so. A process that the agent left behind
 * could do that. The step does this last.
 */
export function keepRunnerFiles(): void {
  const foreign: string[] = [];
  for (const [name, file] of files) {
    // What is half written is told already, and is not the work of others.
    if (!warned.has(name)) attempt(name, () => file.keep() && foreign.push(NAMES[name]));
  }
  if (foreign.length === 0) return;
  const told = `Another process wrote to the ${foreign.join(' and to the ')}: what it wrote was taken out.`;
  const hint = 'Look what the agent leaves behind: docs/reliability.md says which processes can hide.';
  core.warning(`${told} ${hint}`, { title: 'agent-replay' });
}

/** Works on a file of the runner. A failure costs one warning, and changes no verdict. @returns whether it succeeded */
function attempt(name: Name, work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    if (!warned.has(name)) {
      const hint = 'The verdict does not depend on it. Look whether the disk of the runner is full.';
      core.warning(`The runner's file for the ${NAMES[name]} could not be written. ${hint}`, { title: 'agent-replay' });
    }
    warned.add(name);
    return false;
  }
}
