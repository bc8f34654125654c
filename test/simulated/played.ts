import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** Plays seeds in a process of their own, because a simulated world replaces its clock and network. @returns what it printed */
export function played(...args: string[]): { readonly code: number | null; readonly text: string } {
  const play = path.join(import.meta.dirname, 'play.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [play, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return { code: status, text: stdout + stderr };
}
