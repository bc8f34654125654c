import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inCausalOrder, type Observation } from '../../src/trace/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { startProgram } from '../programs.ts';
import { type Answer, startModel } from './model.ts';

const CAPTURES = new URL('fixtures/provider-failures.json', import.meta.url);
/** Stands for the model's own port, which is another one each time. */
const PORT = ':4010';

/** What a real agent traces while its model answers like this, in turn, and is then switched off. */
async function tracesOf(program: string, env: Record<string, string>): Promise<Record<string, Observation[]>> {
  await using receiver = await startReceiver();
  let answer: Answer = 200;
  await using model = await startModel(() => answer);
  const { address } = model;
  const port = address.slice(address.lastIndexOf(':'));
  await using agent = await startProgram(['--disable-warning=ExperimentalWarning', fixture(program)], {
    ...receiver.environment(),
    MODEL_URL: `http://${address}/v1`,
    ...env,
  });
  const turn = async (id: string) => {
    const body = JSON.stringify({ svc_replay_run_id: id });
    const responded = fetch(`http://127.0.0.1:${agent.line}/replay`, { method: 'POST', body });
    const { observations } = await receiver.waitFor(id, { signal: patience(), responded });
    return JSON.parse(JSON.stringify(inCausalOrder(observations)).replaceAll(port, PORT));
  };
  const traces: Record<string, Observation[]> = {};
  for (answer of [200, 401, 429, 500] as const) {
    traces[answer] = await turn(`run-${answer}`);
  }
  await model.switchOff();
  return { ...traces, down: await turn('run-down') };
}

function fixture(program: string): string {
  return new URL(`fixtures/${program}`, import.meta.url).pathname;
}

/** Ids and times are others each time. */
function shapeOf(observations: readonly Observation[]): unknown {
  return observations.map(({ id: _, parentId: __, startTime: ___, endTime: ____, ...rest }) => rest);
}

/** `CAPTURE=1` writes what the SDKs trace now; without it that is what was captured. */
test.each([
  ['ai-sdk-7', 'ai-sdk-agent.ts', {}],
  ['ai-sdk-7-tries-again', 'ai-sdk-agent.ts', { MAX_RETRIES: '1' }],
  ['ai-sdk-7-streams', 'ai-sdk-agent.ts', { STREAMS: '1' }],
  ['ai-sdk-6', 'ai-sdk-6-agent.ts', {}],
  ['openai-observed-by-langfuse', 'openai-agent.ts', {}],
  ['langfuse-by-hand', 'langfuse-agent.ts', {}],
  ['opentelemetry', 'opentelemetry-agent.ts', {}],
])('%s still traces a model that fails as it was captured', async (name, program, env) => {
  const traces = await tracesOf(program, env);
  const captures = existsSync(CAPTURES) ? JSON.parse(readFileSync(CAPTURES, 'utf8')) : {};
  if (process.env.CAPTURE === '1') {
    writeFileSync(CAPTURES, `${JSON.stringify({ ...captures, [name]: traces }, null, 1)}\n`);
    return;
  }
  expect(Object.keys(traces)).toEqual(['200', '401', '429', '500', 'down']);
  for (const [answer, observations] of Object.entries(traces)) {
    expect({ answer, shape: shapeOf(observations) }).toEqual({ answer, shape: shapeOf(captures[name][answer]) });
  }
});
