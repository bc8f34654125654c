import { readdirSync } from 'node:fs';
import { linkOf, processIds, readProcess, statOf } from './linux.ts';

/**
 * Who listens on a port: the agent, a stranger (for messages: `process 4711 (node), which runs longer than the agent`), or
 * unknown.
 */
export type Holder = 'agent' | 'unknown' | { readonly stranger: string };

/** A row of the kernel's socket table. */
interface Socket {
  readonly port: number;
  readonly inode: string;
  readonly userId: number;
}

const TABLES = ['tcp', 'tcp6'];
const LISTENING = '0A';

/**
 * Who listens on `port` (reads Linux's /proc). Unknown if the listener is a process of the same user that started after the
 * agent (a daemon of the agent, or another job), and if nothing can be seen: on another system, or in another network
 * namespace.
 * @param own ids of the agent's processes, asked for if the first is not who listens
 * @param first id of the process that all of them come from
 */
export function holderOf(port: number, own: () => readonly number[], first: number): Holder {
  if (process.platform !== 'linux') return 'unknown';
  const sockets = listening().filter((socket) => socket.port === port);
  const inodes = new Set(sockets.map(({ inode }) => inode));
  if (holds(first, inodes) || own().some((id) => holds(id, inodes))) return 'agent';
  const holder = processIds().find((id) => holds(id, inodes));
  if (holder === undefined) {
    // Only other users' processes are hidden from us; root sees all.
    const other = sockets.find(({ userId }) => userId !== process.getuid?.());
    return other === undefined ? 'unknown' : { stranger: `a process of another user (${other.userId})` };
  }
  const [since, ours] = [statOf(holder)?.startTicks, statOf(first)?.startTicks];
  if (since === undefined || ours === undefined || since >= ours) return 'unknown';
  return {
    stranger: `process ${holder} (${readProcess(holder, 'comm')?.trim() ?? 'ended since'}), which runs longer than the agent`,
  };
}

/**
 * The ports that these processes listen on, in order (reads Linux's /proc). Empty if nothing can be seen.
 * @param own ids of the processes
 */
export function portsOf(own: readonly number[]): number[] {
  if (process.platform !== 'linux') return [];
  const ports = listening().filter(({ inode }) => own.some((id) => holds(id, new Set([inode]))));
  return [...new Set(ports.map(({ port }) => port))].sort((a, b) => a - b);
}

function listening(): Socket[] {
  const lines = TABLES.flatMap((table) => readProcess('net', table)?.split('\n').slice(1) ?? []);
  return lines.flatMap((line) => {
    // `0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 424242 ...`
    const [, address = '', , state, , , , userId, , inode = ''] = line.trim().split(/ +/);
    const port = Number.parseInt(address.split(':')[1] ?? '', 16);
    return state === LISTENING ? [{ port, inode, userId: Number(userId) }] : [];
  });
}

function holds(id: number, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${id}/fd`).some((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(id, `fd/${fd}`) ?? '')?.[1];
      return inode !== undefined && inodes.has(inode);
    });
  } catch {
    // It is gone, or another user's.
    return false;
  }
}
