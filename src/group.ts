import { spawnSync } from 'node:child_process';

/** Signals a group of processes, by the id of the one that leads it. What has ended by then is no mistake. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  // Windows has no groups to signal, and ends nothing gently.
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', `${leader}`, '/T', '/F'], { stdio: 'ignore' });
  else signalProcess(-leader, signal);
}

/** @param id of a process, or negative: of all that it leads */
export function signalProcess(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // Gone in the meantime, or not ours to signal: the next look tells.
  }
}
