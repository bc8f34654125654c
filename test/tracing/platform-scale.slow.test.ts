import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { type SyncStep, syncSessions } from '../../src/job/index.ts';
import type { JsonObject } from '../../src/json/index.ts';
import { findConversations, openPlatform, readConversation } from '../../src/tracing/index.ts';
import { folderWith } from '../config/folder.ts';
import { exchanges, KEYS, platform, serve } from './platform-server.ts';

const [RECORDED] = exchanges('v4-dual.trace-get-1').map(({ response }) => response.body as JsonObject) as [JsonObject];
const at = (second: number) => new Date(Date.parse('2026-11-01T00:00:00.000Z') + second * 1_000).toISOString();

/** One turn of a session that is written at this second. */
function turn(session: string, second: number): JsonObject {
  const metadata = { ...(RECORDED.metadata as JsonObject), session_id: session };
  return { ...RECORDED, id: `turn-of-${session}`, sessionId: session, metadata, timestamp: at(second) };
}

async function synced(
  traces: () => JsonObject[],
  options: { limit: number; folder: string; host: string; signal: AbortSignal; onStep?: () => void },
): Promise<SyncStep[]> {
  const config = parseConfig({ agent: { url: 'http://127.0.0.1:1' } }, { folder: options.folder });
  await using source = await openPlatform({ host: options.host, ...KEYS });
  const steps: SyncStep[] = [];
  const { limit, signal } = options;
  const rest = { ids: [], dir: 'replays', update: false, dryRun: false, since: at(0), signal };
  for await (const step of syncSessions(source, config, { ...rest, limit })) {
    steps.push(step);
    options.onStep?.();
  }
  expect(traces().length).toBeGreaterThan(0);
  return steps;
}

const countOf = (steps: readonly SyncStep[], wanted: SyncStep['kind']) =>
  steps.filter(({ kind }) => kind === wanted).length;

test('1,000 sessions are pinned though more are written meanwhile, in as many goes as it takes, and none is lost', async ({
  signal,
}) => {
  let stored = Array.from({ length: 1_000 }, (_, n) => turn(`s${n}`, n));
  let late = 0;
  const write = () => {
    if (late >= 50) return;
    const now = (Date.now() - Date.parse(at(0))) / 1_000;
    stored = [...stored, turn(`late${late++}`, now)];
  };
  await using server = await serve((url, request, body) => platform('dual', { traces: stored })(url, request, body));
  await using folder = await folderWith({});
  const place = { folder: folder.path, host: server.url, signal };
  const first = await synced(() => stored, { ...place, limit: 400, onStep: write });
  expect(countOf(first, 'written')).toBe(400);
  expect(first.at(-1)).toEqual({ kind: 'left', count: 600 });
  const second = await synced(() => stored, { ...place, limit: Number.POSITIVE_INFINITY });
  // What was left, and what was written while the first went on.
  expect(countOf(second, 'written')).toBe(600 + late);
  expect(late).toBe(50);
  const third = await synced(() => stored, { ...place, limit: Number.POSITIVE_INFINITY });
  expect(countOf(third, 'known')).toBe(third.length);
  expect(await readdir(path.join(folder.path, 'replays'))).toHaveLength(1_050);
});

test('of 100,000 traces the newest 10,000 are looked through, and an old session is found by its id', async ({
  signal,
}) => {
  const traces = Array.from({ length: 100_000 }, (_, n) => turn(`s${Math.floor(n / 5)}`, n)).map((trace, n) => ({
    ...trace,
    id: `t${n}`,
    sessionId: n % 2 === 0 ? trace.sessionId : null,
  })) as JsonObject[];
  await using server = await serve(platform('dual', { traces }));
  await using source = await openPlatform({ host: server.url, ...KEYS });
  const found = await findConversations(source, { since: at(0), limit: 20 }, { signal });
  expect(found).toMatchObject({ traces: 10_000, replays: 0, lookedBackTo: at(89_999) });
  expect(found.conversations).toHaveLength(20);
  // 101 pages, and whether the API is there.
  expect(server.asked.length).toBe(102);
  server.asked.length = 0;
  const turns = await readConversation(source, 's19000', { signal });
  expect(turns.length).toBe(5);
  expect(server.asked.length).toBeLessThan(15);
});
