import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/index.ts';
import { type Exchange, exchanges, KEYS, limited, platform } from './platform-server.ts';

const bodies = (file: string): JsonObject[] => exchanges(file).map(({ response }) => response.body as JsonObject);
const rowsIn = (body: JsonObject): JsonObject[] => body.data as JsonObject[];
const idsIn = (body: JsonObject): string[] => rowsIn(body).map(({ id }) => String(id));

/** What the recorded server held, as far as it is recorded whole. */
const STORED = {
  traces: ['v4-dual.trace-get-1', 'v4-dual.trace-get-2'].flatMap(bodies),
  rows: ['v4-dual.observations-v2-trace-js5', 'v4-dual.observations-v2-trace-others'].flatMap(bodies).flatMap(rowsIn),
};
const HELD = new Set([...STORED.traces, ...STORED.rows].map(({ id }) => id));

const authorization = `Basic ${Buffer.from(`${KEYS.publicKey}:${KEYS.secretKey}`).toString('base64')}`;
const request = { headers: { authorization } } as IncomingMessage;
const answerTo = (path: string) => platform('dual', STORED)(new URL(path, 'http://platform'), request, Buffer.alloc(0));

const bodyOf = (path: string) => answerTo(path)?.body as JsonObject;

/** Requests of the kinds that are made here, about what is held. */
const recorded = ['v4-dual.traces-filter', 'v4-dual.observations-v2-filter', 'v4-dual.observations-v2-cursor']
  .flatMap(exchanges)
  .filter(({ request: { path }, response }) => {
    const asked = new URL(path, 'http://platform').searchParams;
    const filter = JSON.parse(asked.get('filter') ?? '[]') as { column: string; operator: string }[];
    const isKnown = filter.every(
      ({ column, operator }) => column === 'metadata' && /^(=|starts with|contains|matches)$/.test(operator),
    );
    const isHeld = idsIn(response.body as JsonObject).every((id) => HELD.has(id));
    return isKnown && isHeld && asked.get('cursor') === null && asked.get('limit') !== '0';
  });

test.each(
  recorded.map((exchange): [string, Exchange] => [decodeURIComponent(exchange.request.path).slice(0, 150), exchange]),
)('the stand-in finds what the recorded server found, and as much of it: %s', (_, { request: { path }, response }) => {
  const [expected, given] = [response.body as JsonObject, bodyOf(path)];
  // Rows that began in the same millisecond come in any order.
  expect(idsIn(given).sort()).toEqual(idsIn(expected).sort());
  const [meant, meta] = [expected.meta as JsonObject, given.meta as JsonObject];
  if (path.includes('/traces')) expect(meta).toEqual(meant);
  else expect('cursor' in meta).toBe('cursor' in meant);
  const keysOf = (row: JsonObject | undefined) =>
    Object.keys(row ?? {}).filter((key) => /^(io|metadata|input|output)$/.test(key));
  expect(keysOf(rowsIn(given)[0])).toEqual(expect.arrayContaining(keysOf(rowsIn(expected)[0])));
});

test('enough recorded requests are compared', () => {
  expect(recorded.length).toBeGreaterThan(10);
});

test('the stand-in pages by cursor to the end, as the recorded server did', () => {
  const [first] = exchanges('v4-dual.observations-v2-cursor') as [Exchange];
  const ids: string[] = [];
  let path: string | undefined = first.request.path;
  let pages = 0;
  for (; path !== undefined; pages++) {
    const { data, meta } = bodyOf(path) as { data: JsonObject[]; meta: JsonObject };
    ids.push(...data.map(({ id }) => String(id)));
    path = meta.cursor === undefined ? undefined : `${first.request.path}&cursor=${meta.cursor}`;
  }
  const whole = exchanges('v4-dual.observations-v2-cursor').slice(0, 3);
  expect(pages).toBe(3);
  expect(ids.sort()).toEqual(whole.flatMap(({ response }) => idsIn(response.body as JsonObject)).sort());
});

test('a limit is said in headers, refuses what is above it, and is over with the minute', () => {
  let now = 0;
  const server = limited(platform('dual', STORED), 2, () => now);
  const ask = () => server(new URL('http://platform/api/public/traces?limit=1'), request, Buffer.alloc(0));
  expect([ask()?.status, ask()?.status]).toEqual([200, 200]);
  now = 20_000;
  expect(ask()).toMatchObject({ status: 429, headers: { 'retry-after': '40', 'x-ratelimit-limit': '2' } });
  now = 60_000;
  expect(ask()?.status).toBe(200);
});
