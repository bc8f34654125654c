import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { ingestingOlderPlatform, ingestingPlatform, KEYS, serve } from './platform-server.ts';

const AGENT = fileURLToPath(new URL('fixtures/late-agent.ts', import.meta.url));

/** A recorded turn that saves a memory 6 s after its answer. */
function pinOf(id: string): string {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const observations = [
    {
      id: 'r',
      parentId: null,
      type: 'agent',
      name: 'invoke_agent a',
      startTime: at(0),
      endTime: at(20),
      output: 'done',
    },
    {
      id: 't',
      parentId: 'r',
      type: 'tool',
      name: 'save_memory',
      startTime: at(6_020),
      endTime: at(6_021),
      input: { fact: 'x' },
      callId: 'c1',
    },
  ];
  const turn = { request: { input: 'hi' }, recorded: { output: 'done', observations } };
  return JSON.stringify({ version: 1, id, turns: [turn] });
}

async function run(sdk: string, source: string, sessions: number, settings: Record<string, string> = {}) {
  const files = Object.fromEntries(
    Array.from({ length: sessions }, (_, n) => [`replays/s${n}.session.json`, pinOf(`s${n}`)]),
  );
  await using server = await serve(source.endsWith('version 2') ? ingestingOlderPlatform() : ingestingPlatform());
  const isPlatform = source.startsWith('platform');
  await using project = await projectWith({
    files,
    config: {
      runs: 1,
      workers: 4,
      timeouts: { trace: 60_000 },
      ...(isPlatform ? { tracing: 'platform' } : {}),
    },
    agent: { command: `"${process.execPath}" "${AGENT}"`, env: { SDK: sdk, ...settings } },
  });
  const { publicKey, secretKey } = KEYS;
  // As a workflow sets it. Plain OpenTelemetry reads names of its own.
  const env = {
    TRACING_HOST: server.url,
    TRACING_PUBLIC_KEY: publicKey,
    TRACING_SECRET_KEY: secretKey,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${server.url}/api/public/otel/v1/traces`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `authorization=Basic ${btoa(`${publicKey}:${secretKey}`)}`,
  };
  return {
    ...(await command(['run'], { cwd: project.path, env: isPlatform ? env : {} })),
    evidence: (await project.report()).evidence,
  };
}

describe.concurrent('an agent that calls a tool 6 s after its answer', () => {
  test.each([
    ['opentelemetry', 'receiver', 1],
    ['opentelemetry', 'receiver', 40],
    ['opentelemetry', 'platform', 1],
    ['opentelemetry', 'platform', 40],
    ['langfuse 5', 'receiver', 1],
    ['langfuse 5', 'receiver', 40],
    ['langfuse 5', 'platform', 1],
    ['langfuse 5', 'platform', 40],
    ['langfuse 3', 'receiver', 1],
    ['langfuse 3', 'receiver', 40],
    ['langfuse 3', 'platform of version 2', 1],
    ['langfuse 3', 'platform of version 2', 40],
  ])('is as recorded with %s and a %s, in suites of %i', async (sdk, source, sessions) => {
    const { code, stdout } = await run(sdk, source, sessions);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${sessions} of ${sessions} `)]);
  });

  test.each([
    ['opentelemetry', 'receiver'],
    ['langfuse 5', 'platform'],
    ['langfuse 3', 'receiver'],
    ['langfuse 3', 'platform of version 2'],
  ])(
    'has changed where that tool is gone, after twice the time of the recording, and that is said: %s, %s',
    async (sdk, source) => {
      const { code, stdout, evidence } = await run(sdk, source, 1, { GONE: '1' });
      expect(code, stdout).toBe(1);
      expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
        /Missing in 1 replay: a call of "save_memory"\. No span had come for 1[2-9](\.\d)? s, and the recordings end within 6 s of their root/,
      );
      const [replay] = evidence.runs;
      expect(replay?.ended).toMatchObject({ without: ['a call of "save_memory"'], recordedMs: 6_001 });
      expect(stdout).not.toMatch(/Cause: (agent|environment)/);
    },
  );
});
