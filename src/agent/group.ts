import { spawnSync } from 'node:child_process';

/** Signals a process group by the id of its leader. A group that has ended is no error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  // Windows has no groups to signal, and no gentle way to end a process.
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', `${leader}`, '/T', '/F'], { stdio: 'ignore' });
  else signalProcess(-leader, signal);
}

/** @param id of a process; negative: of all processes in the group of that leader */
export function signalProcess(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // The process has ended, or is not ours to signal. The caller's next check shows which.
  }
}
