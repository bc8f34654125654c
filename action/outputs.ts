import * as core from '@actions/core';

const warned = new Set<string>();

/** Sets an output of the step. One that the runner's file does not take costs one warning, and no verdict. */
export function setOutput(name: string, value: string): void {
  attempt('outputs', () => core.setOutput(name, value));
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
