import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { KEYS, serve } from '../tracing/platform-server.ts';
import { type UiProject, uiWith } from './project.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function ask<T>({ origin, token }: UiProject, what: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}` };
  const how = body && { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${origin}/api/${what}`, { headers, ...how })).json() as Promise<T>;
}

test('a result that cannot be kept is shown, and says that it is not kept', async () => {
  await using project = await uiWith({ sessions: { one: 'a' }, config: { runs: 1 } });
  await mkdir(path.join(project.path, '.agent-replay', 'history.ndjson'), { recursive: true });
  const { id } = await ask<{ id: string }>(project, 'runs', { session: 'one' });
  await expect
    .poll(() => ask<object>(project, `run?id=${id}`))
    .toMatchObject({
      came: 1,
      total: 1,
      notes: [expect.stringContaining('OUTPUT_NOT_WRITABLE')],
      result: { id, session: 'one' },
    });
});

test('of an import that is stopped before it knows what is there, nothing is said', async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await serve(() => {
    asked.resolve();
    return new Promise(() => {});
  });
  vi.stubEnv('TRACING_HOST', server.url);
  vi.stubEnv('TRACING_PUBLIC_KEY', KEYS.publicKey);
  vi.stubEnv('TRACING_SECRET_KEY', KEYS.secretKey);
  await using project = await uiWith({ sessions: { one: 'a' } });
  await ask(project, 'sync', { since: new Date(0).toISOString() });
  await asked.promise;
  expect(await ask<object>(project, 'sync')).toMatchObject({ isRunning: true });
  await ask(project, 'sync/stop', {});
  await expect.poll(() => ask<object>(project, 'sync')).toBeNull();
});
