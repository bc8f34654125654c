import { afterEach, expect, test, vi } from 'vitest';
import type { PlatformHits } from '../../src/dashboard/index.ts';
import { exchanges, KEYS, platform, serve } from '../tracing/platform-server.ts';
import { dashboardWith } from './project.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('one search of a large platform stays within 15 reads, says how far it looked, and the next finds it open', async () => {
  const [first] = exchanges('v4-dual.trace-get-1').map(({ response }) => response.body as { timestamp: string });
  const traces = Array.from({ length: 2_000 }, (_, index) => ({ ...first, id: `t${index}`, sessionId: `s${index}` }));
  await using server = await serve(platform('dual', { traces }));
  vi.stubEnv('TRACING_HOST', server.url);
  vi.stubEnv('TRACING_PUBLIC_KEY', KEYS.publicKey);
  vi.stubEnv('TRACING_SECRET_KEY', KEYS.secretKey);
  await using project = await dashboardWith({ sessions: { one: 'a' } });
  const search = async () => {
    const headers = { authorization: `Bearer ${project.token}` };
    const response = await fetch(`${project.origin}/api/platform?text=S499`, { headers });
    return (await response.json()) as PlatformHits;
  };
  expect(await search()).toMatchObject({ sessions: [{ id: 's499', source: 'platform' }], newest: 500 });
  const reads = server.asked.length;
  expect(reads).toBeLessThanOrEqual(15);
  await search();
  expect(server.asked.length - reads).toBeLessThan(reads);
});
