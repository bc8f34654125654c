import { createServer } from 'node:net';
import path from 'node:path';
import { agentOptions, type RunningAgent, startAgent } from '../src/agent/index.ts';

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface AgentShape {
  readonly latencyMs: number;
  /** Default 20. */
  readonly answerBytes?: number | undefined;
}

/** Starts the agent of these benchmarks. If its environment names a receiver, it exports traces. */
export async function agentFor(
  { latencyMs, answerBytes = 20 }: AgentShape,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningAgent> {
  const port = await freePort();
  const options = agentOptions.parse({
    command: `exec "${process.execPath}" "${path.join(import.meta.dirname, 'agent.ts')}"`,
    url: `http://127.0.0.1:${port}/replay`,
    env: { PORT: `${port}`, LATENCY_MS: `${latencyMs}`, ANSWER_BYTES: `${answerBytes}` },
  });
  return startAgent(options, { env });
}
