import { expect, test } from 'vitest';
import { chat, replay } from './fixtures/sandbox.ts';
import { refunded } from './fixtures/shop-agent.ts';

test('a tool with a sandbox at its boundary has its effect in a chat, and none in a replay', async () => {
  process.env.SVC_RUN_TOKEN = 'run';
  const request = new Request('http://agent/replay', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-replay': 'true', 'x-svc-run-token': 'run' },
    body: JSON.stringify({ input: 'FO-1' }),
  });
  expect(await (await replay(request)).json()).toMatchObject({ output: 'refunded as rf_sandbox' });
  expect(refunded).toEqual([]);
  expect(await chat('FO-2')).toBe('refunded as rf_1');
  expect(refunded).toEqual(['FO-2']);
});
