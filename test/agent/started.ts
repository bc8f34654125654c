import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { removed } from '../programs.ts';
import { fixture, freePort, run } from './processes.ts';

/** Text that every process of one test has in its environment. */
export async function marked(program: string, graceMs = 5_000, env: Record<string, string> = {}) {
  const mark = crypto.randomUUID();
  const port = await freePort();
  const options = {
    command: run(program),
    url: `http://127.0.0.1:${port}/replay`,
    env: { PORT: `${port}`, MARK: mark, ...env },
    gracefulShutdown: { timeout: graceMs },
  };
  return { mark, port, options };
}

export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}

/**
 * Starts parent.ts, and resolves when its agent is ready. Each call has a folder of its own. In a shared folder, the
 * start of another test would end what this one leaves for its watchdog.
 */
export async function parent(options: object, then: string): Promise<{ child: ChildProcess; printed: () => string }> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'agent-replay-parent-'));
  const child = spawn(process.execPath, [fixture('parent.ts'), JSON.stringify({ cwd, ...options }), then], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => removed(cwd));
  let printed = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (printed += chunk));
  await expect.poll(() => printed).toMatch(/ready \d+/);
  return { child, printed: () => printed };
}
