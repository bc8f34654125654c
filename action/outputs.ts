import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync, truncateSync } from 'node:fs';
import { EOL } from 'node:os';
import * as core from '@actions/core';

const warned = new Set<string>();

const FILE = process.env.GITHUB_OUTPUT ?? '';
/** Size of the runner's output file in bytes: when the step began, and after our last write. */
const begin = size();
let end = begin;
let isForeign = false;
const given = new Map<string, string>();

/**
 * Sets an output of the step. If the runner's file cannot be written, that costs one warning and changes no verdict.
 */
export function setOutput(name: string, value: string): void {
  given.set(name, value);
  attempt('outputs', () => {
    if (FILE === '') return core.setOutput(name, value);
    isForeign ||= size() !== end;
    const mark = `ghadelimiter_${randomUUID()}`;
    const entry = `${name}<<${mark}${EOL}${value}${EOL}${mark}${EOL}`;
    try {
      appendFileSync(FILE, entry);
      // Not the size afterwards: what another process appends in between would count as ours.
      end += Buffer.byteLength(entry);
    } catch (error) {
      end = size();
      throw error;
    }
  });
}

/**
 * Removes what anybody else has written to the step's outputs, and says so. A process that the agent left behind could
 * do that. The step does this last.
 */
export function keepOutputs(): void {
  if (!isForeign && size() === end) return;
  attempt('outputs', () => {
    truncateSync(FILE, begin);
    [end, isForeign] = [begin, false];
  });
  for (const [name, value] of given) setOutput(name, value);
  const told = 'Another process wrote to the outputs of this step: what it wrote was taken out.';
  const hint = 'Look what the agent leaves behind: docs/reliability.md says which processes can hide.';
  core.warning(`${told} ${hint}`, { title: 'agent-replay' });
}

/** The size of the output file. If it cannot be read, it cannot be written either, and the write warns about it. */
function size(): number {
  try {
    return statSync(FILE).size;
  } catch {
    return 0;
  }
}

/**
 * Works on a file of the runner; a failure is a warning. @param what names the file in the warning: `outputs`,
 * `the state`
 */
export function attempt(what: string, work: () => void): void {
  try {
    work();
  } catch {
    if (warned.has(what)) return;
    warned.add(what);
    const hint = 'The verdict does not depend on it. Look whether the disk of the runner is full.';
    core.warning(`The runner's file for ${what} could not be written. ${hint}`, { title: 'agent-replay' });
  }
}
