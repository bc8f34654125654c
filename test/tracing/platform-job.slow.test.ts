import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { type JobOptions, runJob } from '../../src/job/index.ts';
import { freePort } from '../agent/processes.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';
import { wholeMessage } from '../whole-message.ts';
import { ingestingPlatform, KEYS, serve } from './platform-server.ts';

const AGENT = path.join(import.meta.dirname, 'fixtures', 'langfuse-v5-agent.ts');

/** For this process, as a workflow sets it. */
function setEnvironment(variables: Record<string, string>): void {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
/** What the agent does, if `q` is what it searches for. */
const pin = (id: string, q: string) =>
  JSON.stringify({
    version: 1,
    id,
    turns: [
      {
        request: { input: 'a' },
        recorded: {
          output: 'done',
          observations: [
            { id: 'r', parentId: null, type: 'agent', name: 'turn', startTime: at(0), endTime: at(9), output: 'done' },
            {
              id: 'g',
              parentId: 'r',
              type: 'generation',
              name: 'plan',
              startTime: at(1),
              endTime: at(2),
              model: 'm',
              input: { messages: [] },
              output: {
                role: 'assistant',
                content: null,
                tool_calls: [
                  { id: 'c9', type: 'function', function: { name: 'search', arguments: JSON.stringify({ q }) } },
                ],
              },
            },
            {
              id: 't',
              parentId: 'r',
              type: 'tool',
              name: 'search',
              startTime: at(3),
              endTime: at(4),
              input: { q },
              output: { hits: ['a'] },
            },
          ],
        },
      },
    ],
  });

async function job(settings: object, options: JobOptions = {}) {
  const port = await freePort();
  await using folder = await folderWith({
    'replays/same.session.json': pin('same', 'a'),
    'replays/other.session.json': pin('other', 'b'),
  });
  const config = parseConfig(
    {
      runs: 3,
      tracing: 'platform',
      agent: {
        command: `"${process.execPath}" --disable-warning=ExperimentalWarning "${AGENT}"`,
        url: `http://127.0.0.1:${port}/replay`,
        env: { PORT: String(port) },
      },
      ...settings,
    },
    { folder: folder.path },
  );
  return await runJob(config, options);
}

test('with tracing: platform the agent traces to the platform, and its replays are compared from there', async () => {
  await using server = await serve(ingestingPlatform());
  setEnvironment({
    TRACING_HOST: server.url,
    TRACING_PUBLIC_KEY: KEYS.publicKey,
    TRACING_SECRET_KEY: KEYS.secretKey,
  });
  const report = await job({});
  expect([report.results.problems, ...report.results.sessions.map(({ problems }) => problems)].flat()).toEqual([]);
  expect(report.results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.changed, outcomes.asRecorded]);
  expect(JSON.stringify(report)).not.toContain(KEYS.secretKey);
});

test('without host and keys nothing is started', async () => {
  await expect(job({})).rejects.toMatchObject({ code: 'PLATFORM_NOT_CONFIGURED' });
});

test('keys that the platform refuses are an error of the run, never a pass', async () => {
  await using server = await serve(ingestingPlatform());
  setEnvironment({ TRACING_HOST: server.url, TRACING_PUBLIC_KEY: 'pk-lf-x', TRACING_SECRET_KEY: 'sk-lf-hush-hush' });
  const report = await job({});
  expect(JSON.stringify(report)).toContain('PLATFORM_UNAUTHORIZED');
  expect(JSON.stringify(report)).not.toContain('hush-hush');
  expect(report.results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.couldNotTell, outcomes.couldNotTell]);
});

test('a platform that takes nothing changes no verdict, and it is said', async () => {
  await using server = await serve(ingestingPlatform());
  setEnvironment({ TRACING_HOST: server.url, TRACING_PUBLIC_KEY: 'pk-lf-x', TRACING_SECRET_KEY: 'sk-lf-hush-hush' });
  const told: string[] = [];
  const report = await job(
    { tracing: { source: 'embedded', forward: true } },
    { on: (event) => event.kind === 'not-forwarded' && told.push(wholeMessage(event.error)) },
  );
  expect(report.results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.changed, outcomes.asRecorded]);
  expect(report.evidence.tracing).toMatchObject({ forwarded: 0, undelivered: expect.any(Number) });
  expect(told.join('\n').replaceAll(/\d+ of \d+/g, '<some> of <all>')).toMatchInlineSnapshot(`
    "<some> of <all> exports could not be passed on to the platform. (TRACES_NOT_FORWARDED)
      the platform refused the keys (401)
      -> Check host and keys of the platform. The comparison does not depend on them."
  `);
});
