import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/json/index.ts';
import type { PlatformHits } from '../../src/ui/index.ts';
import { exchanges, type Handler, KEYS, limited, platform, serve } from '../tracing/platform-server.ts';
import { uiWith } from './project.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Searched {
  readonly hits: PlatformHits;
  readonly reads: number;
}

/** Searches a platform from the page's server, once for each query. */
async function searched(handler: Handler, ...queries: string[]): Promise<Searched[]> {
  await using server = await serve(handler);
  vi.stubEnv('TRACING_HOST', server.url);
  vi.stubEnv('TRACING_PUBLIC_KEY', KEYS.publicKey);
  vi.stubEnv('TRACING_SECRET_KEY', KEYS.secretKey);
  await using project = await uiWith({ sessions: { one: 'a' } });
  const done: Searched[] = [];
  for (const query of queries) {
    const before = server.asked.length;
    const headers = { authorization: `Bearer ${project.token}` };
    const response = await fetch(`${project.origin}/api/platform?${query}`, { headers });
    done.push({ hits: (await response.json()) as PlatformHits, reads: server.asked.length - before });
  }
  return done;
}

const [RECORDED] = exchanges('v4-dual.trace-get-1').map(({ response }) => response.body as JsonObject) as [JsonObject];

/** A trace of each session, the newest first. */
function tracesOf(count: number, change: (index: number) => JsonObject = () => ({})): JsonObject[] {
  const newest = Date.parse('2026-11-21T12:00:00.000Z');
  return Array.from({ length: count }, (_, index) => ({
    ...RECORDED,
    id: `t${index}`,
    sessionId: `s${index}`,
    timestamp: new Date(newest - index * 1_000).toISOString(),
    ...change(index),
  }));
}

test('where reads are limited, searches take no more than a minute has, say how far they looked, and the next finds it open', async () => {
  const handler = limited(platform('dual', { traces: tracesOf(2_000) }), 30, () => Date.now());
  const [first, second] = (await searched(handler, 'text=S499', 'text=S499')) as [Searched, Searched];
  expect(first.hits).toMatchObject({
    sessions: [{ id: 's499', source: 'platform' }],
    traces: 900,
    lookedBackTo: '2026-11-21T11:45:00.000Z',
  });
  expect(first.reads).toBeLessThanOrEqual(18);
  expect(second.reads).toBeLessThan(first.reads);
});

test('the page finds what the command finds: a word and an agent behind hundreds of replays', async () => {
  const metadata = RECORDED.metadata as JsonObject;
  const traces = tracesOf(
    2_000,
    (index): JsonObject =>
      index % 100 < 99
        ? { metadata: { ...metadata, svc_replay_run_id: `r1-1.t1.r${index}` } }
        : { input: index > 1_000 ? 'I want a refund' : 'hello', metadata: { ...metadata, agent_id: 'support' } },
  );
  const [byWord, byAgent] = (await searched(platform('dual', { traces }), 'text=want', 'agentId=support')) as [
    Searched,
    Searched,
  ];
  expect(byWord.hits.sessions.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `s${1_099 + n * 100}`));
  expect(byWord.hits.lookedBackTo).toBeUndefined();
  expect(byAgent.hits.sessions).toHaveLength(20);
  // The server is asked for the agent: of 2,000 traces it shows 20.
  expect(byAgent.reads).toBeLessThan(byWord.reads / 4);
});

test('what is further back than was looked is found by the id of a session and by the name of a trace', async () => {
  const traces = tracesOf(2_000, (index) => ({ name: index > 1_990 ? 'monthly-report' : 'turn' }));
  const server = () => limited(platform('dual', { traces }), 50, () => Date.now());
  const [[byId], [byName]] = [await searched(server(), 'text=s1999'), await searched(server(), 'text=monthly-report')];
  expect(byId?.hits).toMatchObject({ sessions: [{ id: 's1999' }], traces: 1_500 });
  expect(byName?.hits.sessions).toHaveLength(9);
});
