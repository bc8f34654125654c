import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/index.ts';
import { type Model, startModel } from '../replay/model.ts';
import { command } from './command.ts';
import { type Project, projectWith } from './project.ts';

const AGENT = fileURLToPath(new URL('../replay/fixtures/ai-sdk-agent.ts', import.meta.url));
const MESSAGES = [{ role: 'user', content: 'hi' }];

/** A real agent with one model call, and its recording: the model said hello. */
function asking(model: Model, config: Partial<ConfigInput> = {}, { env = {} } = {}): Promise<Project> {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const recorded = {
    output: 'hello',
    observations: [
      { id: 'r', parentId: null, type: 'span', name: 'turn', startTime: at(0), endTime: at(3), output: 'hello' },
      {
        id: 'g',
        parentId: 'r',
        type: 'generation',
        name: 'chat small',
        startTime: at(1),
        endTime: at(2),
        input: MESSAGES,
        output: [{ role: 'assistant', parts: [{ type: 'text', content: 'hello' }] }],
        model: 'small',
      },
    ],
  };
  const pin = { version: 1, id: 'greeting', turns: [{ request: { messages: MESSAGES }, recorded }] };
  return projectWith({
    files: { 'replays/greeting.session.json': JSON.stringify(pin) },
    config: { timeouts: { trace: 10_000 }, ...config },
    agent: {
      command: `"${process.execPath}" --disable-warning=ExperimentalWarning "${AGENT}"`,
      env: { MODEL_URL: `http://${model.address}/v1`, ...env },
    },
  });
}

test('a model that is not there is said as that, where the agent answers with an apology', async () => {
  await using model = await startModel(() => 200);
  await model.switchOff();
  await using project = await asking(model);
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  const message = `The model provider (acme.chat, model small) could not be reached at ${model.address}: connection refused.`;
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`PROVIDER_FAILED turn 1, runs 1-2: ${message}`);
  expect(stdout).not.toMatch(/cause/i);
  const { results } = await project.report();
  expect(results.sessions).toMatchObject([
    { verdict: 'inconclusive', turns: [{ comparison: { divergence: null }, problems: [{ message }] }] },
  ]);
});

test('a key that is refused is said as that', async () => {
  await using model = await startModel(() => 401);
  await using project = await asking(model);
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('The model provider (acme.chat, model small) answered 401.');
  expect(stdout).toContain('it said: Incorrect API key provided: k.');
});
