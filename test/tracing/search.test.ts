import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/index.ts';
import { type FoundConversations, findConversations, openPlatform, searchNotes } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { type Handler, KEYS, type Mode, platform, serve } from './platform-server.ts';

const at = (second: number) => new Date(Date.parse('2026-11-01T00:00:00.000Z') + second * 1_000).toISOString();
const COUNT = 400;
const OLD = 7;

/** What the oldest turns say, are called and belong to; the others say hello. */
function saidBy(n: number): JsonObject {
  return n === OLD
    ? {
        input: 'I want my Money back',
        output: 'A refund of 17 is on its way.',
        name: 'weekly-report',
        sessionId: 'old',
      }
    : { input: 'hello', output: 'hi', name: 'turn', sessionId: `s${n}` };
}

const TRACES = Array.from({ length: COUNT }, (_, n): JsonObject => {
  const said = saidBy(n);
  return { id: `t${n}`, timestamp: at(n), metadata: {}, observations: [], ...said };
});
const ROWS = TRACES.map(
  ({ id, timestamp, name, ...said }): JsonObject => ({
    ...said,
    id: `root-of-${id}`,
    traceId: id as string,
    parentObservationId: null,
    isRootObservation: true,
    type: 'SPAN',
    name: name as string,
    startTime: timestamp as string,
    endTime: timestamp as string,
  }),
);

async function searched(handler: Handler, search: string): Promise<FoundConversations> {
  await using server = await serve(handler);
  await using source = await openPlatform({ host: server.url, ...KEYS });
  const signal = patience();
  return await findConversations(source, { search, limit: 20, maxTraces: 100 }, { signal });
}

const idsOf = ({ conversations }: FoundConversations) => conversations.map(({ id }) => id);
const server = (mode: Mode) => platform(mode, { traces: TRACES, rows: ROWS });

test.each(['events_only', 'dual', 'legacy'] as const)(
  'what is called by its whole name or id further back than was looked is found, and it is said how far was looked: %s',
  async (mode) => {
    for (const whole of ['weekly-report', 'old', `t${OLD}`]) {
      const found = await searched(server(mode), whole);
      expect(idsOf(found)).toEqual(['old']);
      expect(searchNotes(found)).toEqual([
        expect.stringMatching(/^looked through 100 traces only, back to 2026-11-01T00:0/),
        `further back, only "${whole}" as a whole name or id was looked for`,
      ]);
    }
    expect(idsOf(await searched(server(mode), 'weekly'))).toEqual([]);
  },
);

/** The reads that a search makes besides those that look through the newest traces. */
async function readsFurtherBack(mode: Mode, search: string): Promise<number> {
  const readsOf = async (words: string) => {
    await using stand = await serve(server(mode));
    await using source = await openPlatform({ host: stand.url, ...KEYS });
    await findConversations(source, { search: words, limit: 20, maxTraces: 100 }, { signal: patience() });
    return stand.asked.length;
  };
  return (await readsOf(search)) - (await readsOf(''));
}

test.each([
  ['events_only', 'nowhere', 6],
  ['events_only', 'not anywhere', 12],
  ['dual', 'nowhere', 10],
  ['legacy', 'nowhere', 11],
] as const)('%s: searching further back for "%s" takes %i reads at most', async (mode, search, reads) => {
  const made = await readsFurtherBack(mode, search);
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThanOrEqual(reads);
});
