import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { command } from './command.ts';
import { demoProject } from './demo-project.ts';

const ROOT = path.join(import.meta.dirname, '../..');

test('a coding agent lists sessions, reads the last report, has a divergence explained and reruns it; it can accept nothing', async () => {
  await using folder = await demoProject();
  const { PATH = '', HOME = '' } = process.env;
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [path.join(ROOT, 'bin/agent-replay.js'), 'mcp'],
      cwd: folder.path,
      env: { PATH, HOME },
    }),
  );
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = (await client.callTool({ name, arguments: args })) as CallToolResult;
    const [part] = content;
    return { isError: isError === true, text: part?.type === 'text' ? part.text : '' };
  };
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'list_sessions',
    'last_report',
    'explain_divergence',
    'rerun_session',
  ]);
  const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
  expect(destructive.map(({ name }) => name)).toEqual(['rerun_session']);
  expect(client.getInstructions()).toContain('ask a person to run "npx agent-replay accept"');

  const early = await call('last_report');
  expect(early).toMatchObject({ isError: true, text: expect.stringContaining('There is no report of a last run') });
  const sessions = (await call('list_sessions')).text.split('\n').map((line) => JSON.parse(line));
  expect(sessions).toHaveLength(8);
  expect(sessions[0]).toMatchObject({ session: 'broken-kettle', pin: 'replays/broken-kettle.session.json', turns: 4 });

  expect((await command(['run', '--grep', 'refund'], { cwd: folder.path })).code).toBe(1);
  const lines = (await call('last_report')).text.split('\n').map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { session: 'small-refund', step: 5, files: ['prompts/system-v2.md:5'] },
    { status: 'failed', exitCode: 1 },
  ]);
  const explained = await call('explain_divergence', { session: 'small-refund' });
  expect(explained.text).toContain('create_ticket instead of refund_order');
  expect(await call('explain_divergence', { session: 'nobody' })).toMatchObject({ isError: true });

  const rerun = await call('rerun_session', { session: 'final-sale', runs: 1 });
  expect(JSON.parse(rerun.text)).toMatchObject({ status: 'passed', exitCode: 0 });
  // The report of the last run is as it was.
  expect((await call('last_report')).text.split('\n').map((line) => JSON.parse(line))).toEqual(lines);
  await client.close();
});
