import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import { replayOptions, replaySessions } from '../../src/replay/index.ts';
import { all, failure, json, type Served, serve, sessionOf } from './served.ts';

const paths = (agent: Served) => agent.asked.map(({ url }) => url);

function answersAt(path: string, host?: string): Promise<Served> {
  return serve(
    ({ url }, response) => json(response, { output: url }, { status: url.split('?')[0] === path ? 200 : 404 }),
    host === undefined ? {} : { host },
  );
}

test.each([
  ['ends in /replay', '/replay', '/replay', ['/replay']],
  ['ends in /replay/', '/replay/', '/replay/', ['/replay/']],
  ['ends in /replay after a prefix, with a query', '/api/v1/replay?k=1', '/api/v1/replay', ['/api/v1/replay?k=1']],
  ['is a bare base URL of a server that answers on /replay', '', '/replay', ['/replay']],
  ['is a bare base URL of a server that answers on /', '/', '/', ['/replay', '/']],
  ['has a prefix under which /replay is', '/api/', '/api/replay', ['/api/replay']],
  ['has a prefix that is itself the endpoint', '/chat?k=1', '/chat', ['/chat/replay?k=1', '/chat?k=1']],
])('fault 26: a target works that %s', async (_, target, endpoint, asked) => {
  await using agent = await answersAt(endpoint);
  expect(await all({ target: agent.origin + target })).toMatchObject([{ attempts: 1, outcome: { kind: 'replayed' } }]);
  expect(paths(agent)).toEqual(asked);
});

test('only the first call finds out where the endpoint is, and the others remember it', async () => {
  const held: (() => void)[] = [];
  await using agent = await serve(({ url, number }, response) => {
    const answer = () => json(response, { output: url }, { status: url === '/' ? 200 : 404 });
    if (number <= 2) return answer();
    // Held until all workers are there: they must not go one by one.
    if (held.push(answer) === 8) for (const release of held.splice(0)) release();
  });
  await all({ target: agent.origin, settings: { runs: 17, workers: 8 } });
  expect(paths(agent)).toEqual(['/replay', ...Array.from({ length: 17 }, () => '/')]);
});

test('a 405 leads to the other path as well, and any other status does not', async () => {
  await using agent = await serve(({ url }, response) =>
    json(response, { output: 1 }, { status: url === '/replay' ? 405 : 200 }),
  );
  expect(await all({ target: agent.origin })).toMatchObject([{ outcome: { kind: 'replayed' } }]);
  await using failing = await serve((_, response) => json(response, {}, { status: 500 }));
  await failure({ target: failing.origin });
  expect(paths(failing)).toEqual(['/replay']);
});

test('when there is nothing at either path, the answer of /replay is told', async () => {
  await using agent = await serve(({ url }, response) => json(response, { at: url }, { status: 404 }));
  const error = await failure({ target: agent.origin });
  expect(error.evidence).toContain('body: {"at":"/replay"}');
  expect(error.hint).toContain('Is /replay mounted?');
});

test('a call that breaks off tells nothing about the path: the next one finds out', async () => {
  await using agent = await serve(({ number, url }, response, socket) =>
    number === 1 ? socket.resetAndDestroy() : json(response, { output: 1 }, { status: url === '/' ? 200 : 404 }),
  );
  const results = await all({ target: agent.origin, settings: { runs: 3, workers: 3 } });
  expect(results.map(({ outcome }) => outcome.kind).sort()).toEqual(['replayed', 'replayed', 'unverified']);
  expect(paths(agent)).toEqual(['/replay', '/replay', '/', '/']);
});

test('fault 26: an IPv6 literal works', async () => {
  await using agent = await answersAt('/replay', '::1');
  expect(agent.url).toContain('[::1]');
  expect(await all({ target: agent.url })).toMatchObject([{ outcome: { kind: 'replayed' } }]);
});

test('fault 26: credentials of the URL are sent as basic authorization, unless the customer sets that header', async () => {
  await using agent = await serve(({ headers }, response) => json(response, { output: headers.authorization }));
  const target = agent.url.replace('//', '//me:p%40ss@');
  expect(await all({ target })).toMatchObject([{ outcome: { response: { output: `Basic ${btoa('me:p@ss')}` } } }]);
  expect(await all({ target, settings: { headers: { Authorization: 'Bearer x' } } })).toMatchObject([
    { outcome: { response: { output: 'Bearer x' } } },
  ]);
});

test.each([
  ['no URL', '127.0.0.1:3000/replay'],
  ['no URL', 'replay'],
  ['another scheme', 'ftp://me:hush@host/replay'],
  ['another scheme', 'file:///replay'],
])('fault 26: %s is refused before anything is sent, and shows no credentials', (_, target) => {
  const settings = replayOptions.parse({});
  try {
    replaySessions([sessionOf('s', 'hi')], { target, source: null, settings });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(AgentReplayError);
    expect(error).toMatchObject({ code: 'TARGET_INVALID' });
    expect(String(error)).not.toContain('hush');
  }
});

test('fault 26: a host that does not exist is told as unreachable', async () => {
  expect(await failure({ target: 'http://no-such-host.invalid/replay' })).toMatchObject({ code: 'TARGET_UNREACHABLE' });
});
