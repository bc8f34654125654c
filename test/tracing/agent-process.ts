import type { Trace } from '../../src/trace/index.ts';
import type { Receiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { startProgram } from '../programs.ts';

/** Starts a fixture agent with nothing but what a receiver says it needs. */
export async function startAgent(program: string, env: Readonly<Record<string, string>>) {
  const path = new URL(`fixtures/${program}`, import.meta.url).pathname;
  const agent = await startProgram(['--disable-warning=ExperimentalWarning', path], env);
  return { ...agent, url: `http://127.0.0.1:${agent.line}/replay` };
}

/** Sends one replay, and waits for its trace. */
export async function replay(url: string, receiver: Receiver, runId: string): Promise<Trace> {
  const responded = fetch(url, { method: 'POST', body: JSON.stringify({ svc_replay_run_id: runId }) });
  return receiver.waitFor(runId, { signal: patience(), responded });
}
