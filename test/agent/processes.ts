import { randomInt } from 'node:crypto';
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

/** Workers of one Vitest draw from different ports: a worker's are those that leave its number when divided by this. */
const WORKERS = 100;
const PER_WORKER = (HIGHEST_PORT - LOWEST_PORT) / WORKERS;
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;

/** It begins anywhere, since another Vitest may run beside this one, and comes back to a port after all others. */
let drawn = randomInt(PER_WORKER);

/** A port that was free a moment ago, and that nobody else of this Vitest is given meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    drawn = (drawn + 1) % PER_WORKER;
    const port = LOWEST_PORT + drawn * WORKERS + worker;
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
