import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// What the system tells of processes, mostly through Linux's /proc. Each function answers with nothing for one that is
// gone, or hidden from us.

/** Ids of all processes that we can see. */
export function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export interface ProcessStat {
  /** Whether it has ended, with all its threads: until the last one is gone it holds its files and ports. */
  readonly isOver: boolean;
  readonly group: number;
  /** When it was started, in clock ticks since the machine was. */
  readonly startTicks: number;
}

export function statOf(id: number): ProcessStat | undefined {
  // proc(5): `pid (name) state parent group ...`, where the name may hold anything, brackets and spaces too.
  const stat = readProcess(id, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads] = [fields[0], Number(fields[17])];
  // A zombie is only waiting for its parent: in a container without an init, for ever.
  const isOver = state === 'X' || (state === 'Z' && threads <= 1);
  return { isOver, group: Number(fields[2]), startTicks: Number(fields[19]) };
}

/** When a process was started, in clock ticks since the machine was; undefined off Linux. Its number may be used again. */
export function startOfProcess(id: number): number | undefined {
  return statOf(id)?.startTicks;
}

/** Whether there is a process with this number. */
export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** `NAME=value` with a NUL behind each. */
export function environOf(id: number): string {
  return readProcess(id, 'environ') ?? '';
}

/** The soft limit on file locks, in digits. The kernel hands it down to every child, and makes no use of it. */
export function lockLimitOf(id: number): string | undefined {
  return /^Max file locks +(\d+)/m.exec(readProcess(id, 'limits') ?? '')?.[1];
}

/** Processes of another container have the same numbers as ours, and are not ours. */
export function isInOurNamespace(id: number): boolean {
  try {
    return readlinkSync(`/proc/${id}/ns/pid`) === readlinkSync('/proc/self/ns/pid');
  } catch {
    return false;
  }
}

function readProcess(id: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}
