import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/index.ts';
import { openPlatform } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { type Answered, exchanges, KEYS, platform, serve } from './platform-server.ts';

const [RECORDED] = exchanges('v4-dual.trace-get-1').map(({ response }) => response.body as JsonObject) as [JsonObject];
const reference = (id: string) => `@@@langfuseMedia:type=image/png|id=${id}|source=base64_data_uri@@@`;
const nameOf = (content: string) => createHash('sha256').update(content).digest('base64url').slice(0, 22);

/** Traces that name the same image as two servers would, by chance and again by chance; and where the image is. */
async function serverWith(images: Readonly<Record<string, string>>) {
  const traces = Object.keys(images).map((id, index) => ({
    ...RECORDED,
    id: `t${index}`,
    output: { image: reference(id), again: [`see ${reference(id)}`] },
  }));
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = await serve((url, request, body): Answered | undefined => {
    asked.push({ path: url.pathname, authorization: request.headers.authorization });
    const id = url.pathname.split('/').at(-1) as string;
    if (url.pathname.startsWith('/api/public/media/')) {
      const image = { mediaId: id, contentType: 'image/png', url: `http://${request.headers.host}/storage/${id}` };
      return { status: 200, body: image };
    }
    const image = images[id];
    if (url.pathname.startsWith('/storage/')) return image === '' ? undefined : { status: 200, body: image as string };
    return platform('v2', { traces })(url, request, body);
  });
  return Object.assign(server, { requests: asked });
}

const signal = patience();

test('files that a server names by chance are named by their content, as the receiver and newer servers do', async () => {
  const [one, other, different] = [randomUUID(), randomUUID(), randomUUID()] as const;
  await using server = await serverWith({ [one]: 'pixels', [other]: 'pixels', [different]: 'others' });
  await using source = await openPlatform({ host: server.url, ...KEYS });
  const outputs = [];
  for (const id of ['t0', 't1', 't2', 't0']) outputs.push((await source.trace(id, { signal }))?.output);
  const named = (content: string) => {
    const text = reference(nameOf(content));
    return { image: text, again: [`see ${text}`] };
  };
  expect(outputs).toEqual([named('pixels'), named('pixels'), named('others'), named('pixels')]);
  // Each is read once, and its storage is given no key.
  const stored = server.requests.filter(({ path }) => path.startsWith('/storage/'));
  expect(stored).toHaveLength(3);
  expect(stored.every(({ authorization }) => authorization === undefined)).toBe(true);
});

test('a file that is not given out keeps its name, and one that is named by content is not asked for', async () => {
  const [gone, content] = [randomUUID(), nameOf('pixels')] as const;
  await using server = await serverWith({ [gone]: '', [content]: 'pixels' });
  await using source = await openPlatform({ host: server.url, ...KEYS });
  expect((await source.trace('t0', { signal }))?.output).toMatchObject({ image: reference(gone) });
  expect((await source.trace('t1', { signal }))?.output).toMatchObject({ image: reference(content) });
  expect(server.requests.filter(({ path }) => path.endsWith(content))).toEqual([]);
});
