import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { patience } from './patience.ts';

/** Between two looks. */
const LOOK_MS = 5;

export interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The first that it printed, which says where it listens. */
  readonly line: string;
}

/** Starts a Node program with nothing but this environment, and waits for its first line. Disposing of it ends it. */
export async function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  command: string = process.execPath,
): Promise<Program> {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const silent = once(child, 'close').then(() => Promise.reject(new Error(`${args.join(' ')} ended without a line`)));
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), silent])) as [string];
  return { child, line, [Symbol.asyncDispose]: () => ended(child) };
}

/** Ends a program, and waits until it has ended: what it used may go only after it. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/**
 * Removes a folder once nothing runs in it any more. A program that is killed takes a moment to end, and so does what it
 * had started: it could write a file between the look into the folder and its removal, which then fails.
 */
export async function removed(folder: string): Promise<void> {
  await allEnded(() => processesIn(folder));
  await rm(folder, { recursive: true, force: true });
}

/** Kills what is found until nothing is. */
export async function allEnded(find: () => readonly number[]): Promise<void> {
  const signal = patience();
  for (let left = find(); left.length > 0; left = find()) {
    for (const id of left) killed(id);
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** @returns whether it was there */
export function killed(id: number): boolean {
  try {
    return process.kill(id, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Ids of the processes that have this folder, or one in it, as theirs, which Linux alone tells. Ours is none of them. */
function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  const isInside = (id: string) => {
    try {
      return !path.relative(folder, readlinkSync(`/proc/${id}/cwd`)).startsWith('..');
    } catch {
      // It has ended, or is of another user.
      return false;
    }
  };
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return ids.filter(isInside).map(Number);
}
