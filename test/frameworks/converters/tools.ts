/** Tries `replayTools` with the frameworks' own tools: what they ask for, and what comes back through them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { tool as langChainTool, StructuredTool } from '@langchain/core/tools';
import { createTool } from '@mastra/core/tools';
import { tool as agentsTool, RunContext } from '@openai/agents-core';
import { replayTools } from 'agent-replay/endpoint';
import { z } from 'zod';

const asked: Record<string, unknown>[] = [];
let policy: object = { policy: 'recorded', result: 'recorded' };
const server = createServer(async (request, response) => {
  const body = (await json(request)) as Record<string, unknown>;
  asked.push(body);
  response.setHeader('content-type', 'application/json').end(JSON.stringify('wrapped' in body ? {} : policy));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.env.AGENT_REPLAY_TOOLS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.env.AGENT_REPLAY_TOOLS_TOKEN = 'token';

const ran: string[] = [];
const schema = z.object({ city: z.string() });
const execute = async ({ city }: { city: string }): Promise<string> => `real ${ran.push(city)}`;
const about = { name: 'weather', description: 'Tells the weather.' };
const call = { name: 'weather', arguments: { city: 'Bonn' }, svc_replay_run_id: 'r1' };
const calls = () => asked.filter((body) => !('wrapped' in body));

const [agents] = replayTools([agentsTool({ ...about, parameters: schema, execute })], { runId: 'r1' });
const details = { toolCall: { type: 'function_call', callId: 'c1', name: 'weather', arguments: '{}' } } as const;
assert.equal(await agents?.invoke(new RunContext(), '{"city":"Bonn"}', details), 'recorded');
assert.deepEqual(calls().at(-1), { ...call, call_id: 'c1' });

class Weather extends StructuredTool {
  name = 'weather';
  description = 'Tells the weather.';
  schema = schema;
  _call(args: { city: string }): Promise<string> {
    return execute(args);
  }
}
for (const made of [langChainTool(execute, { ...about, schema }), new Weather()]) {
  const [tool] = replayTools([made as StructuredTool], { runId: 'r1' });
  assert.ok(tool instanceof StructuredTool);
  assert.equal(await tool.invoke({ city: 'Bonn' }), 'recorded');
  assert.deepEqual(calls().at(-1), call);
  const message = await tool.invoke({ type: 'tool_call', id: 'c2', name: 'weather', args: { city: 'Bonn' } });
  assert.equal(message.content, 'recorded');
  assert.deepEqual(calls().at(-1), { ...call, call_id: 'c2' });
}

const mastra = replayTools(
  { weather: createTool({ id: 'weather', description: 'Tells it.', inputSchema: schema, execute }) },
  { runId: 'r1' },
).weather;
const context = { agent: { toolCallId: 'c3', messages: [] } } as unknown as Parameters<
  NonNullable<typeof mastra.execute>
>[1];
assert.equal(await mastra.execute?.({ city: 'Bonn' }, context), 'recorded');
assert.deepEqual(calls().at(-1), { ...call, call_id: 'c3' });
assert.deepEqual(ran, []);
policy = { policy: 'live' };
assert.equal(await agents?.invoke(new RunContext(), '{"city":"Bonn"}'), 'real 1');
assert.equal(await mastra.execute?.({ city: 'Bonn' }, context), 'real 2');
assert.ok(asked.some(({ wrapped }) => JSON.stringify(wrapped) === '["weather"]'));
server.close();
server.closeAllConnections();
console.log('tools of all are stood in for');
