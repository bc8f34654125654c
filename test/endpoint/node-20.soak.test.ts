import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';

const run = promisify(execFile);
const LIB = path.join(import.meta.dirname, '../../lib');
const BIN = path.join(LIB, '../bin/agent-replay.js');

/** Asks an endpoint as a run does, and one that gets no answer in time. */
const SERVER = `
import { createServer } from 'node:http';
import { nodeHandler, replayEndpoint, toModelMessages } from '${LIB}/endpoint.js';
const replay = nodeHandler(replayEndpoint(({ messages, metadata }) => 'heard ' + toModelMessages(messages).length + typeof metadata));
const server = createServer(replay).listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port + '/replay';
  const ask = async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return [response.status, (await response.json()).output ?? null];
  };
  const ids = { is_replay: true, agent_id: 'a', session_id: 's', svc_original_session_id: 's', svc_turn_trace_id: 't', svc_replay_run_id: 'r', svc_include_prior_context: true };
  const messages = [{ role: 'user', content: 'Hello' }];
  console.log(JSON.stringify([await ask({ ...ids, messages }), await ask(ids)]));
  server.close();
});
`;

test("an agent's server may run on Node 20; the command there says its version, its commands, and the way out", async () => {
  await using folder = await folderWith({ 'package.json': '{"private":true}' });
  await run('npm', ['install', '--no-audit', '--no-fund', 'node@20'], { cwd: folder.path });
  const node = path.join(folder.path, 'node_modules/node/bin/node');
  const on20 = (...args: string[]) => run(node, args, { cwd: folder.path });
  expect((await on20('--version')).stdout).toMatch(/^v20\./);
  await writeFile(path.join(folder.path, 'server.mjs'), SERVER);
  expect(JSON.parse((await on20('server.mjs')).stdout)).toEqual([
    [200, 'heard 1object'],
    [400, null],
  ]);
  expect((await on20(BIN, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await on20(BIN, '--help')).stdout).toContain('replay pinned sessions against the agent, compare, and report');
  await expect(on20(BIN, 'run')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("npx --package node@24 -c 'agent-replay run'"),
  });
  const example = path.join(LIB, '../examples/vitest-agent');
  const vitest = path.join(LIB, '../node_modules/vitest/vitest.mjs');
  await expect(run(node, [vitest, 'run'], { cwd: example })).rejects.toMatchObject({
    stderr: expect.stringContaining('npx --package node@24 -c vitest'),
  });
});
