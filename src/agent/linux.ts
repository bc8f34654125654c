import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// Facts about processes, mostly from Linux's /proc. Each function returns nothing for a process that is gone or hidden from
// us.

export function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

interface ProcessStat {
  /** Whether it has ended with all its threads: until then it holds its files and ports. */
  readonly isOver: boolean;
  readonly group: number;
  /** In clock ticks since boot. */
  readonly startTicks: number;
}

export function statOf(id: number): ProcessStat | undefined {
  // proc(5): `pid (name) state parent group ...`, where the name may contain anything, even brackets and spaces.
  const stat = readProcess(id, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads] = [fields[0], Number(fields[17])];
  // A zombie only waits for its parent, which in a container without an init may take for ever.
  const isOver = state === 'X' || (state === 'Z' && threads <= 1);
  return { isOver, group: Number(fields[2]), startTicks: Number(fields[19]) };
}

/** When a process started, in clock ticks since boot; undefined outside Linux. Process ids are reused. */
export function startOfProcess(id: number): number | undefined {
  return statOf(id)?.startTicks;
}

export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** `NAME=value`, each ended by a NUL. */
export function environOf(id: number): string {
  return readProcess(id, 'environ') ?? '';
}

/** The soft limit on file locks, in digits. Every child inherits it, and the kernel does not use it. */
export function lockLimitOf(id: number): string | undefined {
  return /^Max file locks +(\d+)/m.exec(readProcess(id, 'limits') ?? '')?.[1];
}

/** Processes of another container may have the same ids as ours. */
export function isInOurNamespace(id: number): boolean {
  const own = linkOf('self', 'ns/pid');
  return own !== undefined && linkOf(id, 'ns/pid') === own;
}

/** Where a link of a process leads. */
export function linkOf(id: number | 'self', file: string): string | undefined {
  return unlessGone(() => readlinkSync(`/proc/${id}/${file}`));
}

export function readProcess(id: number | 'net', file: string): string | undefined {
  return unlessGone(() => readFileSync(`/proc/${id}/${file}`, 'latin1'));
}

function unlessGone(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
