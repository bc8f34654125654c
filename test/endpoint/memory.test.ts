import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { expect, test } from 'vitest';
import { replaySpanProcessor } from '../../src/endpoint/index.ts';
import { chat, replay } from './fixtures/memory.ts';

test('a replay is given the earlier turns that it was sent, and leaves nothing for the next one', async () => {
  process.env.SVC_RUN_TOKEN = 'run';
  new NodeTracerProvider({ spanProcessors: [replaySpanProcessor()] }).register();
  const sent = async (earlier: string) => {
    const body = {
      is_replay: true,
      svc_replay_run_id: `run-${earlier}`,
      svc_original_session_id: 'one',
      messages: [earlier, 'and now?'].map((content) => ({ role: 'user', content })),
    };
    const headers = { 'content-type': 'application/json', 'x-svc-run-token': 'run' };
    const answer = await replay(
      new Request('http://agent/replay', { method: 'POST', headers, body: JSON.stringify(body) }),
    );
    return ((await answer.json()) as { output: string }).output;
  };
  expect(await Promise.all([sent('a'), sent('b'), sent('a')])).toEqual(['a, and now?', 'b, and now?', 'a, and now?']);
  expect(await chat('replay-one', 'hello')).toBe('hello');
});
