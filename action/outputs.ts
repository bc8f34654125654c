import { statSync, truncateSync } from 'node:fs';
import * as core from '@actions/core';

const warned = new Set<string>();

const FILE = process.env.GITHUB_OUTPUT ?? '';
/** Bytes of the runner's file for outputs: when the step began, and as we left it. */
const begin = size();
let end = begin;
let isForeign = false;
const given = new Map<string, string>();

/** Sets an output of the step. One that the runner's file does not take costs one warning, and no verdict. */
export function setOutput(name: string, value: string): void {
  given.set(name, value);
  attempt('outputs', () => {
    isForeign ||= size() !== end;
    try {
      core.setOutput(name, value);
    } finally {
      end = size();
    }
  });
}

/**
 * The last thing that a step does: what anybody else has written to its outputs, as a process that the agent has left may,
 * is taken out again, and told.
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

/** One that cannot be looked at is not written either, and told then. */
function size(): number {
  try {
    return statSync(FILE).size;
  } catch {
    return 0;
  }
}

/** Does something with a file of the runner. @param what it is for, in the warning: `outputs`, `the state` */
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
