import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The path of a fixture program. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

/** A shell command that runs a fixture program under this Node. */
export function run(name: string): string {
  return `"${process.execPath}" "${fixture(name)}"`;
}

/** Ports below the range from which systems give out free ports, so that nobody else gets one before we use it. */
const [LOWEST_PORT, HIGHEST_PORT] = [10_000, 32_000];

/**
 * A port that is free, and that nobody else is given before this process ends: it also takes the UDP port of that number,
 * which no agent wants, and which no two workers of any Vitest on this machine can have.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    const isOurs = await new Promise<boolean>((resolve) => {
      const claim = createSocket('udp4').unref();
      claim.once('error', () => resolve(false)).bind({ port, address: '127.0.0.1' }, () => resolve(true));
    });
    if (!isOurs) continue;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Ids of the living processes that have `text` in their environment or arguments (reads Linux's /proc). */
export function processesWith(text: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    const id = Number(name);
    if (Number.isNaN(id) || id === process.pid) continue;
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
      const zombie = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
      const known = readFileSync(`/proc/${id}/environ`, 'latin1') + readFileSync(`/proc/${id}/cmdline`, 'latin1');
      if (!zombie && known.includes(text)) found.push(id);
    } catch {
      // The process ended while we looked.
    }
  }
  return found;
}

/** The id of a process's parent, or `undefined` if the process has ended. */
export function parentOf(id: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
