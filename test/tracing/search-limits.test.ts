import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/index.ts';
import { type FoundConversations, findConversations, openPlatform } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { exchanges, type Handler, KEYS, limited, platform, serve } from './platform-server.ts';

interface Searched {
  readonly found: FoundConversations;
  readonly reads: number;
}

/** Searches a platform that stays open, once for each query. */
async function searched(handler: Handler, ...queries: { search?: string; agentId?: string }[]): Promise<Searched[]> {
  await using server = await serve(handler);
  await using source = await openPlatform({ host: server.url, ...KEYS });
  const done: Searched[] = [];
  for (const query of queries) {
    const before = server.asked.length;
    const found = await findConversations(source, { ...query, limit: 500 }, { signal: patience() });
    done.push({ found, reads: server.asked.length - before });
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

test('where reads are limited, a search takes no more than a minute has, and says how far it looked', async () => {
  const handler = limited(platform('dual', { traces: tracesOf(2_000) }), 30, () => Date.now());
  const [first] = (await searched(handler, { search: 'S499' })) as [Searched];
  expect(first.found).toMatchObject({
    conversations: [{ id: 's499' }],
    traces: 900,
    lookedBackTo: '2026-11-21T11:45:00.000Z',
  });
  expect(first.reads).toBeLessThanOrEqual(18);
});

test('a word and an agent are found behind hundreds of replays', async () => {
  const metadata = RECORDED.metadata as JsonObject;
  const traces = tracesOf(
    2_000,
    (index): JsonObject =>
      index % 100 < 99
        ? { metadata: { ...metadata, svc_replay_run_id: `r1-1.t1.r${index}` } }
        : { input: index > 1_000 ? 'I want a refund' : 'hello', metadata: { ...metadata, agent_id: 'support' } },
  );
  const [byWord, byAgent] = (await searched(
    platform('dual', { traces }),
    { search: 'want' },
    { agentId: 'support' },
  )) as [Searched, Searched];
  expect(byWord.found.conversations.map(({ id }) => id)).toEqual(
    Array.from({ length: 10 }, (_, n) => `s${1_099 + n * 100}`),
  );
  expect(byWord.found.lookedBackTo).toBeUndefined();
  expect(byAgent.found.conversations).toHaveLength(20);
  // The server is asked for the agent: of 2,000 traces it shows 20.
  expect(byAgent.reads).toBeLessThan(byWord.reads / 4);
});

test('what is further back than was looked is found by the id of a session and by the name of a trace', async () => {
  const traces = tracesOf(2_000, (index) => ({ name: index > 1_990 ? 'monthly-report' : 'turn' }));
  const server = () => limited(platform('dual', { traces }), 50, () => Date.now());
  const [[byId], [byName]] = [
    await searched(server(), { search: 's1999' }),
    await searched(server(), { search: 'monthly-report' }),
  ];
  expect(byId?.found).toMatchObject({ conversations: [{ id: 's1999' }], traces: 1_500 });
  expect(byName?.found.conversations).toHaveLength(9);
});
