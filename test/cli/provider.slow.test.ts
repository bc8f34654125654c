import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/index.ts';
import { outcomes } from '../outcomes.ts';
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

test.concurrent('a model that is not there is said as that, where the agent answers with an apology', async () => {
  await using model = await startModel(() => 200);
  await model.switchOff();
  await using project = await asking(model);
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  const message = `The model provider (acme.chat, model small) could not be reached at ${model.address}: connection refused.`;
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`PROVIDER_FAILED 2 replays of greeting: ${message}`);
  expect(stdout).not.toMatch(/cause/i);
  const { results } = await project.report();
  expect(results.sessions).toMatchObject([
    { verdict: outcomes.couldNotTell, turns: [{ comparison: { divergence: null }, problems: [{ message }] }] },
  ]);
});

test.concurrent('a limit at every ninth call of the model is met by another run, counted and told apart', async () => {
  await using model = await startModel((call) => (call % 9 === 0 ? 429 : 200));
  await using project = await asking(model, { runs: 10, retries: 2 });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(stdout).toMatch(/as recorded +0 of 10, 1 replaced: 429/);
  expect(code).toBe(0);
  expect(stdout).toContain('11 calls, 1 replaced');
  expect(model.calls).toBe(11);
  const { results, evidence } = await project.report();
  expect(JSON.stringify(results)).not.toContain('429');
  const [met] = evidence.runs.filter(({ replaced }) => replaced !== undefined);
  const [failed] = met?.replaced ?? [];
  expect(failed).toMatchObject({ status: 200, attempts: 1, reason: '429', traceId: expect.any(String) });
  expect(met?.replayRunId).toContain(`${failed?.replayRunId.replace(/\.\w+$/, '')}.p1.`);
  for (const file of ['report.md', 'junit.xml']) {
    expect(await project.read(`.agent-replay/${file}`)).toContain('1 replaced: 429');
  }
  // The page says it beside the run.
  expect(await project.read('.agent-replay/report.html')).toContain('"reason":"429"');
});

test.concurrent('what is replaced is no more than retries allow; then the provider is said to have failed', async () => {
  await using model = await startModel(() => 429);
  await using project = await asking(model, { runs: 3, retries: 1 });
  const { code } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(model.calls).toBe(4);
  const { results } = await project.report();
  const message = 'The model provider (acme.chat, model small) answered 429.';
  expect(results.sessions[0]?.turns[0]?.problems).toMatchObject([
    { code: 'PROVIDER_FAILED', message, runs: [1, 2, 3] },
  ]);
});

test.concurrent('what is replaced counts among the calls that may be made', async () => {
  await using model = await startModel(() => 429);
  await using project = await asking(model, { runs: 2, retries: 2, maxCalls: 2 });
  const { code } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(model.calls).toBe(2);
  const { results } = await project.report();
  expect(results.sessions[0]?.turns[0]?.problems).toMatchObject([{ code: 'PROVIDER_FAILED', runs: [1, 2] }]);
});

test.concurrent('a key that is refused is said as that', async () => {
  await using model = await startModel(() => 401);
  await using project = await asking(model, { retries: 2 });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('The model provider (acme.chat, model small) answered 401.');
  expect(stdout).toContain('it said: Incorrect API key provided: k.');
  // Asked no second time.
  expect(model.calls).toBe(2);
});
