import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Trace } from '../../src/trace/index.ts';
import type { Receiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';

/** Starts a fixture agent with nothing but what a receiver says it needs. */
export async function startAgent(program: string, env: Readonly<Record<string, string>>) {
  const path = new URL(`fixtures/${program}`, import.meta.url).pathname;
  const agent = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(agent.stdout), 'line')) as [string];
  return {
    url: `http://127.0.0.1:${port}/replay`,
    async [Symbol.asyncDispose]() {
      const exited = once(agent, 'exit');
      agent.kill('SIGKILL');
      await exited;
    },
  };
}

/** Sends one replay, and waits for its trace. */
export async function replay(url: string, receiver: Receiver, runId: string): Promise<Trace> {
  const responded = fetch(url, { method: 'POST', body: JSON.stringify({ svc_replay_run_id: runId }) });
  return receiver.waitFor(runId, { signal: patience(), responded });
}
