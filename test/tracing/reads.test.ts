import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LangfuseClient } from '@langfuse/client';
import { expect, test } from 'vitest';
import { startReceiver } from '../../src/tracing/index.ts';

/** A platform that has one prompt, and remembers what it was asked and with which keys. */
async function platformWith(prompt: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const keys = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    asked.push(`${request.method} ${request.url} ${keys}`);
    const isThere = request.url?.startsWith('/api/public/v2/prompts/support') ?? false;
    const found = { name: 'support', version: 3, type: 'text', prompt, config: {}, labels: ['production'], tags: [] };
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isThere ? found : { message: 'Prompt not found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { from: { host, publicKey: 'pk-own', secretKey: 'sk-own' }, asked, [Symbol.asyncDispose]: close };
}

test('an agent whose tracing host is the receiver has its prompts from the platform, with the platform’s keys', async () => {
  await using platform = await platformWith('Be kind.');
  await using receiver = await startReceiver({ readsFrom: platform.from });
  const client = new LangfuseClient({
    baseUrl: receiver.url,
    publicKey: receiver.publicKey,
    secretKey: receiver.secretKey,
  });
  expect((await client.prompt.get('support')).prompt).toBe('Be kind.');
  expect(platform.asked).toEqual([expect.stringMatching(/^GET \/api\/public\/v2\/prompts\/support\S* pk-own:sk-own$/)]);
  await expect(client.prompt.get('sales', { maxRetries: 0 })).rejects.toThrow();
  const { reads } = receiver.stats();
  expect(reads.passed).toBe(1);
  expect(reads.refused).toEqual(['GET /api/public/v2/prompts/sales: 404']);
});

test('what the receiver holds itself is never asked of the platform, nor is anything for a stranger', async () => {
  await using platform = await platformWith('Be kind.');
  await using receiver = await startReceiver({ readsFrom: platform.from });
  const authorization = `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`;
  const read = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${receiver.url}${path}`, { headers })).status;
  expect(await read('/api/public/projects', { authorization })).toBe(200);
  expect(await read('/api/public/health', {})).toBe(200);
  expect(await read('/api/public/v2/prompts/support', {})).toBe(401);
  expect(await read('/api/public/v2/prompts/support', { authorization: 'Basic cGs6c2s=' })).toBe(401);
  expect(platform.asked).toEqual([]);
});

test('without a platform, or with one that is not there, the agent is told so, and it is counted', async () => {
  await using alone = await startReceiver();
  await using gone = await startReceiver({
    readsFrom: { host: 'http://127.0.0.1:9', publicKey: 'pk', secretKey: 'sk-of-the-platform' },
  });
  const answers = await Promise.all(
    [alone, gone].map(async ({ url, publicKey, secretKey }) => {
      const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
      const answer = await fetch(`${url}/api/public/v2/prompts/support`, { headers: { authorization } });
      return `${answer.status} ${await answer.text()}`;
    }),
  );
  expect(answers[0]).toMatch(/^404 .*no platform is known/);
  expect(answers[1]).toMatch(/^502 /);
  expect(answers.join()).not.toContain('sk-of-the-platform');
  expect(alone.stats().reads.refused).toEqual(['GET /api/public/v2/prompts/support: no platform is known']);
  expect(gone.stats().reads.refused).toEqual([expect.stringMatching(/support: (ECONNREFUSED|.+)/)]);
});
