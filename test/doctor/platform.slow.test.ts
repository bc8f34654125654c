import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { diagnose } from '../../src/doctor/index.ts';
import { projectWith } from '../cli/project.ts';
import { ingestingPlatform, KEYS, serve } from '../tracing/platform-server.ts';

test('an agent that traces to a platform is judged by what the platform shows', async () => {
  await using server = await serve(ingestingPlatform());
  Object.assign(process.env, {
    TRACING_HOST: server.url,
    TRACING_PUBLIC_KEY: KEYS.publicKey,
    TRACING_SECRET_KEY: KEYS.secretKey,
  });
  const program = fileURLToPath(new URL('fixtures/agent.ts', import.meta.url));
  await using project = await projectWith({
    sessions: { a: 'hello' },
    config: { tracing: 'platform', timeouts: { trace: 20_000 } },
    agent: { id: 'support', command: `"${process.execPath}" "${program}"` },
  });
  const url = `http://127.0.0.1:${project.port}/another-agent-id/replay`;
  const { environment, agents } = await diagnose({ cwd: project.path, settings: new Map([['agent.url', url]]) });
  const states = new Map([...environment, ...(agents[0]?.rules ?? [])].map(({ rule, state }) => [rule, state]));
  expect([...states].filter(([, state]) => state !== 'pass')).toEqual([
    ['workflow', 'skip'],
    ['trace-keys', 'skip'],
    ['flushed', 'skip'],
    ['inherited', 'skip'],
    ['agent-id', 'fail'],
    ['reads', 'skip'],
    ['tools-wrapped', 'skip'],
  ]);
  expect(project.leftovers()).toEqual([]);
});
